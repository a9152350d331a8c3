// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <revode/schedule/action.hpp>
#include <revode/schedule/mixed/mixed_decisions.hpp>
#include <revode/schedule/mixed/mixed_items.hpp>
#include <revode/schedule/mixed/mixed_numbers.hpp>
#include <revode/schedule/reversal.hpp>

namespace revode {

/// The reversal of steps with snapshots and step tapes in common units, from whatever of both a
/// first sweep left behind; also the first sweep of a known count. It follows the decisions of an
/// optimum where there are some. Otherwise all tapes of a stretch are kept as soon as they fit, its
/// start given up for them, and mixed_numbers::split says where snapshots go; it never resumes.
/// cost    next() that of mixed_decisions::find, or of mixed_numbers
class mixed_reversal {
 public:
  mixed_reversal(index units, index tape_units)
      : units_(units),
        free_(units),
        tape_units_(tape_units),
        numbers_(tape_units) {}

  /// All tapes resume, or none do, as where the decisions come from.
  void follow(std::shared_ptr<const mixed_decisions> decisions, bool tapes_resume) {
    decisions_ = std::move(decisions);
    resumes_ = tapes_resume;
  }

  index units() const { return units_; }
  index tape_units() const { return tape_units_; }
  index position() const { return position_; }
  index end() const { return end_; }

  // The first sweep, where the count is not known.
  action advance(index to) { return run(op::advance, to, work); }
  /// Records the next step in a slot that holds an older tape, or in a fresh one.
  action record_over(const kept_item& old) { return run(op::record, position_ + 1, old.slot); }
  action snapshot(index step) {
    --free_;
    items_.push_back({kept_item::snapshot, step, snapshots_.take()});
    return {.what = op::snapshot, .from = step, .slot = items_.back().slot};
  }
  index take_tape_slot() {
    free_ -= tape_units_;
    return tapes_.take();
  }
  action discard(const kept_item& tape) {
    give_tape(tape.slot);
    return {.what = op::discard, .from = tape.step, .slot = tape.slot};
  }

  void expect(index n) { end_ = n; }

  /// Room for what is kept of n steps at once, so that no later action allocates.
  void reserve(index n) {
    const index tapes = std::min(units_ / tape_units_, n), snapshots = std::min(units_, n);
    items_.reserve(static_cast<std::size_t>(std::min(units_, snapshots + tapes)));
    snapshots_.reserve(snapshots);
    tapes_.reserve(tapes);
  }

  /// Takes over the snapshots of another's first sweep.
  void adopt(const reversal& swept) {
    for (const stored_step& place : swept.places()) {
      snapshots_.take();
      if (static_cast<index>(items_.size()) == swept.live()) {
        snapshots_.give(place.slot);
        continue;
      }
      items_.push_back({kept_item::snapshot, place.step, place.slot});
      --free_;
    }
  }

  /// n steps have run; the tapes of the last ones are these, besides those that next() asked for.
  void finalize(index n, const std::vector<kept_item>& tapes = {}) {
    if (tops(kept_item::tape, n)) {  // there was no such step
      give_tape(items_.back().slot);
      items_.pop_back();
    }
    items_.insert(items_.end(), tapes.begin(), tapes.end());
    std::sort(items_.begin(), items_.end());
    end_ = n;
    position_ = nowhere;
    work_live_ = n > 0 && std::none_of(items_.begin(), items_.end(), [n](const kept_item& item) {
                   return item.what == kept_item::tape && item.step == n - 1;
                 });
  }

  action next() {
    if (work_live_) {
      work_live_ = false;
      return pull(work);
    }
    if (tops(kept_item::tape, end_ - 1)) {
      const index slot = items_.back().slot;
      items_.pop_back();
      give_tape(slot);
      return pull(slot);
    }
    if (!items_.empty() && items_.back().step >= end_) return drop_top();
    if (end_ == 0) return {};
    if (position_ == nowhere) return return_to_top();
    if (position_ == end_ - 1) {
      work_live_ = true;
      return run(op::record, end_, work);
    }
    return carry_out(chosen());
  }

 private:
  static constexpr index nowhere = -1;

  bool tops(kept_item::kind what, index step) const {
    return !items_.empty() && items_.back().what == what && items_.back().step == step;
  }

  action run(op what, index to, index slot) {
    const index from = std::exchange(position_, to);
    return {.what = what, .from = from, .to = to, .slot = slot};
  }
  action pull(index slot) {
    position_ = nowhere;
    --end_;
    return {.what = op::pull, .from = end_, .slot = slot};
  }
  /// Gives up the last item, a snapshot.
  action drop_top() {
    const kept_item given_up = items_.back();
    items_.pop_back();
    ++free_;
    snapshots_.give(given_up.slot);
    return {.what = op::drop, .from = given_up.step, .slot = given_up.slot};
  }
  void give_tape(index slot) {
    free_ += tape_units_;
    tapes_.give(slot);
  }

  action return_to_top() {
    const kept_item& top = items_.back();
    const bool stored = top.what == kept_item::snapshot;
    position_ = stored ? top.step : top.step + 1;
    return {.what = stored ? op::restore : op::resume, .from = position_, .slot = top.slot};
  }

  start_kind start() const {
    if (tops(kept_item::snapshot, position_)) return start_kind::stored;
    const bool resumable = resumes_ && tops(kept_item::tape, position_ - 1);
    return resumable ? start_kind::resumable : start_kind::passing;
  }

  mixed_choice chosen() {
    if (std::exchange(given_up_, false)) return {mixed_choice::tape};
    const index n = end_ - position_;
    const start_kind from = start();
    if (decisions_)
      if (const auto decided = decisions_->find(from, n, free_)) return *decided;
    if (const auto plain = numbers_.plain(from, n, free_, resumes_)) return *plain;
    if (from == start_kind::resumable) return {mixed_choice::store};
    return {mixed_choice::advance, numbers_.split(n, free_ + 1)};
  }

  action carry_out(const mixed_choice& choice) {
    if (choice.what == mixed_choice::store) return snapshot(position_);
    if (choice.what == mixed_choice::advance) return advance(position_ + choice.steps);
    if (start() == start_kind::stored) {
      given_up_ = true;
      return drop_top();
    }
    const kept_item tape{kept_item::tape, position_, take_tape_slot()};
    items_.push_back(tape);
    return record_over(tape);
  }

  index units_, free_, tape_units_;
  mixed_numbers numbers_;
  std::shared_ptr<const mixed_decisions> decisions_;
  std::vector<kept_item> items_;  // ascending
  slot_numbers snapshots_, tapes_;
  index end_ = unbounded;  // steps end_, end_+1, ... have been pulled, or do not exist
  index position_ = 0;     // of the working carry
  bool resumes_ = false, work_live_ = false;
  bool given_up_ = false;  // a snapshot, for the tape of its step
};

}  // namespace revode
