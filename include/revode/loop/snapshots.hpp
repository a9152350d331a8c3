// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <revode/state/algebra.hpp>

namespace revode {

/// Calls visit(x) for every dense array that an object keeps outside itself. A type made of several
/// says so with a static member parts(self, visit), which calls visit for each of its parts.
template <class T, class Visit>
void for_each_array(T& object, Visit&& visit) {
  if constexpr (requires { std::remove_const_t<T>::parts(object, visit); }) {
    std::remove_const_t<T>::parts(object, [&](auto& part) { for_each_array(part, visit); });
  } else if constexpr (dense<T> && !std::is_trivially_copyable_v<std::remove_const_t<T>>) {
    visit(object);
  }
}

/// Calls visit(first byte, bytes) for everything that an object consists of: its parts where it names
/// them, otherwise its elements, or itself when it is trivial.
template <class T, class Visit>
void for_each_piece(T& object, Visit&& visit) {
  if constexpr (requires { T::parts(object, visit); }) {
    T::parts(object, [&](auto& part) { for_each_piece(part, visit); });
  } else if constexpr (std::is_empty_v<T>) {
    return;
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    visit(&object, sizeof(T));
  } else {
    static_assert(dense<T>,
                  "this part of a tape is neither trivial nor dense: name its parts in a static "
                  "member parts(self, visit)?");
    visit(object.data(), static_cast<std::size_t>(bytes_of(object)));
  }
}

/// Bytes of an object and of the arrays it owns.
template <class T>
index footprint(const T& object) {
  index bytes = static_cast<index>(sizeof(T));
  if constexpr (!std::is_trivially_copyable_v<T>)
    for_each_array(object, [&](const auto& array) { bytes += bytes_of(array); });
  return bytes;
}

/// Numbered snapshot slots, each made when it is first used and then kept for reuse.
template <class Snapshot>
class snapshot_pool {
 public:
  template <class Fill>
  void store(index slot, Fill&& fill) {
    const auto i = static_cast<std::size_t>(slot);
    if (i >= slots_.size()) slots_.resize(i + 1);
    if (!slots_[i].used) ++live_;
    slots_[i].used = true;
    fill(slots_[i].content);
    peak_ = std::max(peak_, live_);
    ++written_;
  }
  const Snapshot& at(index slot) const {
    REVODE_EXPECT(slots_[static_cast<std::size_t>(slot)].used);
    return *slots_[static_cast<std::size_t>(slot)].content;
  }
  void drop(index slot) {
    slots_[static_cast<std::size_t>(slot)].used = false;
    --live_;
  }

  index live() const { return live_; }
  index peak() const { return peak_; }
  index written() const { return written_; }

 private:
  struct entry {
    std::optional<Snapshot> content;
    bool used = false;
  };
  std::vector<entry> slots_;
  index live_ = 0, peak_ = 0, written_ = 0;
};

/// A growing array of objects in blocks of 4,096, so that growth moves nothing and is rare.
template <class T>
class block_array {
 public:
  static constexpr index block_size = 4096;

  T& operator[](index i) {
    const auto block = static_cast<std::size_t>(i / block_size);
    while (blocks_.size() <= block)
      blocks_.push_back(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(block_size)));
    return blocks_[block][static_cast<std::size_t>(i % block_size)];
  }
  const T& operator[](index i) const {
    return blocks_[static_cast<std::size_t>(i / block_size)]
                  [static_cast<std::size_t>(i % block_size)];
  }
  index allocated_bytes() const {
    return static_cast<index>(blocks_.size() * sizeof(T)) * block_size;
  }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
};

/// Numbered tapes. Trivial ones are recorded in place; others are flattened into blocks, so that
/// no step allocates.
template <class Tape>
class tape_store {
 public:
  static constexpr bool in_place = std::is_trivially_copyable_v<Tape>;

  /// Where to record tape `slot`: its own place, or `work` followed by keep().
  Tape& recorder(index slot, Tape& work) {
    if constexpr (in_place) return tapes_[slot];
    else return work;
  }
  void keep(index slot, const Tape& work) {
    used_ = std::max(used_, slot + 1);
    if constexpr (!in_place) transfer(slot, const_cast<Tape&>(work), true);
  }
  /// Tape `slot`, read through `work` when it is stored flat.
  const Tape& at(index slot, Tape& work) {
    if constexpr (in_place) {
      return tapes_[slot];
    } else {
      transfer(slot, work, false);
      return work;
    }
  }
  index peak() const { return used_; }
  index bytes(const Tape& like) const { return used_ * footprint(like); }

 private:
  void transfer(index slot, Tape& tape, bool store) {
    std::size_t size = 0;
    for_each_piece(tape, [&](void*, std::size_t bytes) { size += bytes; });
    const auto block = static_cast<std::size_t>(slot / 4096);
    while (flat_.size() <= block)
      flat_.push_back(std::make_unique_for_overwrite<std::byte[]>(size * 4096));
    std::byte* place = flat_[block].get() + size * static_cast<std::size_t>(slot % 4096);
    for_each_piece(tape, [&](void* data, std::size_t bytes) {
      if (store) std::memcpy(place, data, bytes);
      else std::memcpy(data, place, bytes);
      place += bytes;
    });
  }

  struct unused {};
  std::conditional_t<in_place, block_array<Tape>, unused> tapes_;
  std::vector<std::unique_ptr<std::byte[]>> flat_;
  index used_ = 0;
};

}  // namespace revode
