// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include <revode/schedule/request.hpp>
#include <revode/schedule/reversal.hpp>

namespace revode {

/// Binomial checkpointing with a fixed number of snapshot slots, x_0's included.
///
/// Known count n: one sweep that leaves its snapshots where they are needed. n + t(n, slots) step
/// evaluations in all, which is optimal; n-1 restores, the fewest writes, min(slots, n-1) live
/// snapshots at the most. A loop that ends earlier than announced is still reversed, at some more
/// cost than its own optimum.
/// Unknown count: the first sweep keeps x_0 only, then steps 0..n-2 are reversed as above.
/// (n-1) + t(n-1, slots) replays; max(1, min(slots, n-2)) live snapshots at the most for n >= 2.
///
/// cost    next() O(r) for r <= 32, no allocation once finalize has returned (with a known count:
///         none after construction); slots are used last in, first out
/// errors  std::invalid_argument: slots < 1, steps < 0, finalize(n) with n > steps
class binomial {
 public:
  static constexpr std::string_view name = "binomial";
  static constexpr std::string_view summary = "fewest step evaluations for the states kept";
  static binomial make(const schedule_request& r) {
    return r.steps == unbounded ? binomial(r.slots) : binomial(r.slots, r.steps);
  }

  explicit binomial(index slots) : plan_(slots) { plan_.reserve(1); }

  binomial(index slots, index steps, index slow_slots = 0) : plan_(slots, slow_slots) {
    if (steps < 0)
      throw std::invalid_argument("steps = " + std::to_string(steps) +
                                  " (a loop runs 0 steps or more) give steps >= 0?");
    plan_.reserve(steps);
    plan_.expect(steps);
  }

  action next() {
    if (!finalized_ && sweep_is_planned())
      return {.what = op::advance, .from = plan_.position(), .to = unbounded};
    return plan_.next();
  }

  void finalize(index n) {
    if (n > plan_.end())
      throw std::invalid_argument("n = " + std::to_string(n) + " steps (binomial was told " +
                                  std::to_string(plan_.end()) +
                                  ") give no count when it is not known?");
    plan_.finalize(n);
    finalized_ = true;
  }

  /// What next() is once it is finalized.
  reversal* rest() { return &plan_; }

  index snapshot_slots() const { return plan_.slots(); }
  index tape_slots() const { return 0; }
  index slow_slots() const { return plan_.slow_slots(); }

 private:
  /// Nothing but steps is left of the first sweep.
  bool sweep_is_planned() const {
    return plan_.tape_live() || plan_.end() == 0 || (plan_.end() == unbounded && plan_.live() > 0);
  }

  reversal plan_;
  bool finalized_ = false;
};

static_assert(schedule<binomial>);

}  // namespace revode
