// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// Memory for arrays of T, aligned to 64 bytes and kept for the next array of the same size: a
/// sequence of takes and gives that was seen before allocates nothing.
template <class T>
class array_pool {
 public:
  T* take(std::size_t size) {
    shelf& s = shelf_of(size);
    if (s.free.empty()) {
      s.free.reserve(++s.made);
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size * sizeof(T) + alignment));
      bytes_ += size * sizeof(T);
      void* place = blocks_.back().get();
      std::size_t room = size * sizeof(T) + alignment;
      return std::uninitialized_default_construct_n(
                 static_cast<T*>(std::align(alignment, size * sizeof(T), place, room)), size) -
             size;
    }
    T* array = s.free.back();
    s.free.pop_back();
    return array;
  }
  void give(T* array, std::size_t size) { shelf_of(size).free.push_back(array); }

  /// What all arrays take, in use or not: the most that were ever in use of each size.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t alignment = 64;
  struct shelf {
    std::size_t size, made;
    std::vector<T*> free;
  };
  shelf& shelf_of(std::size_t size) {
    for (shelf& s : shelves_)
      if (s.size == size) return s;
    return shelves_.emplace_back(shelf{size, 0, {}});
  }

  std::vector<shelf> shelves_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t bytes_ = 0;
};

/// The arrays of a recording: values and cotangents, each by its number. A value lives as long as
/// somebody holds it (a variable, or an operation that needs it in its pull); a cotangent from its
/// first contribution until its operation has been pulled. Inputs are referred to, never copied,
/// and their cotangents accumulate where the caller wants them. Copies of a store are empty.
template <class T>
class array_store {
 public:
  array_store() = default;
  array_store(const array_store&) {}
  array_store& operator=(const array_store&) {
    clear();
    return *this;
  }

  /// An input or a constant (bar null). `lent`: the value is only there until the next statement;
  /// keep() copies it.
  int refer(const T* value, std::size_t size, T* bar, bool lent = false) {
    nodes_.push_back({const_cast<T*>(value), bar, size, 0, lent ? place::lent : place::outside,
                      bar != nullptr ? place::outside : place::nowhere, bar != nullptr});
    return static_cast<int>(nodes_.size()) - 1;
  }
  /// A new value, not yet written.
  int make(std::size_t size, bool tracked) {
    nodes_.push_back({pool_.take(size), nullptr, size, 0, place::here, place::nowhere, tracked});
    return static_cast<int>(nodes_.size()) - 1;
  }
  /// A new value that is written, by source->evaluate(memory), when it is first read: never, if
  /// nobody does.
  int make_later(std::size_t size) {
    nodes_.push_back({nullptr, nullptr, size, 0, place::later, place::nowhere, true});
    return static_cast<int>(nodes_.size()) - 1;
  }
  template <class Source>
  void evaluate_by(int id, Source& source) {
    at(id).source = &source;
    at(id).evaluate = [](void* object, T* to) { static_cast<Source*>(object)->evaluate(to); };
  }

  void hold(int id) {
    ++at(id).holders;
    ++held_;
  }
  void release(int id) {
    --held_;
    if (--at(id).holders == 0) forget_value(at(id));
  }
  void keep(int id) {
    node& n = at(id);
    if (n.value_in == place::later) writable(id);
    if (n.value_in != place::lent) return;
    T* copy = pool_.take(n.size);
    std::copy_n(n.value, n.size, copy);
    n.value = copy;
    n.value_in = place::here;
  }

  bool empty() const { return nodes_.empty(); }
  /// How many holders there are, of all values.
  long held() const { return held_; }

  std::size_t size(int id) const { return at(id).size; }
  /// Is it a value that somebody else keeps?
  bool outside(int id) const { return at(id).value_in == place::outside; }
  /// Has it a derivative?
  bool tracked(int id) const { return at(id).tracked; }
  void track(int id) { at(id).tracked = true; }
  const T* value(int id) { return writable(id); }
  T* writable(int id) {
    if (at(id).value_in == place::later) {
      T* memory = pool_.take(at(id).size);
      const node n = at(id);
      n.evaluate(n.source, memory);
      at(id).value = memory;
      at(id).value_in = place::here;
    }
    return at(id).value;
  }
  /// Nobody else would notice a change of the value.
  bool exclusive(int id) {
    return at(id).holders == 1 && writable(id) != nullptr && at(id).value_in == place::here;
  }

  /// The cotangent; null while nothing was contributed.
  const T* bar(int id) const { return at(id).bar; }
  /// The cotangent, 0 at first, to add to.
  T* bar_to_add(int id) {
    node& n = at(id);
    if (n.bar == nullptr) {
      std::fill_n(new_bar(n), n.size, T(0));
    } else if (n.bar_in == place::lent) {
      const T* seed = n.bar;
      std::copy_n(seed, n.size, new_bar(n));
    }
    return n.bar;
  }
  /// Memory for the first contribution, to be overwritten; null where this is not the first.
  T* bar_to_set(int id) {
    node& n = at(id);
    return n.bar == nullptr ? new_bar(n) : nullptr;
  }
  /// The cotangent `from` becomes the first contribution to `to`. False where it cannot.
  bool move_bar(int from, int to) {
    node &a = at(from), &b = at(to);
    if (b.bar != nullptr || a.bar_in == place::outside || a.size != b.size) return false;
    b.bar = a.bar;
    b.bar_in = a.bar_in;
    a.bar = nullptr;
    a.bar_in = place::nowhere;
    return true;
  }
  /// Is the cotangent the store's own, so that it may be overwritten by its last reader?
  bool owns_bar(int id) const { return at(id).bar_in == place::here; }
  void drop_bar(int id) {
    node& n = at(id);
    if (n.bar_in == place::here) pool_.give(n.bar, n.size);
    if (n.bar_in != place::outside) {
      n.bar = nullptr;
      n.bar_in = place::nowhere;
    }
  }
  /// Adds a cotangent from outside; one that stays as it is until the pull is over.
  void seed(int id, const T* bar) {
    node& n = at(id);
    if (!n.tracked) return;
    if (n.bar == nullptr) {
      n.bar = const_cast<T*>(bar);
      n.bar_in = place::lent;
      return;
    }
    T* sum = bar_to_add(id);
    for (std::size_t i = 0; i < n.size; ++i) sum[i] = sum[i] + bar[i];
  }

  /// Elements are read by nodes, so many side by side: the first of those that element i is among, -1 before they are
  /// made. What was written is forgotten, since it is read by others from then on.
  static constexpr std::size_t run_length = 8;
  int& run_of(int id, std::size_t i) {
    node& n = at(id);
    if (n.runs < 0) {
      n.runs = static_cast<long>(runs_.size());
      runs_.resize(runs_.size() + n.size / run_length + 1, -1);
    }
    return runs_[static_cast<std::size_t>(n.runs) + i / run_length];
  }
  void forget_run(int id, std::size_t i) {
    if (at(id).runs >= 0) run_of(id, i) = -1;
  }
  void forget_runs(int id) { at(id).runs = -1; }

  void clear() {
    for (node& n : nodes_) {
      forget_value(n);
      if (n.bar_in == place::here) pool_.give(n.bar, n.size);
    }
    nodes_.clear();
    runs_.clear();
    held_ = 0;
    ++generation_;
  }
  /// Counts the recordings: a number of an array means nothing in the next one.
  std::uint32_t generation() const { return generation_; }
  std::size_t bytes() const {
    return pool_.bytes() + nodes_.capacity() * sizeof(node) + runs_.capacity() * sizeof(int);
  }
  std::size_t array_bytes() const { return pool_.bytes(); }

 private:
  enum class place : std::uint8_t { nowhere, here, outside, lent, later };
  struct node {
    T *value, *bar;
    std::size_t size;
    int holders;
    place value_in, bar_in;
    bool tracked;
    void* source = nullptr;
    void (*evaluate)(void* source, T* to) = nullptr;
    long runs = -1;  // where those of its elements begin
  };

  node& at(int id) { return nodes_[static_cast<std::size_t>(id)]; }
  const node& at(int id) const { return nodes_[static_cast<std::size_t>(id)]; }
  T* new_bar(node& n) {
    n.bar_in = place::here;
    return n.bar = pool_.take(n.size);
  }
  void forget_value(node& n) {
    if (n.value_in == place::here) pool_.give(n.value, n.size);
    n.value = nullptr;
    n.value_in = place::nowhere;
  }

  array_pool<T> pool_;
  std::vector<node> nodes_;
  std::vector<int> runs_;
  long held_ = 0;
  std::uint32_t generation_ = 0;
};

}  // namespace revode
