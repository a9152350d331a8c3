// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/schedule/online_table.hpp>
#include <revode/schedule/reversal.hpp>

namespace revode {

/// Checkpointing for a count that is not known beforehand, in one sweep: the first sweep keeps x_0,
/// then every carry while slots are free, then those that greedy_eviction takes in place of others.
/// The reverse pass is the optimal one from there.
///
/// Whether x_n is kept is carried out when step n+1 is about to run: a loop that stops after step n
/// has x_n in its work tape. Hence `snapshot {n}` comes at position n+1, "the carry before the last
/// step", if need be after a `drop`. Decisions depend on n and slots alone.
///
/// Replays: R(P, n) of the placement P. Against the optimum t(n, slots): at most 1.150 times (2
/// slots), 1.089 (3), 1.063 (4 and more), for every n <= 1e5; 1.001 to 1.008 on average. One slot:
/// t(n, 1). n-1 restores, at most min(slots, n-1) live snapshots (1 for n = 1), 0.1 to 27 % of the
/// steps written beyond the first `slots`.
///
/// cost    next() O(slots) in the first sweep; a step of it 0.1 to 2 ns on average while the table
///         lasts (slots <= 64, n <= 1e5), 4 to 30 ns beyond; memory for 3 slots integers, beyond
///         the table for 8, as slots fill up
/// errors  std::invalid_argument: slots < 1
class online_greedy {
 public:
  explicit online_greedy(index slots) : plan_(slots), evictions_(slots) {
    constexpr index usual = 1024;
    plan_.reserve(usual);
  }

  action next() {
    if (finalized_) return plan_.next();
    if (plan_.live() == 0) return keep(0);
    if (position_ == candidate_ + 1) {
      if (evicted_ == nothing) return keep(candidate_);
      const stored_step given_up = plan_.evict(evicted_);
      evicted_ = nothing;
      return {.what = op::drop, .from = given_up.step, .slot = given_up.slot};
    }
    const index from = position_;
    position_ = candidate_ + 1;
    return {.what = op::advance, .from = from, .to = position_};
  }

  void finalize(index n) {
    plan_.finalize(n);
    finalized_ = true;
  }

  index snapshot_slots() const { return plan_.slots(); }
  index tape_slots() const { return 0; }

 private:
  static constexpr index nothing = -1;

  action keep(index n) {
    const index slot = plan_.store(n);
    decide(n);
    return {.what = op::snapshot, .from = n, .slot = slot};
  }

  /// What comes after x_n has been stored.
  void decide(index n) {
    candidate_ = unbounded - 1;
    if (plan_.live() < plan_.slots()) {
      candidate_ = n + 1;
    } else if (plan_.slots() > 1) {
      const auto next = evictions_.next(n, [this] {
        std::vector<index> steps;
        for (index i = 0; i < plan_.live(); ++i) steps.push_back(plan_.step(i));
        return steps;
      });
      candidate_ = next.step;
      evicted_ = next.rank;
    }
  }

  reversal plan_;
  online_evictions evictions_;
  index position_ = 0;       // of the working carry, in the first sweep
  index candidate_ = 0;      // the next carry to be stored
  index evicted_ = nothing;  // the rank of the one that it replaces
  bool finalized_ = false;
};

static_assert(schedule<online_greedy>);

}  // namespace revode
