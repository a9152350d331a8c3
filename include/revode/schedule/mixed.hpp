// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <revode/schedule/mixed/mixed_ring.hpp>
#include <revode/schedule/online/greedy_eviction.hpp>
#include <revode/schedule/online/one_sweep.hpp>
#include <revode/schedule/request.hpp>

namespace revode {

/// Snapshots and step tapes in common units: a snapshot takes one, a stored tape `tape_units`.
/// After every action the live ones take `units` at the most, the working carry and the work tape
/// aside.
///
/// Known count n: A(n, units) step evaluations, the fewest there are (mixed_optimum). Up to
/// reach(units, 1) steps that takes no more than mixed_numbers::plain; beyond it the decisions that
/// are given or, as long as n units <= 2^16 and n < 2^15, found here. Without them it is
/// mixed_numbers::split, 0.2 % more on average (0.4 % where tapes resume; 1.2 % where such a tape
/// is one unit). Just n once units >= tape_units (n-1).
///
/// Unknown count, one sweep. While step tapes fit, the last (units - k) / tape_units of them are
/// kept in a ring, k being the snapshots: x_0 and then one whenever so many steps have run since
/// the last one that their tapes will fit (the work tape included) when it is their turn. So no
/// step is replayed more than once, and the ring's not at all, up to about
/// units^2 / (2 tape_units) steps. Then every carry is stored while units are free, then those that
/// greedy_eviction takes, by the costs of mixed_numbers. The reverse pass is mixed_reversal's.
/// 1.6 % above A(n, units) on average for n <= 300, and within 7 % (units = 2: 13 %) of what
/// binomial makes of as many snapshots for a known count, for every n <= 3000. There a unit more
/// costs one evaluation at the most with tapes of 7 units, 6 with those of 2 (1 to 40 units).
///
/// cost    next() O(1) in the ring, otherwise as mixed_decisions, greedy_eviction and mixed_numbers
///         (3 to 17 ns a step); the first next() makes the decisions that are not given from a
///         table that it frees: 3 ms and 80 kB for 1000 steps in 64 units
/// errors  std::invalid_argument: units < 1, tape_units < 1, steps < 0, finalize(n) with n > steps
/// source  as mixed_optimum; the ring and its intervals are Stumm & Walther's algorithm I (SIAM J.
///         Sci. Comput. 32 (2010) 836-854) with tapes in place of the innermost snapshots
class mixed {
 public:
  static constexpr std::string_view name = "mixed";
  static constexpr std::string_view summary =
      "states and stored stages in one memory, fewest evaluations";

  static mixed make(const schedule_request& r) {
    return {r.slots, r.tape_units, r.tapes_resume, r.steps, r.decisions};
  }

  static tape_costs costs(index tape_units, bool tapes_resume) {
    return tapes_resume ? tape_costs{.restart = tape_units} : tape_costs{.stage = tape_units};
  }
  /// Are there decisions that mixed_numbers::plain does not make best, and a table that has them?
  static bool has_table(index n, index units, index tape_units) {
    return n > mixed_numbers(tape_units).reach(units, 1) && n <= mixed_optimum::most_steps &&
           units <= (index{1} << 16) / n;
  }

  mixed(index units, index tape_units, bool tapes_resume = false, index steps = unbounded,
        std::shared_ptr<const mixed_decisions> decisions = nullptr)
      : plan_(units, tape_units),
        known_(steps),
        tapes_resume_(tapes_resume),
        decisions_(std::move(decisions)),
        sweep_(std::max<index>(units, 1), 0),
        beyond_{tape_units} {
    require(units >= 1, "units", units, "a reverse pass needs at least the initial state", "1");
    require(tape_units >= 1, "tape_units", tape_units, "a tape takes memory", "1");
    require(steps >= 0, "steps", steps, "a loop runs 0 steps or more", "0");
    if (steps != unbounded) plan_.expect(steps);
  }

  action next() {
    if (finalized_) return plan_.next();
    if (!prepared_) prepare();
    if (known_ != unbounded) return next_of_known();
    if (ringing_) {
      if (plan_.position() <= next_snapshot_ || ring_.size() > 0) return next_of_ring();
      ringing_ = false;
      sweep_.begin(next_snapshot_);
    }
    if (sweep_.undecided()) decide();
    return sweep_.next();
  }

  void finalize(index n) {
    if (n > known_)
      throw std::invalid_argument("n = " + std::to_string(n) + " steps (mixed was told " +
                                  std::to_string(known_) + ") give no count when it is not known?");
    finalized_ = true;
    beyond_.evictions.reset();
    if (known_ == unbounded) plan_.reserve(n);
    plan_.adopt(sweep_.plan());
    ring_.take_back(plan_, n);
    plan_.finalize(n, ring_.tapes());
  }

  /// What next() is beyond the ring.
  first_sweep* sweep() { return ringing_ || finalized_ ? nullptr : &sweep_; }
  void decide() { sweep_.decide(beyond_); }

  index snapshot_slots() const { return plan_.units(); }
  index tape_slots() const { return plan_.units() / plan_.tape_units(); }
  index units() const { return plan_.units(); }
  index tape_units() const { return plan_.tape_units(); }

 private:
  /// Where the snapshots go beyond the ring.
  struct placement_beyond {
    index tape_units;
    std::optional<greedy_eviction_by<mixed_cost>> evictions{};

    void next(index newest, const reversal& swept, store_decision& d) {
      d.step = swept.slots() == 1 ? store_decision::never : newest + 1;
      if (swept.live() < swept.slots() || swept.slots() == 1) return;
      if (!evictions) evictions.emplace(swept.steps(), mixed_cost(tape_units, swept.slots() + 1));
      const auto eviction = evictions->next();
      d.step = eviction.step;
      d.rank = static_cast<int>(eviction.rank);
    }
  };

  static void require(bool kept, const char* what, index value, const char* why,
                      const char* least) {
    if (!kept)
      throw std::invalid_argument(std::string(what) + " = " + std::to_string(value) + " (" + why +
                                  ") give " + what + " >= " + least + "?");
  }

  action next_of_known() {
    if (plan_.position() >= known_) return plan_.advance(unbounded);
    return plan_.next();
  }

  /// With the first action, so that a schedule that is only asked for its slots costs nothing.
  void prepare() {
    prepared_ = true;
    const index n = known_, units = plan_.units(), tape = plan_.tape_units();
    if (n == unbounded) {
      sweep_.plan().reserve(4096);
      ring_.reserve(std::min<index>(units / tape, 4096));
      return;
    }
    plan_.reserve(n);
    if (!decisions_ && has_table(n, units, tape)) {
      const mixed_optimum optimum(n, units, costs(tape, tapes_resume_));
      decisions_ = std::make_shared<const mixed_decisions>(optimum, n, units);
    }
    plan_.follow(decisions_, tapes_resume_);
  }

  /// At its end step next_snapshot_ has run, and its carry is not stored.
  action next_of_ring() {
    const index n = plan_.position();
    if (n < next_snapshot_) return ring_.record(plan_, tapes_);
    if (n > next_snapshot_) return ring_.discard_oldest(plan_);
    tapes_ = (plan_.units() - sweep_.plan().live() - 1) / plan_.tape_units();
    if (tapes_ == 0) return plan_.advance(n + 1);
    if (ring_.size() > tapes_) return ring_.discard_oldest(plan_);
    next_snapshot_ += tapes_ + 1;
    return {.what = op::snapshot, .from = n, .slot = sweep_.plan().store(n)};
  }

  mixed_reversal plan_;
  index known_;
  bool tapes_resume_, prepared_ = false, ringing_ = true, finalized_ = false;
  std::shared_ptr<const mixed_decisions> decisions_;
  tape_ring ring_;
  index next_snapshot_ = 0;
  index tapes_ = 0;    // that fit in the ring
  first_sweep sweep_;  // its snapshots, and all of it beyond the ring
  placement_beyond beyond_;
};

static_assert(schedule<mixed>);

}  // namespace revode
