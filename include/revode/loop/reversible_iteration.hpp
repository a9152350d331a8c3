// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <revode/loop/iteration.hpp>
#include <revode/schedule/planner.hpp>

namespace revode {

/// How a loop is reversed. The gradient's bits do not depend on any of it.
///   budget   bytes for carries: those at work (four, and two cotangents), snapshots and tapes. Not
///            what the body and its recording, the inputs, outputs and the gradient take
struct loop_options {
  std::optional<index> max_steps{};         ///< the loop stops there at the latest
  index base = 16;                          ///< nested: iterations a level
  std::optional<index> slots{};             ///< carries kept at once, the initial one counted; 100
  std::optional<schedule_kind> schedule{};  ///< binomial when the count is known, otherwise online
  bool keep = true;  ///< false: the forward run keeps nothing, a pullback begins with a sweep
  std::optional<index> budget{};  ///< in place of slots
  index interval = 0;             ///< periodic: steps between carries; 0: chosen
  index slow_slots = 0;           ///< two_tier: how many of the slots lie in the slow pool
  std::string spill{};            ///< folder of the slow pool's file; empty: it is memory
};

/// What a loop was called with: its own, or a reference to a named one.
template <class Argument>
using held_t =
    std::conditional_t<std::is_lvalue_reference_v<Argument>, const std::remove_cvref_t<Argument>&,
                       std::remove_cvref_t<Argument>>;

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
    plan(known);  // refuses what cannot be, before any step
    first_run();
  }

  /// Runs the loop again, from another carry and with whatever the steps now refer to.
  void run_again(const C& carry, index known) {
    known_ = known;
    swept_ = false;
    loop_.restart(carry);
    first_run();
  }

  /// The cotangent of the initial carry, for that of the final one. Frees what was kept, unless the
  /// loop is to run again.
  const cotangent_t<C>& pullback(const cotangent_t<C>& carry_bar, bool again = false) {
    expect_shape(final_, carry_bar, "a carry");
    if (without_bound())
      throw std::invalid_argument(
          "the nested schedule without max_steps (its depth follows from the bound) give "
          "max_steps, or another schedule?");
    if (!swept_) {
      loop_.restart();
      sweep(loop_.count());
    }
    loop_.seed(carry_bar);
    guarded([this] { run_->reverse(); });
    swept_ = false;
    counts_ = run_->counts();
    peak_ = run_->snapshots().peak();
    if (!again) run_.reset();
    return loop_.bar();
  }

  const C& carry() const { return final_; }
  index steps() const { return loop_.count(); }
  reverse_counts counts() const { return counts_; }
  index peak_states() const { return peak_; }

 private:
  using loop = iteration<Steps, C>;
  using executor_type = executor<loop, any_schedule>;

  /// A nested schedule without a bound runs forward only.
  bool without_bound() const {
    return options_.schedule == schedule_kind::nested && !options_.max_steps && known_ == unbounded;
  }

  memory_costs costs(index steps) const {
    using tapes = tape_store<typename loop::tape_type>;
    const C& carry = loop_.initial();
    const index bytes = leaf_bytes(carry);
    const index arrays = std::is_trivially_copyable_v<C> ? 0 : bytes;
    memory_costs all;
    all.work = 4 * bytes + 2 * leaf_bytes(loop_.bar());
    all.snapshot = heap_bytes(sizeof(std::optional<typename loop::snapshot_type>)) + arrays;
    all.tape = tapes::in_place ? static_cast<index>(sizeof(typename loop::tape_type)) : bytes;
    all.steps = steps;
    return all;
  }

  /// The schedule for so many steps (or unbounded: it is not known yet).
  any_schedule plan(index steps) const {
    const loop_options& o = options_;
    if (o.slots && o.budget)
      throw std::invalid_argument("slots = " + std::to_string(*o.slots) +
                                  " and budget = " + std::to_string(*o.budget) +
                                  " (both say how much is kept) give one of the two?");
    const schedule_request request{
        .slots = o.slots.value_or(100),
        .base = o.base,
        .interval = o.interval,
        .max_steps = o.max_steps.value_or(known_ == unbounded ? 0 : known_),
        .steps = steps,
        .slow_slots = o.slow_slots};
    if (o.budget) {
      const memory_plan best = plan_memory(costs(steps), *o.budget, request, o.schedule);
      return any_schedule(best.schedule, best.request);
    }
    const bool known = steps != unbounded;
    return any_schedule(
        o.schedule.value_or(known ? schedule_kind::binomial : schedule_kind::online), request);
  }

  /// The first run: whatever is asked once.
  void first_run() {
    if (options_.keep && !without_bound())
      sweep(known_);
    else
      loop_.run(unbounded, loop_.work_tape());
    loop_.know_count();
    final_ = loop_.carry();
    for_each_leaf(
        []<class Z>(const Z& before, const Z& after) {
          if constexpr (dense<Z>)
            if (!same_extents(before, after))
              throw std::invalid_argument("a body that made " + extents(after) + " elements of " +
                                          extents(before) +
                                          " (a carry keeps its shape) fill next, and do not "
                                          "resize it?");
        },
        loop_.initial(), final_);
  }

  /// The first sweep, in the memory of an earlier one of as many steps.
  void sweep(index steps) {
    if (run_ && swept_for_ == steps) {
      if (!fresh_) fresh_.emplace(plan(steps));
      run_->restart(*fresh_);
    } else {
      std::unique_ptr<slow_pool> slow;
      if (options_.slow_slots > 0 && !options_.spill.empty())
        slow = std::make_unique<file_pool>(options_.spill);
      run_.emplace(loop_, plan(steps), std::move(slow));
      fresh_.reset();
      swept_for_ = steps;
    }
    guarded([this] { run_->forward(); });
    swept_ = true;
  }

  /// An exception leaves nothing half done.
  template <class Act>
  void guarded(const Act& act) {
    try {
      act();
    } catch (...) {
      swept_ = false;
      run_.reset();
      throw;
    }
  }

  loop loop_;
  loop_options options_;
  index known_;
  C final_{};
  std::optional<executor_type> run_;
  std::optional<any_schedule> fresh_;  // in its initial state, where run_ has run more than once
  index swept_for_ = 0;                // the count that run_ was made for
  bool swept_ = false;                 // run_ is ready to be reversed
  reverse_counts counts_;
  index peak_ = 0;
};

}  // namespace revode
