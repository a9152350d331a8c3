// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/schedule/action.hpp>
#include <revode/schedule/binomial_numbers.hpp>

namespace revode {

/// The slot that holds the carry before a step.
struct stored_step {
  index step;
  index slot;
};

/// The optimal reversal from whatever snapshots a first sweep left behind: the part that binomial
/// and every online schedule share. Also the first sweep of a known count, which is the same
/// recursion with no snapshot yet.
///
/// With snapshots before steps 0 = p_0 < ... < p_{k-1}, finalize(n) and what follows cost
/// replay_steps({p_0, ...}, n, slots), the least there is from there; n-1 restores.
///
/// Slots 0..slow-1 hold the bottom of the stack, the snapshots that are used least.
/// cost    next() O(r) for r <= 32; no allocation beyond those of reserve
/// errors  std::invalid_argument: slots < 1, slow < 0
/// source  Stumm & Walther, SIAM J. Sci. Comput. 31 (2009) 1946-1967, for the slow slots
class reversal {
 public:
  explicit reversal(index slots, index slow = 0) : slots_(slots), slow_(slow) {
    if (slots < 1)
      throw std::invalid_argument("slots = " + std::to_string(slots) +
                                  " (a reverse pass needs at least the initial state)"
                                  " give slots >= 1?");
    if (slow < 0)
      throw std::invalid_argument("slow_slots = " + std::to_string(slow) +
                                  " (so many of the slots are slow) give 0 or more?");
  }

  // Placement: what the first sweep keeps.
  index slots() const { return slots_; }
  index slow_slots() const { return std::min(slow_, slots_); }
  index live() const { return live_; }
  index step(index rank) const { return at(rank).step; }

  stored_step top() const { return at(live_ - 1); }
  /// Those stored, ascending; then the slots that were used and are empty, the last emptied first.
  const std::vector<stored_step>& places() const { return places_; }
  std::vector<index> steps() const {
    std::vector<index> all;
    all.reserve(static_cast<std::size_t>(live_));
    for (index rank = 0; rank < live_; ++rank) all.push_back(step(rank));
    return all;
  }

  /// Keeps the carry before `step`, the latest so far; which slot that is.
  index store(index step) {
    if (live_ == made()) grow();
    stored_step& place = places_[static_cast<std::size_t>(live_++)];
    place.step = step;
    return place.slot;
  }

  /// Gives up the rank-th snapshot, counted from x_0's.
  stored_step evict(index rank) {
    const stored_step given_up = at(rank);
    for (--live_; rank < live_; ++rank) at(rank) = at(rank + 1);
    at(live_) = given_up;
    return given_up;
  }

  /// A move of a snapshot that came down into the bottom of the stack, after an eviction from there;
  /// otherwise done.
  action sink() {
    if (slow_ == 0 || live_ < slow_ || live_ == made() || at(live_).slot >= slow_) return {};
    stored_step& moved = at(slow_ - 1);
    if (moved.slot < slow_) return {};
    std::swap(moved.slot, at(live_).slot);
    return {.what = op::move, .from = moved.step, .to = moved.slot, .slot = at(live_).slot};
  }

  void reserve(index steps) {
    places_.reserve(static_cast<std::size_t>(std::min(slots_, std::max<index>(steps, 1))));
  }

  /// More slots from now on (or fewer, but no fewer than are live).
  void allow(index slots) { slots_ = slots; }

  /// The count, known beforehand: next() then makes the first sweep as well.
  void expect(index n) { end_ = n; }

  void finalize(index n) {
    reserve(n);
    end_ = n;
    position_ = nowhere;
    tape_live_ = n > 0;
  }

  action next() {
    if (tape_live_) return pull();
    if (live_ > 0 && top().step >= end_) return drop();
    if (end_ == 0) return {};
    if (position_ == nowhere) return restore();
    if (position_ == end_ - 1) return record();
    if (live_ == 0 || top().step != position_) return snapshot();
    const index m = split(end_ - position_, slots_ - live_ + 1);
    position_ += m;
    return {.what = op::advance, .from = position_ - m, .to = position_};
  }

  index position() const { return position_; }
  index end() const { return end_; }
  bool tape_live() const { return tape_live_; }

 private:
  static constexpr index nowhere = -1;

  [[gnu::noinline]] void grow() { places_.push_back({0, live_}); }

  action pull() {
    tape_live_ = false;
    position_ = nowhere;
    --end_;
    return {.what = op::pull, .from = end_, .slot = work};
  }

  action drop() {
    --live_;
    return {.what = op::drop, .from = at(live_).step, .slot = at(live_).slot};
  }

  action restore() {
    position_ = top().step;
    return {.what = op::restore, .from = position_, .slot = top().slot};
  }

  action snapshot() { return {.what = op::snapshot, .from = position_, .slot = store(position_)}; }

  action record() {
    tape_live_ = true;
    ++position_;
    return {.what = op::record, .from = position_ - 1, .to = position_, .slot = work};
  }

  index made() const { return static_cast<index>(places_.size()); }
  stored_step& at(index rank) { return places_[static_cast<std::size_t>(rank)]; }
  const stored_step& at(index rank) const { return places_[static_cast<std::size_t>(rank)]; }

  index slots_, slow_;
  std::vector<stored_step> places_;
  index live_ = 0;
  index end_ = unbounded;   // steps end_, end_+1, ... have been pulled, or do not exist
  index position_ = 0;      // of the working carry
  bool tape_live_ = false;  // the work tape holds step end_-1
};

/// R(P, n): the step evaluations beyond the first sweep that the optimal reversal of n steps makes
/// from snapshots before steps P = {0 = p_0 < ... < p_{k-1} <= n-1}, k <= slots, with the last
/// step's tape in work. Segment i owns slots - i slots: those to its right are empty by then.
template <class Steps>
index replay_steps(const Steps& placement, index n, index slots) {
  const auto k = static_cast<index>(std::size(placement));
  index sum = 0;
  for (index i = 0; i < k; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool last = i + 1 == k;
    const index length = (last ? n - 1 : static_cast<index>(placement[at + 1])) - placement[at];
    if (length > 0) sum += sweep_steps(length, slots - i);
  }
  return sum;
}

}  // namespace revode
