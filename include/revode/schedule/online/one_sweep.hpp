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

/// Checkpointing for a count that is not known beforehand, in one sweep, of which a placement says
/// where: the first sweep keeps x_0 and what is decided, the reverse pass is the optimal one from
/// there.
///
/// Whether x_n is kept is carried out when step n+1 is about to run: a loop that stops after step n
/// has x_n in its work tape. Hence `snapshot {n}` comes at position n+1, "the carry before the last
/// step", if need be after a `drop` (and a `move` into a slow slot that came free).
class first_sweep {
 public:
  first_sweep(index slots, index slow_slots) : plan_(slots, slow_slots) {}

  /// Which carry to store next is not known: decide, then ask for actions.
  bool undecided() const { return undecided_; }
  template <class P>
  void decide(P& by) {
    undecided_ = false;
    by.next(next_.step, plan_, next_);
    stop_ = next_.step + 1;
  }

  /// Another schedule has run step n, stored what plan() has, and leaves x_n and the rest to this.
  void begin(index n) {
    next_.step = n;
    position_ = stop_ = n + 1;
  }

  action next() {
    if (finalized_) return plan_.next();
    if (const index from = position_; from != stop_) {
      position_ = stop_;
      return {.what = op::advance, .from = from, .to = position_};
    }
    if (next_.rank != store_decision::no_eviction) {
      const stored_step given_up = plan_.evict(next_.rank);
      next_.rank = store_decision::no_eviction;
      return {.what = op::drop, .from = given_up.step, .slot = given_up.slot};
    }
    if (const action sunk = plan_.sink(); sunk.what == op::move) return sunk;
    undecided_ = true;
    return {.what = op::snapshot, .from = next_.step, .slot = plan_.store(next_.step)};
  }

  void finalize(index n) {
    plan_.finalize(n);
    finalized_ = true;
    undecided_ = false;
  }

  reversal& plan() { return plan_; }
  const reversal& plan() const { return plan_; }

 private:
  reversal plan_;
  index position_ = 0;  // of the working carry
  index stop_ = 0;      // where the next carry is stored: x_0 at once, others a step late
  store_decision next_;
  bool undecided_ = false, finalized_ = false;
};

/// first_sweep with its placement. Decisions depend on n and slots alone.
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
      : sweep_(slots, slow_slots),
        placement_(slots) {
    constexpr index usual = 1024;
    sweep_.plan().reserve(usual);
  }

  action next() {
    if (sweep_.undecided()) decide();
    return sweep_.next();
  }
  void finalize(index n) { sweep_.finalize(n); }

  // For a caller that asks the parts: what next() is (null: another thing) where nothing is
  // undecided, how that is ended, and what next() is once it is finalized.
  first_sweep* sweep() { return &sweep_; }
  void decide() { sweep_.decide(placement_); }
  reversal* rest() { return &sweep_.plan(); }

  index snapshot_slots() const { return sweep_.plan().slots(); }
  index tape_slots() const { return 0; }
  index slow_slots() const { return sweep_.plan().slow_slots(); }

 private:
  first_sweep sweep_;
  Placement placement_;
};

}  // namespace revode
