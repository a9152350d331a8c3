// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include <revode/loop/executor.hpp>
#include <revode/state/cotangents.hpp>

namespace revode {

/// The loop carry ← body(carry), as an executor drives it. Steps is what the loop is made of:
///   more(i, carry)                       is there an i-th step? asked once
///   run(i, carry, next)                  one step; next holds an older carry, of the same shape
///   pull(i, carry, next_bar, carry_bar)  adds; also to whatever else the step reads
/// The tape of a step is the carry before it. Snapshots and tapes do not hold what is frozen.
template <class Steps, class C>
class iteration {
 public:
  struct tape_type {
    C carry;
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      for_each_leaf(visit, self.carry);
    }
  };
  struct snapshot_type {
    index step;
    C carry;
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      visit(self.step);
      for_each_leaf(visit, self.carry);
    }
  };

  iteration(Steps& steps, const C& carry)
      : steps_(&steps),
        initial_(carry),
        carry_(carry),
        tape_{carry},
        bar_(zero_cotangent(carry)),
        next_bar_(bar_) {}

  index position() const { return position_; }
  bool finished() const {
    if (count_) return position_ == *count_;
    if (asked_ != position_) more_ = steps_->more(asked_ = position_, carry_);
    return !more_;
  }
  void step(tape_type& tape) {
    if constexpr (std::is_trivially_copyable_v<C>)
      copy_tree(carry_, tape.carry);
    else
      std::swap(tape.carry, carry_);
    steps_->run(position_, std::as_const(tape.carry), carry_);
    ++position_;
  }
  void run(index to, tape_type& tape) {
    while (position_ < to && !finished()) step(tape);
  }
  void save(std::optional<snapshot_type>& slot) const { save(slot, position_, carry_); }
  void save_previous(std::optional<snapshot_type>& slot) const {
    save(slot, position_ - 1, tape_.carry);
  }
  void load(const snapshot_type& s) {
    position_ = s.step;
    copy_tree(s.carry, carry_);
  }
  tape_type& work_tape() { return tape_; }

  void pull_step(index i, const tape_type& tape) {
    if constexpr (std::is_trivially_copyable_v<cotangent_t<C>>)
      copy_tree(bar_, next_bar_);
    else
      std::swap(bar_, next_bar_);
    set_zero(bar_);
    steps_->pull(i, tape.carry, next_bar_, bar_);
  }

  /// Back to the initial carry; a new one makes it a new loop.
  void restart() {
    position_ = 0;
    carry_ = initial_;
  }
  void restart(const C& carry) {
    initial_ = carry;
    asked_ = -1;
    count_.reset();
    restart();
  }
  void know_count() { count_ = position_; }
  void seed(const cotangent_t<C>& bar) { bar_ = bar; }
  const C& initial() const { return initial_; }
  const C& carry() const { return carry_; }
  const cotangent_t<C>& bar() const { return bar_; }
  index count() const { return *count_; }

 private:
  static void save(std::optional<snapshot_type>& slot, index step, const C& carry) {
    if (!slot) {
      slot.emplace(snapshot_type{step, carry});
    } else {
      slot->step = step;
      copy_tree(carry, slot->carry);
    }
  }

  Steps* steps_;
  C initial_, carry_;
  tape_type tape_;
  cotangent_t<C> bar_, next_bar_;
  index position_ = 0;
  mutable index asked_ = -1;
  mutable bool more_ = false;
  std::optional<index> count_;
};

}  // namespace revode
