// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <revode/schedule/greedy_eviction.hpp>
#include <revode/schedule/mixed_reversal.hpp>
#include <revode/schedule/request.hpp>

namespace revode {

/// Snapshots and step tapes in common units: a snapshot takes one, a stored tape `tape_units`. After
/// every action the live ones take `units` at the most, the working carry and the work tape aside.
///
/// Known count n: A(n, units) step evaluations (mixed_optimum), the fewest there are, as long as
/// n units <= 2^16; beyond it those of mixed_numbers::split, 0.2 % more on average (0.5 % where
/// tapes resume). Just n once units >= tape_units (n-1).
///
/// Unknown count, one sweep. While step tapes fit, the last (units - k) / tape_units of them are
/// kept in a ring, k being the snapshots: x_0 and then one whenever so many steps have run since
/// the last one that their tapes will fit (the work tape included) when it is their turn. So no
/// step is replayed more than once, and the ring's not at all, up to about
/// units^2 / (2 tape_units) steps. Then every carry is stored while units are free, then those that
/// greedy_eviction takes, by the costs of mixed_numbers. The reverse pass is mixed_reversal's.
/// 1.6 % above A(n, units) on average for n <= 300, and within 7 % (units = 2: 13 %) of what
/// binomial makes of as many snapshots for a known count, for every n <= 3000.
///
/// cost    next() O(1) in the ring and with a table, otherwise as greedy_eviction and mixed_numbers
///         (8 to 40 ns a step); the first next() makes the table, 10 ms and 1.3 MB for the largest
/// errors  std::invalid_argument: units < 1, tape_units < 1, steps < 0, finalize(n) with n > steps
/// source  as mixed_optimum; the ring and its intervals are Stumm & Walther's algorithm I (SIAM J.
///         Sci. Comput. 32 (2010) 836-854) with tapes in place of the innermost snapshots
class mixed {
 public:
  static constexpr std::string_view name = "mixed";
  static constexpr std::string_view summary =
      "states and stored stages in one memory, fewest evaluations";
  static constexpr index largest_table = index{1} << 16;

  static mixed make(const schedule_request& r) {
    return {r.slots, r.tape_units, r.tapes_resume, r.steps};
  }

  mixed(index units, index tape_units, bool tapes_resume = false, index steps = unbounded)
      : plan_(units, tape_units),
        known_(steps),
        tapes_resume_(tapes_resume) {
    require(units >= 1, "units", units, "a reverse pass needs at least the initial state", "1");
    require(tape_units >= 1, "tape_units", tape_units, "a tape takes memory", "1");
    require(steps >= 0, "steps", steps, "a loop runs 0 steps or more", "0");
    if (steps != unbounded) plan_.expect(steps);
  }

  action next() {
    if (finalized_) return plan_.next();
    if (known_ != unbounded) return next_of_known();
    if (commit_ != nothing) return next_of_greedy();
    return next_of_ring();
  }

  void finalize(index n) {
    if (n > known_)
      throw std::invalid_argument("n = " + std::to_string(n) + " steps (mixed was told " +
                                  std::to_string(known_) + ") give no count when it is not known?");
    take_back(n);
    plan_.finalize(n, ring_);
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
    if (!prepared_) prepare();
    return plan_.next();
  }

  /// Made with the first action, so that a schedule that is only asked for its slots costs nothing.
  void prepare() {
    prepared_ = true;
    const index enough = known_ > largest_table / plan_.tape_units()
                             ? largest_table + 1
                             : plan_.tape_units() * known_ + 1;
    const index units = std::min(plan_.units(), enough);
    if (known_ < 1 || units > largest_table / known_) return;
    const tape_costs costs{.stage = plan_.tape_units(),
                           .restart = tapes_resume_ ? plan_.tape_units() : 0};
    plan_.follow(std::make_shared<const mixed_optimum>(known_, units, costs), tapes_resume_);
  }

  /// Tapes that fit beside so many snapshots.
  index ring_size(index snapshots) const {
    return (plan_.units() - snapshots) / plan_.tape_units();
  }

  action next_of_ring() {
    const auto stored = static_cast<index>(plan_.items().size());
    if (plan_.position() == next_snapshot_) {
      const index size = ring_size(stored + 1);
      if (size == 0) {
        commit_ = plan_.position();
        return next_of_greedy();
      }
      if (static_cast<index>(ring_.size()) > size) return discard_oldest();
      next_snapshot_ += size + 1;
      return plan_.snapshot(plan_.position());
    }
    replaced_ = nothing;
    if (static_cast<index>(ring_.size()) < ring_size(stored)) {
      ring_.push_back({kept_item::tape, plan_.position(), plan_.take_tape_slot()});
      return plan_.record_over(ring_.back());
    }
    kept_item& over = ring_[oldest_];
    if (++oldest_ == ring_.size()) oldest_ = 0;
    replaced_ = std::exchange(over.step, plan_.position());
    return plan_.record_over(over);
  }

  /// Step n was to be recorded and did not exist.
  void take_back(index n) {
    const auto found = std::find_if(ring_.begin(), ring_.end(),
                                    [n](const kept_item& tape) { return tape.step == n; });
    if (found == ring_.end()) return;
    found->step = replaced_;
    if (replaced_ != nothing) return;
    plan_.discard(*found);
    ring_.erase(found);
  }

  action discard_oldest() {
    const kept_item tape = ring_[oldest_];
    ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    if (oldest_ == ring_.size()) oldest_ = 0;
    return plan_.discard(tape);
  }

  /// As online_greedy: x_commit_ is stored when the step after it has run.
  action next_of_greedy() {
    if (plan_.position() != commit_ + 1) return plan_.advance(commit_ + 1);
    if (!ring_.empty()) return discard_oldest();
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
  std::vector<kept_item> ring_;  // tapes of the last steps
  std::size_t oldest_ = 0;
  index replaced_ = nothing;  // step whose tape the last one recorded took the place of
  index next_snapshot_ = 0;
  index commit_ = nothing;   // beyond the ring: the next carry to be stored
  index evicted_ = nothing;  // the rank of the one that it replaces
  std::optional<greedy_eviction_by<cost>> evictions_;
};

static_assert(schedule<mixed>);

}  // namespace revode
