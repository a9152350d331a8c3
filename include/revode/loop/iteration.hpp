// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/loop/executor.hpp>
#include <revode/schedule/all.hpp>

namespace revode {

/// How a loop is reversed. The gradient's bits do not depend on any of it.
struct loop_options {
  std::optional<index> max_steps{};  ///< the loop stops there at the latest
  index base = 16;                   ///< nested: iterations a level
  index slots = 100;                 ///< binomial, online: carries kept at once, the initial one counted
  schedule_kind schedule = schedule_kind::binomial;
};

/// The loop carry ← body(carry), as an executor drives it. Steps is what the loop is made of:
///   more(i, carry)                     is there an i-th step? asked once
///   run(i, carry, next)                one step
///   pull(i, carry, next_bar, carry_bar)  adds; also to whatever else the step reads
/// The tape of a step is the carry before it.
template <class Steps, class C>
class iteration {
 public:
  using tape_type = C;
  struct snapshot_type {
    index step;
    C carry;
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      visit(self.carry);
    }
  };

  iteration(Steps& steps, const C& carry)
      : steps_(&steps),
        initial_(carry),
        carry_(carry),
        tape_(carry),
        bar_(carry),
        next_bar_(carry) {}

  index position() const { return position_; }
  bool finished() const {
    if (count_) return position_ == *count_;
    if (asked_ != position_) more_ = steps_->more(asked_ = position_, carry_);
    return !more_;
  }
  void step(C& tape) {
    copy(carry_, tape);
    steps_->run(position_, std::as_const(tape), carry_);
    ++position_;
  }
  void run(index to, C& tape) {
    while (position_ < to && !finished()) step(tape);
  }
  void save(std::optional<snapshot_type>& slot) const { save(slot, position_, carry_); }
  void save_previous(std::optional<snapshot_type>& slot) const {
    save(slot, position_ - 1, tape_);
  }
  void load(const snapshot_type& s) {
    position_ = s.step;
    copy(s.carry, carry_);
  }
  C& work_tape() { return tape_; }

  void pull_step(index i, const C& tape) {
    copy(bar_, next_bar_);
    fill(bar_, scalar_t<C>(0));
    steps_->pull(i, tape, next_bar_, bar_);
  }

  void restart() {
    position_ = 0;
    copy(initial_, carry_);
  }
  void know_count() { count_ = position_; }
  void seed(const C& bar) { copy(bar, bar_); }
  const C& carry() const { return carry_; }
  const C& bar() const { return bar_; }
  index count() const { return *count_; }

 private:
  static void save(std::optional<snapshot_type>& slot, index step, const C& carry) {
    if (!slot) {
      slot.emplace(snapshot_type{step, carry});
    } else {
      slot->step = step;
      copy(carry, slot->carry);
    }
  }

  Steps* steps_;
  C initial_, carry_, tape_, bar_, next_bar_;
  index position_ = 0;
  mutable index asked_ = -1;
  mutable bool more_ = false;
  std::optional<index> count_;
};

/// A loop that ran, ready to be pulled back any number of times.
template <class Steps, class C>
class reversible_iteration {
 public:
  reversible_iteration(Steps& steps, const C& carry, const loop_options& o, index known)
      : loop_(steps, carry),
        options_(o),
        known_(known) {
    if (o.max_steps && *o.max_steps < 0)
      throw std::invalid_argument("max_steps = " + std::to_string(*o.max_steps) +
                                  " (a loop runs 0 steps or more) give max_steps >= 0?");
    if (o.max_steps && known != unbounded && *o.max_steps < known)
      throw std::invalid_argument("max_steps = " + std::to_string(*o.max_steps) +
                                  " for a scan of " + std::to_string(known) +
                                  " inputs (it visits each of them) leave max_steps out?");
    if (o.schedule == schedule_kind::nested && !o.max_steps && known == unbounded)
      throw std::invalid_argument(
          "the nested schedule without max_steps (its depth follows from the bound) give "
          "max_steps, or another schedule?");
    run_.emplace(sweep());
    loop_.know_count();
    final_ = loop_.carry();
  }

  /// The cotangent of the initial carry, for that of the final one.
  const C& pullback(const C& carry_bar) {
    if (length(carry_bar) != length(final_))
      throw std::invalid_argument("a cotangent of " + std::to_string(length(carry_bar)) +
                                  " elements for a carry of " + std::to_string(length(final_)) +
                                  " (they have the same shape) resize it?");
    if (!run_) {
      loop_.restart();
      run_.emplace(sweep());
    }
    loop_.seed(carry_bar);
    auto run = std::move(*run_);
    run_.reset();
    run.reverse();
    counts_ = run.counts();
    peak_ = run.snapshots().peak();
    return loop_.bar();
  }

  const C& carry() const { return final_; }
  index steps() const { return loop_.count(); }
  reverse_counts counts() const { return counts_; }
  index peak_states() const { return peak_; }

 private:
  using loop = iteration<Steps, C>;
  using executor_type = executor<loop, any_schedule>;

  /// The first sweep; a body that throws in it leaves nothing half done.
  executor_type sweep() {
    const index known = known_ == unbounded ? 0 : known_;
    executor_type run(
        loop_, any_schedule(options_.schedule, {.slots = options_.slots,
                                                .base = options_.base,
                                                .max_steps = options_.max_steps.value_or(known),
                                                .steps = known_}));
    run.forward();
    return run;
  }

  loop loop_;
  loop_options options_;
  index known_;
  C final_;
  std::optional<executor_type> run_;
  reverse_counts counts_;
  index peak_ = 0;
};

}  // namespace revode
