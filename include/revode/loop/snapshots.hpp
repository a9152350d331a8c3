// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/loop/tiers.hpp>
#include <revode/schedule/heap_bytes.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Calls visit(x) for every dense array that an object keeps outside itself. A type made of several
/// says so with a static member parts(self, visit), which calls visit for each of its parts; one whose parts
/// are of types that are not known here visits them itself, by members arrays(visit) and pieces(visit).
template <class T, class Visit>
void for_each_array(T& object, Visit&& visit) {
  if constexpr (requires { object.arrays(visit); }) {
    object.arrays(visit);
  } else if constexpr (requires { std::remove_const_t<T>::parts(object, visit); }) {
    std::remove_const_t<T>::parts(object, [&](auto& part) { for_each_array(part, visit); });
  } else if constexpr (dense<T> && !std::is_trivially_copyable_v<std::remove_const_t<T>>) {
    visit(object);
  }
}

/// Calls visit(first byte, bytes) for everything that an object consists of: its parts where it names
/// them, otherwise its elements, or itself when it is trivial.
template <class T, class Visit>
void for_each_piece(T& object, Visit&& visit) {
  if constexpr (requires { object.pieces(visit); }) {
    object.pieces(visit);
  } else if constexpr (requires { T::parts(object, visit); }) {
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

/// Bytes of what an object keeps outside itself, rounded up as an allocator might.
template <class T>
index bytes_outside(const T& object) {
  index bytes = 0;
  if constexpr (!std::is_trivially_copyable_v<T>)
    for_each_array(object, [&](const auto& array) { bytes += heap_bytes(bytes_of(array)); });
  return bytes;
}
/// What plans count for a slot with this snapshot.
template <class Snapshot>
index planned_bytes(const Snapshot& like) {
  return heap_bytes(sizeof(std::optional<Snapshot>)) + bytes_outside(like);
}

/// Numbered snapshot slots. Those below `slow` lie in a slow pool as bytes, one buffer and one
/// snapshot stand before it; the others are made when they are first used and then kept for reuse.
/// Content goes to a slow pool through for_each_piece: a snapshot type there names all its members
/// in parts(self, visit), unless it is trivial.
/// errors  what the slow pool throws; the slot is then empty
template <class Snapshot>
class snapshot_pool {
 public:
  explicit snapshot_pool(index slow = 0, std::unique_ptr<slow_pool> pool = nullptr)
      : slow_(slow),
        pool_(std::move(pool)) {
    if (slow_ > 0 && !pool_) pool_ = std::make_unique<memory_pool>();
  }

  template <class Fill>
  void store(index slot, Fill&& fill) {
    entry& e = at_least(slot);
    if (slot < slow_) {
      fill(front_);
      gather(*front_);
      pool_->store(slot, buffer_);
      ++slow_written_;
    } else {
      if (!e.content) {
        e.content = std::make_unique<std::optional<Snapshot>>();
        ++made_;
      }
      fill(*e.content);
    }
    if (!e.used) ++live_;
    e.used = true;
    peak_ = std::max(peak_, live_);
    ++written_;
  }

  /// What slot holds; the content of a slow one until the next call.
  const Snapshot& at(index slot) {
    const entry& e = slots_[static_cast<std::size_t>(slot)];
    REVODE_EXPECT(e.used);
    if (slot >= slow_) return **e.content;
    pool_->load(slot, buffer_);
    scatter(*front_);
    ++slow_read_;
    return *front_;
  }
  void drop(index slot) {
    slots_[static_cast<std::size_t>(slot)].used = false;
    --live_;
    if (slot < slow_) pool_->drop(slot);
  }

  void move(index slot, index to) {
    if (slot < slow_) at(slot);
    drop(slot);
    store(to, [&](std::optional<Snapshot>& place) {
      if (slot >= slow_)
        place = *slots_[static_cast<std::size_t>(slot)].content;
      else if (to >= slow_)
        place = front_;
    });
    --written_;
  }

  /// Empties every slot, keeps the memory, and counts from 0 again.
  void clear() {
    for (index slot = 0; slot < static_cast<index>(slots_.size()); ++slot)
      if (slots_[static_cast<std::size_t>(slot)].used) drop(slot);
    peak_ = written_ = slow_written_ = slow_read_ = 0;
  }

  index live() const { return live_; }
  index peak() const { return peak_; }
  index written() const { return written_; }
  index slow_written() const { return slow_written_; }
  index slow_read() const { return slow_read_; }
  index made() const { return made_; }  ///< snapshots that have memory here, the front's aside

 private:
  friend struct kept_parts;
  struct entry {
    std::unique_ptr<std::optional<Snapshot>> content;  // on its own, so that it can be freed
    bool used = false;
  };

  entry& at_least(index slot) {
    const auto i = static_cast<std::size_t>(slot);
    if (i >= slots_.size()) slots_.resize(i + 1);
    return slots_[i];
  }

  void gather(Snapshot& from) {
    std::size_t size = 0;
    for_each_piece(from, [&](void*, std::size_t bytes) { size += bytes; });
    buffer_.resize(size);
    std::byte* place = buffer_.data();
    for_each_piece(from, [&](const void* data, std::size_t bytes) {
      std::memcpy(place, data, bytes);
      place += bytes;
    });
  }
  void scatter(Snapshot& to) {
    const std::byte* place = buffer_.data();
    for_each_piece(to, [&](void* data, std::size_t bytes) {
      std::memcpy(data, place, bytes);
      place += bytes;
    });
  }

  std::vector<entry> slots_;
  index slow_;
  std::unique_ptr<slow_pool> pool_;
  std::optional<Snapshot> front_;
  std::vector<std::byte> buffer_;
  index live_ = 0, peak_ = 0, written_ = 0, slow_written_ = 0, slow_read_ = 0, made_ = 0;
};

}  // namespace revode
