// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <revode/schedule/online/greedy_eviction.hpp>

namespace revode {

/// What greedy_eviction decides for 2..most_slots slots and steps up to last_step, computed when
/// the library is built (src/schedule/generate_online_table.cpp). Entries of 16 bits, four a word:
/// the steps since the last snapshot in the lower `gap_bits`, the rank above. A gap of 0 has its
/// value in the next two entries (upper half first), or ends the slot count when the rank is 0 too.
struct online_table {
  static constexpr index most_slots = 64;
  static constexpr index last_step = 100'000;
  static constexpr int gap_bits = 10;

  static const std::uint64_t words[];
  static const std::uint32_t begin[most_slots + 1];  ///< the first entry of each slot count

  static index entry(std::size_t i) {
    return static_cast<index>((words[i / 4] >> (16 * (i % 4))) & 0xffff);
  }
};

/// The evictions of greedy_eviction from snapshots before steps 0..slots-1 on, read from the table
/// as far as it goes and then computed.
/// cost    next(): a few ns from the table; beyond it greedy_eviction's, and its memory
class online_evictions {
 public:
  explicit online_evictions(index slots)
      : entry_(slots <= online_table::most_slots
                   ? online_table::begin[static_cast<std::size_t>(slots)]
                   : nowhere) {}

  /// The next eviction; newest is the last step stored, steps() what is stored.
  template <class Steps>
  greedy_eviction::decision next(index newest, Steps&& steps) {
    if (entry_ != nowhere) {
      const index packed = online_table::entry(entry_++);
      const index rank = packed >> online_table::gap_bits;
      const index gap = packed & ((index{1} << online_table::gap_bits) - 1);
      if (gap > 0) return {newest + gap, rank};
      if (rank > 0) return {newest + long_gap(), rank};
      entry_ = nowhere;
    }
    if (computed_.empty()) computed_.emplace_back(steps());
    return computed_.front().next();
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  index long_gap() {
    const index upper = online_table::entry(entry_++);
    return (upper << 16) + online_table::entry(entry_++);
  }

  std::size_t entry_;
  std::vector<greedy_eviction> computed_;  // at most one
};

}  // namespace revode
