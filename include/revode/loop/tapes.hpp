// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/config.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/loop/units.hpp>
#include <revode/schedule/action.hpp>

namespace revode {

/// Numbered tapes. Trivial ones are recorded in place; others are flattened into bytes, so that no
/// step allocates. Memory comes in blocks of 4,096 tapes, then of 16,384 (fewer where fewer slots are
/// left), or from cells that are shared with snapshots, flat. An allocator that keeps twice the
/// largest block it saw freed (glibc's) so keeps 10^4 tapes: the next gradient meets no fresh pages,
/// which would cost more than its pulls. A tape that says `varies` changes its size from step to step, and
/// says it in its first part: each has memory of its own.
template <class Tape>
class tape_store {
 public:
  /// Tapes of calls of the field stay where they are; they are held here beside the step's.
  static constexpr bool has_calls = requires(Tape & tape) { tape.calls.leave_room(); };
  static constexpr bool in_place = std::is_trivially_copyable_v<Tape>;
  static constexpr bool varies = requires { requires Tape::varies; };

  explicit tape_store(index slots = unbounded, std::shared_ptr<unit_cells> cells = nullptr)
      : slots_(slots),
        cells_(std::move(cells)) {}

  /// Where to record tape `slot`: its own place, or `work` followed by keep().
  Tape& recorder(index slot, Tape& work) {
    make_room(work);
    if constexpr (in_place)
      if (!cells_) return *place(slot, 1);
    return work;
  }
  void keep(index slot, Tape& work) {
    keep_calls(slot, work);
    if (cells_) {
      index& chain = chain_of(slot);
      if (chain == unit_cells::none) peak_ = std::max(peak_, ++live_);
      return cells_->store(chain, pieces_of(work));
    }
    if constexpr (!in_place) transfer(slot, work, true);
    peak_ = std::max(peak_, slot + 1);
  }
  /// Tape `slot`, read through `work` when it is stored flat.
  const Tape& at(index slot, Tape& work) {
    if constexpr (has_calls) {
      work.calls.clear();
      if (static_cast<std::size_t>(slot) < calls_.size())
        work.calls = calls_[static_cast<std::size_t>(slot)];
    }
    if (cells_) {
      cells_->load(chain_of(slot), pieces_of(work));
      return work;
    }
    if constexpr (in_place) {
      return *place(slot, 1);
    } else {
      transfer(slot, work, false);
      return work;
    }
  }

  /// Empties a slot: its cells can be used again, a place in a block remains.
  void drop(index slot) {
    if constexpr (has_calls)
      if (static_cast<std::size_t>(slot) < calls_.size())
        drop_calls(static_cast<std::size_t>(slot));
    if (!cells_ || chain_of(slot) == unit_cells::none) return;
    cells_->give(chain_of(slot));
    --live_;
  }

  /// Empties every slot, keeps the memory, and counts from 0 again.
  void clear() {
    for (index slot = 0; slot < static_cast<index>(chains_.size()); ++slot) drop(slot);
    if constexpr (has_calls) {
      calls_.clear();
      with_calls_ = oldest_ = 0;
    }
    peak_ = 0;
  }

  index peak() const { return peak_; }
  index bytes(const Tape& like) const {
    if (!varies || cells_) return peak_ * bytes_of_one(like);
    index sum = 0;
    for (const auto& tape : alone_) sum += static_cast<index>(tape.capacity());
    return sum;
  }

 private:
  friend struct kept_parts;
  using unit = std::conditional_t<in_place, Tape, std::byte>;
  static constexpr index block_tapes = 16'384, first_block_tapes = 4'096;

  /// As it lies in a block: its pieces, without the object around them.
  static index bytes_of_one(const Tape& like) {
    if constexpr (in_place) return static_cast<index>(sizeof(Tape));
    index bytes = 0;
    for_each_piece(const_cast<Tape&>(like),  // visits read
                   [&](void*, std::size_t piece) { bytes += static_cast<index>(piece); });
    if constexpr (has_calls) bytes += static_cast<index>(sizeof(like.calls));
    return bytes;
  }

  /// The block of a slot, and the first slot of a block.
  static index number(index slot) { return (slot + block_tapes - first_block_tapes) / block_tapes; }
  static index first_of(index number) {
    return std::max<index>(number * block_tapes - block_tapes + first_block_tapes, 0);
  }

  void keep_calls([[maybe_unused]] index slot, [[maybe_unused]] const Tape& work) {
    if constexpr (has_calls) {
      const auto i = static_cast<std::size_t>(slot);
      if (i >= calls_.size()) calls_.resize(i + 1);
      drop_calls(i);
      calls_[i] = work.calls;
      if (calls_[i].any()) ++with_calls_;
    }
  }
  void drop_calls(std::size_t i) {
    if (calls_[i].any()) --with_calls_;
    calls_[i].clear();
  }
  /// For the calls of a step that is recorded next; those of the oldest step go first.
  void make_room([[maybe_unused]] const Tape& work) {
    if constexpr (has_calls)
      while (with_calls_ > 0 && !work.calls.leave_room()) {
        oldest_ = oldest_ < calls_.size() ? oldest_ : 0;
        drop_calls(oldest_++);
      }
  }

  index& chain_of(index slot) {
    const auto i = static_cast<std::size_t>(slot);
    if (i >= chains_.size()) chains_.resize(i + 1, unit_cells::none);
    return chains_[i];
  }
  static auto pieces_of(Tape& tape) {
    return [&tape](auto&& visit) { for_each_piece(tape, visit); };
  }

  /// The place of a tape of so many units, in a block that is made if need be.
  unit* place(index slot, std::size_t size) {
    const index first = first_of(number(slot)), end = first_of(number(slot) + 1);
    const auto block = static_cast<std::size_t>(number(slot));
    if (block >= blocks_.size()) blocks_.resize(block + 1);
    if (!blocks_[block]) {
      const auto tapes = static_cast<std::size_t>(std::min(end, slots_) - first);
      blocks_[block] = std::make_unique_for_overwrite<unit[]>(tapes * size);
    }
    return blocks_[block].get() + static_cast<std::size_t>(slot - first) * size;
  }

  /// The memory of a tape that varies, made large enough.
  std::byte* place_alone(index slot, std::size_t size) {
    const auto i = static_cast<std::size_t>(slot);
    if (i >= alone_.size()) alone_.resize(i + 1);
    if (alone_[i].size() < size) alone_[i].resize(size);
    return alone_[i].data();
  }

  void transfer(index slot, Tape& tape, bool store) {
    std::size_t size = 0;
    for_each_piece(tape, [&](void*, std::size_t bytes) { size += bytes; });
    std::byte* at = nullptr;
    if constexpr (varies)
      at = place_alone(slot, store ? size : 0);
    else
      at = place(slot, size);
    for_each_piece(tape, [&](void* data, std::size_t bytes) {
      if (store)
        std::memcpy(at, data, bytes);
      else
        std::memcpy(data, at, bytes);
      at += bytes;
    });
  }

  std::vector<std::unique_ptr<unit[]>> blocks_;
  std::vector<std::vector<std::byte>> alone_;  // in place of blocks, where tapes vary
  index slots_;
  std::shared_ptr<unit_cells> cells_;
  std::vector<index> chains_;  // by slot, where there are cells
  template <class T>
  static auto calls_of() {
    if constexpr (has_calls)
      return std::vector<std::remove_cvref_t<decltype(std::declval<T&>().calls)>>{};
    else
      return no_calls{};
  }
  [[no_unique_address]] decltype(calls_of<Tape>()) calls_{};  // by slot
  index with_calls_ = 0;                                      // slots that hold some
  std::size_t oldest_ = 0;                                    // of those, or before it
  index live_ = 0, peak_ = 0;
};

}  // namespace revode
