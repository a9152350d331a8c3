// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include <revode/loop/snapshots.hpp>
#include <revode/schedule/action.hpp>

namespace revode {

/// Numbered tapes. Trivial ones are recorded in place; others are flattened into bytes, so that no
/// step allocates. Memory comes in blocks of 4,096 tapes (fewer where fewer slots are left), or,
/// when they are freed one by one, tape by tape.
template <class Tape>
class tape_store {
 public:
  static constexpr bool in_place = std::is_trivially_copyable_v<Tape>;

  explicit tape_store(index slots = unbounded, bool singly = false)
      : slots_(slots),
        shift_(singly ? 0 : 12) {}

  /// Where to record tape `slot`: its own place, or `work` followed by keep().
  Tape& recorder(index slot, Tape& work) {
    if constexpr (in_place)
      return *place(slot, 1);
    else
      return work;
  }
  void keep(index slot, const Tape& work) {
    if constexpr (!in_place) transfer(slot, const_cast<Tape&>(work), true);
    bool& full = block_of(slot).full;
    if (shift_ == 0) live_ += !full;
    full = true;
    peak_ = std::max(peak_, shift_ == 0 ? live_ : slot + 1);
  }
  /// Tape `slot`, read through `work` when it is stored flat.
  const Tape& at(index slot, Tape& work) {
    if constexpr (in_place) {
      return *place(slot, 1);
    } else {
      transfer(slot, work, false);
      return work;
    }
  }

  // Tapes that are freed one by one.
  bool made(index slot) const {
    const auto i = static_cast<std::size_t>(slot >> shift_);
    return i < blocks_.size() && blocks_[i].data;
  }
  /// Empties a slot and keeps its memory.
  void drop(index slot) {
    if (shift_ == 0 && std::exchange(block_of(slot).full, false)) --live_;
  }
  void free(index slot) {
    drop(slot);
    if (shift_ == 0) release(block_of(slot));
  }
  /// Frees the memory of an empty slot; false when none has any.
  bool free_one() {
    if (shift_ > 0) return false;
    for (block& b : blocks_)
      if (!b.full && b.data) {
        release(b);
        return true;
      }
    return false;
  }

  index made() const { return made_; }  ///< blocks that have memory
  index peak() const { return peak_; }
  index bytes(const Tape& like) const { return peak_ * footprint(like); }

 private:
  using unit = std::conditional_t<in_place, Tape, std::byte>;
  struct block {
    std::unique_ptr<unit[]> data;
    bool full = false;
  };

  block& block_of(index slot) {
    const auto i = static_cast<std::size_t>(slot >> shift_);
    if (i >= blocks_.size()) blocks_.resize(i + 1);
    return blocks_[i];
  }

  /// The place of a tape of so many units, in a block that is made if need be.
  unit* place(index slot, std::size_t size) {
    block& b = block_of(slot);
    const index first = slot >> shift_ << shift_;
    if (!b.data) {
      const index tapes = std::min(index{1} << shift_, slots_ - first);
      b.data = std::make_unique_for_overwrite<unit[]>(static_cast<std::size_t>(tapes) * size);
      ++made_;
    }
    return b.data.get() + static_cast<std::size_t>(slot - first) * size;
  }

  void release(block& b) {
    b.data.reset();
    --made_;
  }

  void transfer(index slot, Tape& tape, bool store) {
    std::size_t size = 0;
    for_each_piece(tape, [&](void*, std::size_t bytes) { size += bytes; });
    std::byte* at = place(slot, size);
    for_each_piece(tape, [&](void* data, std::size_t bytes) {
      if (store)
        std::memcpy(at, data, bytes);
      else
        std::memcpy(data, at, bytes);
      at += bytes;
    });
  }

  std::vector<block> blocks_;
  index slots_;
  int shift_;
  index made_ = 0, live_ = 0, peak_ = 0;
};

}  // namespace revode
