// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/schedule/action.hpp>

namespace revode {

/// Counts at or above this are reported as this: sums of three of them still fit an index.
inline constexpr index saturated = index{1} << 60;

/// c * num / den for a quotient that is known to be whole, saturating.
REVODE_HD constexpr index whole_ratio(index c, index num, index den) {
  constexpr index small = index{1} << 30;
  if (c <= small && num <= small) return c * num / den;
  const index quotient = c / den, rest = c % den;
  if (quotient >= saturated / num) return saturated;
  const index result = quotient * num + rest * num / den;
  return result < saturated ? result : saturated;
}

/// beta(s, r) = C(s + r, s): the most steps that s slots reverse when every step is run at most r
/// times without a tape and once with one. 0 for negative arguments; saturating.
/// cost    O(min(s, r))    source  Griewank, Optim. Methods Softw. 1 (1992) 35-54
REVODE_HD constexpr index beta(index s, index r) {
  if (s < 0 || r < 0) return 0;
  const index few = s < r ? s : r, many = s < r ? r : s;
  if (few == 0) return 1;
  if (many >= saturated) return saturated;
  index c = 1;  // C(many + i, i)
  for (index i = 1; i <= few && c < saturated; ++i) c = whole_ratio(c, many + i, i);
  return c;
}

/// The repetition number: the least r with n <= beta(s, r); s >= 1.
/// cost    O(r) for r <= 32, then O(min(s, r) log r)
REVODE_HD constexpr index repetitions(index n, index s) {
  if (n <= 1) return 0;
  if (s >= n - 1) return 1;
  if (s == 1) return n - 1;
  index c = 1;
  for (index r = 1; r <= 32; ++r) {
    c = whole_ratio(c, s + r, r);
    if (c >= n) return r;
  }
  index below = 32, above = 64;  // beta(s, below) < n <= beta(s, above)
  while (beta(s, above) < n) {
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    const index middle = below + (above - below) / 2;
    (beta(s, middle) < n ? below : above) = middle;
  }
  return above;
}

/// t(n, s) = r n - beta(s + 1, r - 1), r = repetitions(n, s): the fewest step evaluations beyond
/// one sweep that reverse n steps with s >= 1 slots (x_0's included) and keep the last step's tape.
/// Saturates once r n reaches 2^60.
/// source  Griewank & Walther, ACM Trans. Math. Softw. 26 (2000) 19-45
REVODE_HD constexpr index extra_steps(index n, index s) {
  const index r = repetitions(n, s);
  if (r == 0) return 0;
  if (r >= saturated / n) return saturated;
  return r * n - beta(s + 1, r - 1);
}

/// Where to put the next snapshot: m in 1..n-1 that minimises m + t(m, s) + t(n - m, s - 1), and of
/// those minimisers one that leads to the fewest snapshot writes. n >= 2, s >= 1.
/// source  the rule of Griewank & Walther (2000), as an exact case distinction
REVODE_HD constexpr index split(index n, index s) {
  if (s == 1) return n - 1;
  const index r = repetitions(n, s);
  if (r <= 1) return 1;
  const index full = beta(s, r - 1);
  const index right = whole_ratio(full, s, s + r - 1);                 // beta(s - 1, r - 1)
  const index corner = whole_ratio(right, s - 1, s + r - 2);           // beta(s - 2, r - 1)
  if (n <= full + corner) return whole_ratio(full, r - 1, s + r - 1);  // beta(s, r - 2)
  if (n < full + right + corner) return n - right - corner;
  return full;
}

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
  explicit binomial(index slots) : slots_(slots) {
    if (slots < 1)
      throw std::invalid_argument("slots = " + std::to_string(slots) +
                                  " (a reverse pass needs at least the initial state)"
                                  " give slots >= 1?");
    stored_.reserve(1);
  }

  binomial(index slots, index steps) : binomial(slots) {
    if (steps < 0)
      throw std::invalid_argument("steps = " + std::to_string(steps) +
                                  " (a loop runs 0 steps or more) give steps >= 0?");
    end_ = steps;
    stored_.reserve(static_cast<std::size_t>(std::min(slots, steps)));
  }

  action next() {
    if (finalized_) {
      if (tape_live_) return pull();
      if (!stored_.empty() && stored_.back() >= end_) return drop();
      if (end_ == 0) return {};
      if (position_ == nowhere) return restore();
    } else if (tape_live_ || end_ == 0 || (end_ == unbounded && !stored_.empty())) {
      return {.what = op::advance, .from = position_, .to = unbounded};
    }
    if (position_ == end_ - 1) return record();
    if (stored_.empty() || stored_.back() != position_) return snapshot();
    const index m = split(end_ - position_, slots_ - live() + 1);
    position_ += m;
    return {.what = op::advance, .from = position_ - m, .to = position_};
  }

  void finalize(index n) {
    if (n > end_)
      throw std::invalid_argument("n = " + std::to_string(n) + " steps (binomial was told " +
                                  std::to_string(end_) + ") give no count when it is not known?");
    stored_.reserve(static_cast<std::size_t>(std::min(slots_, std::max<index>(n, 1))));
    end_ = n;
    position_ = nowhere;
    tape_live_ = n > 0;
    finalized_ = true;
  }

  index snapshot_slots() const { return slots_; }
  index tape_slots() const { return 0; }

 private:
  static constexpr index nowhere = -1;

  index live() const { return static_cast<index>(stored_.size()); }

  action pull() {
    tape_live_ = false;
    position_ = nowhere;
    --end_;
    return {.what = op::pull, .from = end_, .slot = work};
  }

  action drop() {
    const index i = stored_.back();
    stored_.pop_back();
    return {.what = op::drop, .from = i, .slot = live()};
  }

  action restore() {
    position_ = stored_.back();
    return {.what = op::restore, .from = position_, .slot = live() - 1};
  }

  action snapshot() {
    stored_.push_back(position_);
    return {.what = op::snapshot, .from = position_, .slot = live() - 1};
  }

  action record() {
    tape_live_ = true;
    ++position_;
    return {.what = op::record, .from = position_ - 1, .to = position_, .slot = work};
  }

  index slots_;
  std::vector<index> stored_;  // slot k holds the carry before step stored_[k]; ascending
  index end_ = unbounded;      // steps end_, end_+1, ... have been pulled, or do not exist
  index position_ = 0;         // of the working carry
  bool tape_live_ = false;     // the work tape holds step end_-1
  bool finalized_ = false;
};

static_assert(schedule<binomial>);

}  // namespace revode
