// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <revode/schedule/greedy_eviction.hpp>
#include <revode/schedule/mixed_ring.hpp>
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
///         (8 to 40 ns a step); the first next() makes the decisions that are not given from a
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
        decisions_(std::move(decisions)) {
    require(units >= 1, "units", units, "a reverse pass needs at least the initial state", "1");
    require(tape_units >= 1, "tape_units", tape_units, "a tape takes memory", "1");
    require(steps >= 0, "steps", steps, "a loop runs 0 steps or more", "0");
    if (steps != unbounded) plan_.expect(steps);
  }

  action next() {
    if (finalized_) return plan_.next();
    if (!prepared_) prepare();
    if (known_ != unbounded) return next_of_known();
    if (commit_ != nothing) return next_of_greedy();
    return next_of_ring();
  }

  void finalize(index n) {
    if (n > known_)
      throw std::invalid_argument("n = " + std::to_string(n) + " steps (mixed was told " +
                                  std::to_string(known_) + ") give no count when it is not known?");
    ring_.take_back(plan_, n);
    plan_.finalize(n, ring_.tapes());
    finalized_ = true;
  }

  index snapshot_slots() const { return plan_.units(); }
  index tape_slots() const { return plan_.units() / plan_.tape_units(); }
  index units() const { return plan_.units(); }
  index tape_units() const { return plan_.tape_units(); }

 private:
  static constexpr index nothing = -1;

  struct cost {
    mixed_numbers numbers;
    index operator()(index n, index s) { return numbers.sweep_steps(n, s); }
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
      plan_.reserve(4096);
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

  /// Tapes that fit beside so many snapshots.
  index ring_size(index snapshots) const {
    return (plan_.units() - snapshots) / plan_.tape_units();
  }

  action next_of_ring() {
    const auto stored = static_cast<index>(plan_.items().size());
    if (plan_.position() != next_snapshot_) return ring_.record(plan_, ring_size(stored));
    const index size = ring_size(stored + 1);
    if (size == 0) {
      commit_ = plan_.position();
      return next_of_greedy();
    }
    if (ring_.size() > size) return ring_.discard_oldest(plan_);
    next_snapshot_ += size + 1;
    return plan_.snapshot(plan_.position());
  }

  /// As online_greedy: x_commit_ is stored when the step after it has run.
  action next_of_greedy() {
    if (plan_.position() != commit_ + 1) return plan_.advance(commit_ + 1);
    if (ring_.size() > 0) return ring_.discard_oldest(plan_);
    if (evicted_ != nothing) return plan_.drop(std::exchange(evicted_, nothing));
    const index n = commit_;
    decide(n, static_cast<index>(plan_.items().size()) + 1);
    return plan_.snapshot(n);
  }

  /// What comes after x_newest has been stored as the stored-th snapshot.
  void decide(index newest, index stored) {
    commit_ = newest + 1;
    if (stored < plan_.units()) return;
    commit_ = unbounded - 1;
    if (stored == 1) return;
    if (!evictions_) {
      std::vector<index> steps;
      for (const kept_item& item : plan_.items()) steps.push_back(item.step);
      steps.push_back(newest);
      evictions_.emplace(std::move(steps), cost{mixed_numbers(plan_.tape_units())});
    }
    const auto d = evictions_->next();
    commit_ = d.step;
    evicted_ = d.rank;
  }

  mixed_reversal plan_;
  index known_;
  bool tapes_resume_, prepared_ = false, finalized_ = false;
  std::shared_ptr<const mixed_decisions> decisions_;
  tape_ring ring_;
  index next_snapshot_ = 0;
  index commit_ = nothing;   // beyond the ring: the next carry to be stored
  index evicted_ = nothing;  // the rank of the one that it replaces
  std::optional<greedy_eviction_by<cost>> evictions_;
};

static_assert(schedule<mixed>);

}  // namespace revode
