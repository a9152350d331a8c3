// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/schedule/action.hpp>

namespace revode {

/// What a schedule did for a loop of n steps.
struct audit_counts {
  index forward_steps = 0;   // all step evaluations, the first sweep's included
  index replayed_steps = 0;  // those after the first sweep
  index recorded = 0;        // those that a record asked for
  index snapshots_written = 0;
  index restores = 0;
  index moves = 0;
  index slow_written = 0;  // those of the slow slots, moves included
  index slow_restores = 0;
  index resumes = 0;
  index peak_snapshots = 0;
  index peak_tapes = 0;  // tape slots; the work tape is not counted
  index peak_units = 0;  // snapshots + tape_units * tapes
  index pulls = 0;
  index max_visits = 0;  // evaluations of the step that was run most often
  index actions = 0;
  friend bool operator==(const audit_counts&, const audit_counts&) = default;
};

/// A driver that runs integers instead of a loop of n steps, and holds every action against the
/// rules of action.hpp before it obeys it. Stricter than a driver need be in two things: a replayed
/// advance, or a record into slots, leaves no valid work tape behind.
/// errors  std::logic_error: the number of the action, the action, the rule that it breaks
class auditor {
 public:
  template <schedule S>
  auditor(index n, const S& plan)
      : n_(n),
        snapshot_slots_(plan.snapshot_slots()),
        tape_slots_(plan.tape_slots()),
        units_(units(plan)),
        tape_units_(tape_units(plan)),
        slow_slots_(slow_slots(plan)),
        visits_(static_cast<std::size_t>(n), 0) {}

  /// Obeys one action and returns it as it was carried out (`to` cut at n).
  action execute(action a) {
    current_ = a;
    ++counts_.actions;
    // Between two pulls at most every step is run, stored and dropped once.
    require(++idle_ <= 4 * n_ + 64, "so many actions without a pull never end");
    switch (a.what) {
      case op::advance:
      case op::record: run(a); break;
      case op::snapshot: snapshot(a); break;
      case op::restore: restore(a); break;
      case op::drop: require(snapshots_.erase(a.slot) == 1, "the slot is empty"); break;
      case op::move: move(a); break;
      case op::resume: resume(a); break;
      case op::discard: require(tapes_.erase(a.slot) == 1, "the tape slot is empty"); break;
      case op::pull: pull(a); break;
      case op::done: finish(); break;
    }
    weigh();
    return current_;
  }

  /// The first sweep has ended: the adjoint stands at x_n.
  void finalize() {
    finalized_ = true;
    idle_ = 0;
    adjoint_ = n_;
  }

  index position() const { return position_; }
  const audit_counts& counts() const { return counts_; }

 private:
  static constexpr index nothing = -1;

  void require(bool kept, const char* rule) const {
    if (kept) return;
    throw std::logic_error("action " + std::to_string(counts_.actions - 1) + " (" +
                           describe(current_) + "): " + rule);
  }

  void run(action a) {
    require(a.from == position_, "the working carry is that of another step");
    if (finalized_) {
      require(a.to <= adjoint_, "it runs past the adjoint");
      require(a.from < a.to, "it runs no step");
    } else {
      require(a.from < a.to, "it runs no step");
      a.to = current_.to = std::min(a.to, n_);
    }
    for (index i = a.from; i < a.to; ++i) visit(i);
    position_ = a.to;
    const index count = a.to - a.from;
    counts_.forward_steps += count;
    counts_.replayed_steps += finalized_ ? count : 0;
    const bool recorded = a.what == op::record;
    if (count > 0) work_tape_ = a.slot == work && (recorded || !finalized_) ? a.to - 1 : nothing;
    if (recorded) keep_tapes(a);
  }

  void visit(index i) {
    index& visits = visits_[static_cast<std::size_t>(i)];
    counts_.max_visits = std::max(counts_.max_visits, ++visits);
  }

  void keep_tapes(const action& a) {
    counts_.recorded += a.to - a.from;
    if (a.slot == work) return;
    require(a.slot >= 0 && a.slot < tape_slots_, "there is no such tape slot");
    for (index i = a.from; i < a.to; ++i) tapes_[(a.slot + (i - a.from)) % tape_slots_] = i;
  }

  void weigh() {
    const auto snapshots = static_cast<index>(snapshots_.size());
    const auto tapes = static_cast<index>(tapes_.size());
    const index used = snapshots + tape_units_ * tapes;
    require(used <= units_, "it takes more units than there are");
    counts_.peak_snapshots = std::max(counts_.peak_snapshots, snapshots);
    counts_.peak_tapes = std::max(counts_.peak_tapes, tapes);
    counts_.peak_units = std::max(counts_.peak_units, used);
  }

  void snapshot(const action& a) {
    const bool previous = !finalized_ && a.from == position_ - 1 && a.from == work_tape_;
    require(a.from == position_ || (previous && a.from >= 0),
            "the working carry is that of another step");
    require(a.slot >= 0 && a.slot < snapshot_slots_, "there is no such snapshot slot");
    require(snapshots_.emplace(a.slot, a.from).second, "the slot is full");
    ++counts_.snapshots_written;
    counts_.slow_written += a.slot < slow_slots_;
  }

  void restore(const action& a) {
    require(finalized_, "the first sweep has not ended");
    const auto found = snapshots_.find(a.slot);
    require(found != snapshots_.end(), "the slot is empty");
    require(found->second == a.from, "the slot holds another step's carry");
    position_ = a.from;
    ++counts_.restores;
    counts_.slow_restores += a.slot < slow_slots_;
  }

  void move(const action& a) {
    const auto found = snapshots_.find(a.slot);
    require(found != snapshots_.end(), "the slot is empty");
    require(found->second == a.from, "the slot holds another step's carry");
    require(a.to >= 0 && a.to < snapshot_slots_, "there is no such snapshot slot");
    require(snapshots_.emplace(a.to, a.from).second, "the slot is full");
    snapshots_.erase(a.slot);
    ++counts_.moves;
    counts_.slow_written += a.to < slow_slots_;
    counts_.slow_restores += a.slot < slow_slots_;
  }

  void resume(const action& a) {
    require(finalized_, "the first sweep has not ended");
    require(a.from <= adjoint_, "it stands past the adjoint");
    const auto found = tapes_.find(a.slot);
    require(found != tapes_.end(), "the tape slot is empty");
    require(found->second == a.from - 1, "the tape slot holds another step's tape");
    position_ = a.from;
    ++counts_.resumes;
  }

  void pull(const action& a) {
    require(finalized_, "the first sweep has not ended");
    require(a.from == adjoint_ - 1, "the adjoint stands at another step");
    if (a.slot == work) {
      require(work_tape_ == a.from, "the work tape is not that of this step");
      work_tape_ = nothing;
    } else {
      const auto found = tapes_.find(a.slot);
      require(found != tapes_.end(), "the tape slot is empty");
      require(found->second == a.from, "the tape slot holds another step's tape");
      tapes_.erase(found);
    }
    --adjoint_;
    ++counts_.pulls;
    idle_ = 0;
  }

  void finish() const {
    require(finalized_, "the first sweep has not ended");
    require(adjoint_ == 0, "there are steps left to pull");
    require(snapshots_.empty(), "a snapshot slot is still full");
    require(tapes_.empty(), "a tape slot is still full");
  }

  index n_, snapshot_slots_, tape_slots_, units_, tape_units_, slow_slots_;
  std::vector<index> visits_;
  std::map<index, index> snapshots_;  // slot -> step whose carry it holds
  std::map<index, index> tapes_;      // slot -> step whose tape it holds
  index position_ = 0;                // of the working carry
  index work_tape_ = nothing;         // step whose tape is in the work tape
  index adjoint_ = nothing;           // the first step already pulled
  index idle_ = 0;                    // actions since the last pull
  bool finalized_ = false;
  action current_;
  audit_counts counts_;
};

/// When the driver notices that the loop has ended: right after its last step, or only when the
/// next advance or record finds nothing to run. A schedule must stand both.
enum class loop_end : std::uint8_t { noticed_at_once, noticed_late };

/// Runs a schedule for a loop of n steps on integers, checks every action and counts; `watch` sees
/// each action as it was carried out.
/// cost    O(step evaluations) time, O(n) memory
/// errors  std::logic_error: the number of the action, the action, the rule that it breaks
template <schedule S, class Watch>
audit_counts audit(S plan, index n, Watch&& watch, loop_end end = loop_end::noticed_at_once) {
  auditor checker(n, plan);
  bool ended = n == 0 && end == loop_end::noticed_at_once;
  while (!ended) {
    const action wanted = plan.next();
    watch(checker.execute(wanted));
    ended = end == loop_end::noticed_at_once
                ? checker.position() == n
                : (wanted.what == op::advance || wanted.what == op::record) && wanted.to > n;
  }
  plan.finalize(n);
  checker.finalize();
  for (op what = op::advance; what != op::done;) {
    const action wanted = plan.next();
    watch(checker.execute(wanted));
    what = wanted.what;
  }
  return checker.counts();
}

template <schedule S>
audit_counts audit(S plan, index n, loop_end end = loop_end::noticed_at_once) {
  return audit(
      std::move(plan), n, [](const action&) {}, end);
}

}  // namespace revode
