// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <revode/schedule/request.hpp>

namespace revode {

/// The least d >= 1 with base^d >= max_steps; base >= 2.
REVODE_HD constexpr int nesting_depth(index base, index max_steps) {
  int depth = 1;
  for (index reach = base; reach < max_steps; ++depth)
    reach = reach > max_steps / base ? max_steps : reach * base;
  return depth;
}

/// Nested rematerialised loops of `base` iterations each, d = nesting_depth(base, max_steps) deep:
/// the "bounded while loop" of Diffrax. Levels d..2 keep the carry before each of their chunks of
/// base^(level-1) steps; level 1 records its steps' tapes. A level gives its snapshots up together,
/// when all its chunks have been reversed, and the first of them repeats its parent's.
///
/// cost    d n step evaluations, the first sweep included; at most base tapes; at most (d-1) base
///         snapshots, and just that many when n > (base-1) base^(d-1); next() O(1), 0 allocations
/// errors  std::invalid_argument: base < 2, max_steps < 0 or > 2^60, finalize(n) with n > max_steps
/// source  Kidger, On Neural Differential Equations (thesis, Oxford 2021); Diffrax's loop of
///         kind "bounded", counted here step by step
class nested {
 public:
  static constexpr std::string_view name = "nested";
  static constexpr std::string_view summary =
      "nested loops of base iterations, as Diffrax has them";
  static nested make(const schedule_request& r) { return {r.base, r.max_steps}; }

  nested(index base, index max_steps) : base_(base), max_steps_(max_steps) {
    if (base < 2)
      throw std::invalid_argument("base = " + std::to_string(base) +
                                  " (a chunk is split into at least 2) give base >= 2?");
    if (max_steps < 0)
      throw std::invalid_argument("max_steps = " + std::to_string(max_steps) +
                                  " (a loop runs 0 steps or more) give max_steps >= 0?");
    if (max_steps > longest)
      throw std::invalid_argument("max_steps = " + std::to_string(max_steps) +
                                  " (nesting needs a bound) give max_steps <= 2^60?");
    levels_.resize(static_cast<std::size_t>(nesting_depth(base, max_steps)));
    levels_.back().chunk = 1;
    for (std::size_t k = levels_.size() - 1; k > 0; --k)
      levels_[k - 1].chunk = levels_[k].chunk * base;
    levels_.front().end = max_steps;
    outermost_slots_ = depth() == 1 ? 0 : chunks(levels_.front());
  }

  action next() {
    level& here = levels_[current_];
    if (sweeping_ && here.position < here.end) return step_of_sweep(here);
    if (!finalized_) return {.what = op::advance, .from = here.position, .to = unbounded};
    if (sweeping_) turn(here);
    if (innermost()) return pull_or_return(here);
    if (here.stored > (here.left > 0 ? chunks(here) : 0)) return drop(here);
    if (here.left > 0) return descend(here);
    if (current_ == 0) return {};
    --current_;
    return next_of_parent();
  }

  void finalize(index n) {
    if (n > max_steps_)
      throw std::invalid_argument("n = " + std::to_string(n) + " steps (nested was made for " +
                                  std::to_string(max_steps_) + ") raise max_steps?");
    levels_.front().end = n;
    levels_.front().position = n;
    finalized_ = true;
  }

  int depth() const { return static_cast<int>(levels_.size()); }

  index snapshot_slots() const {
    return depth() == 1 ? 0 : outermost_slots_ + (depth() - 2) * base_;
  }

  index tape_slots() const { return std::min(base_, max_steps_); }

 private:
  static constexpr index longest = index{1} << 60;

  struct level {
    index chunk = 0;  // steps between two of its snapshots
    index begin = 0;  // its loop runs steps begin..end-1
    index end = 0;
    index position = 0;  // of its sweep
    index stored = 0;    // snapshots it holds: before begin, begin + chunk, ...
    index left = 0;      // chunks (innermost: steps) not yet reversed
  };

  bool innermost() const { return current_ + 1 == levels_.size(); }
  index slot(index k) const {
    return current_ == 0 ? k : outermost_slots_ + (static_cast<index>(current_) - 1) * base_ + k;
  }
  static index chunks(const level& l) { return (l.end - l.begin + l.chunk - 1) / l.chunk; }
  static index chunk_end(const level& l, index from) {
    return l.end - from > l.chunk ? from + l.chunk : l.end;
  }

  action step_of_sweep(level& here) {
    const index from = here.position;
    if (innermost()) {
      here.position = here.end;
      return {.what = op::record, .from = from, .to = here.end, .slot = 0};
    }
    if (from == here.begin + here.stored * here.chunk) {
      ++here.stored;
      return {.what = op::snapshot, .from = from, .slot = slot(here.stored - 1)};
    }
    here.position = chunk_end(here, from);
    return {.what = op::advance, .from = from, .to = here.position};
  }

  void turn(level& here) {
    sweeping_ = false;
    here.left = chunks(here);
  }

  action drop(level& here) {
    --here.stored;
    return {
        .what = op::drop, .from = here.begin + here.stored * here.chunk, .slot = slot(here.stored)};
  }

  action descend(const level& parent) {
    const index k = --levels_[current_].left;
    const index from = parent.begin + k * parent.chunk;
    const index from_slot = slot(k);
    const index to = chunk_end(parent, from);
    level& child = levels_[++current_];
    child = {.chunk = child.chunk, .begin = from, .end = to, .position = from};
    sweeping_ = true;
    return {.what = op::restore, .from = from, .slot = from_slot};
  }

  action pull_or_return(level& here) {
    if (here.left > 0) {
      --here.left;
      return {.what = op::pull, .from = here.begin + here.left, .slot = here.left};
    }
    if (current_ == 0) return {};
    --current_;
    return next_of_parent();
  }

  // A parent with nothing left to do drops its snapshots, so this never returns to a grandparent.
  action next_of_parent() {
    level& here = levels_[current_];
    return here.left > 0 ? descend(here) : drop(here);
  }

  index base_;
  index max_steps_;
  index outermost_slots_ = 0;
  std::vector<level> levels_;  // outermost first
  std::size_t current_ = 0;
  bool sweeping_ = true;
  bool finalized_ = false;
};

static_assert(schedule<nested>);

}  // namespace revode
