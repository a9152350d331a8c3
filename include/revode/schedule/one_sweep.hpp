// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>

#include <revode/schedule/request.hpp>
#include <revode/schedule/reversal.hpp>

namespace revode {

/// The next carry that a first sweep stores: the one before `step`, in place of the `rank`-th of
/// those stored (counted from x_0's), or in a free slot when rank is `no_eviction`.
struct store_decision {
  static constexpr index never = unbounded - 1;
  static constexpr int no_eviction = -1;
  index step = 0;
  int rank = no_eviction;  // narrower than step: the two are not moved by one wide load that stalls
};

/// Where the snapshots of a first sweep go when its length is not known: next(newest, plan, d) sets
/// d, which is {newest, no_eviction}, to what comes after x_newest was stored; plan: what is stored.
template <class P>
concept placement = requires(P& p, index newest, const reversal& plan, store_decision& d) {
  P(newest);
  { P::name } -> std::convertible_to<std::string_view>;
  p.next(newest, plan, d);
};

/// Checkpointing for a count that is not known beforehand, in one sweep: the first sweep keeps x_0
/// and what the placement decides, the reverse pass is the optimal one from there.
///
/// Whether x_n is kept is carried out when step n+1 is about to run: a loop that stops after step n
/// has x_n in its work tape. Hence `snapshot {n}` comes at position n+1, "the carry before the last
/// step", if need be after a `drop` (and a `move` into a slow slot that came free). Decisions depend on n and slots alone.
///
/// Replays: R(P, n) = replay_steps of the placement P that the stop finds. n-1 restores, at most
/// min(slots, n-1) live snapshots (1 for n = 1).
/// cost    next() that of the placement and O(slots) where it stores; memory for 3 slots integers
/// errors  std::invalid_argument: slots < 1, slow_slots < 0
template <placement Placement>
class one_sweep {
 public:
  static constexpr std::string_view name = Placement::name;
  static constexpr std::string_view summary = Placement::summary;
  static one_sweep make(const schedule_request& r) { return one_sweep(r.slots); }

  explicit one_sweep(index slots, index slow_slots = 0)
      : plan_(slots, slow_slots),
        placement_(slots) {
    constexpr index usual = 1024;
    plan_.reserve(usual);
  }

  action next() {
    if (finalized_) return plan_.next();
    if (plan_.live() == 0) return keep(0);
    if (position_ == next_.step + 1) {
      if (next_.rank == store_decision::no_eviction) {
        const action sunk = plan_.sink();
        return sunk.what == op::move ? sunk : keep(next_.step);
      }
      const stored_step given_up = plan_.evict(next_.rank);
      next_.rank = store_decision::no_eviction;
      return {.what = op::drop, .from = given_up.step, .slot = given_up.slot};
    }
    const index from = position_;
    position_ = next_.step + 1;
    return {.what = op::advance, .from = from, .to = position_};
  }

  void finalize(index n) {
    plan_.finalize(n);
    finalized_ = true;
  }

  /// All that is left to do once it is finalized.
  reversal& rest() { return plan_; }

  index snapshot_slots() const { return plan_.slots(); }
  index tape_slots() const { return 0; }
  index slow_slots() const { return plan_.slow_slots(); }

 private:
  action keep(index n) {
    const index slot = plan_.store(n);
    placement_.next(n, plan_, next_);
    return {.what = op::snapshot, .from = n, .slot = slot};
  }

  reversal plan_;
  Placement placement_;
  index position_ = 0;  // of the working carry, in the first sweep
  store_decision next_;
  bool finalized_ = false;
};

}  // namespace revode
