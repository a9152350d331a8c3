// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <revode/schedule/mixed/mixed_reversal.hpp>

namespace revode {

/// The tapes of the last steps of a first sweep, in slots and units of its reversal.
/// cost    O(1) a step, O(tapes) for a discarded one; no allocation beyond that of reserve
class tape_ring {
 public:
  void reserve(index tapes) { tapes_.reserve(static_cast<std::size_t>(tapes)); }
  index size() const { return static_cast<index>(tapes_.size()); }
  const std::vector<kept_item>& tapes() const { return tapes_; }

  /// Records the next step, in place of the oldest when there are `most` tapes.
  action record(mixed_reversal& plan, index most) {
    replaced_ = nothing;
    if (size() < most) {
      tapes_.push_back({kept_item::tape, plan.position(), plan.take_tape_slot()});
      return plan.record_over(tapes_.back());
    }
    kept_item& over = tapes_[oldest_];
    if (++oldest_ == tapes_.size()) oldest_ = 0;
    replaced_ = std::exchange(over.step, plan.position());
    return plan.record_over(over);
  }

  action discard_oldest(mixed_reversal& plan) {
    const kept_item tape = tapes_[oldest_];
    tapes_.erase(tapes_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    if (oldest_ == tapes_.size()) oldest_ = 0;
    return plan.discard(tape);
  }

  /// Step n was to be recorded and did not exist.
  void take_back(mixed_reversal& plan, index n) {
    const auto found = std::find_if(tapes_.begin(), tapes_.end(),
                                    [n](const kept_item& tape) { return tape.step == n; });
    if (found == tapes_.end()) return;
    found->step = replaced_;
    if (replaced_ != nothing) return;
    plan.discard(*found);
    tapes_.erase(found);
  }

 private:
  static constexpr index nothing = -1;

  std::vector<kept_item> tapes_;
  std::size_t oldest_ = 0;
  index replaced_ = nothing;  // step whose tape the last one recorded took the place of
};

}  // namespace revode
