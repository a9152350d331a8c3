// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// Something kept while steps are reversed: the carry before `step`, or the tape of `step`.
struct kept_item {
  enum kind : std::uint8_t { snapshot, tape } what;
  index step;
  index slot;

  /// By step, at one step the snapshot before the tape.
  bool operator<(const kept_item& o) const {
    return step < o.step || (step == o.step && what < o.what);
  }
};

/// Slot numbers, the lowest that was never used or the one emptied last.
class slot_numbers {
 public:
  index take() {
    if (free_.empty()) return used_++;
    const index slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give(index slot) { free_.push_back(slot); }
  void reserve(index slots) { free_.reserve(static_cast<std::size_t>(slots)); }

 private:
  std::vector<index> free_;
  index used_ = 0;
};

}  // namespace revode
