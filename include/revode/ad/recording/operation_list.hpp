// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace revode {

/// Callables of any type in the order in which they were added, run once each, last first. Each has
/// a position: a number that the owner gives it. Memory: blocks that clear() keeps, so the same
/// sequence of callables allocates nothing the second time. A copy is empty: callables refer to
/// what they were made for.
class operation_list {
 public:
  operation_list() = default;
  operation_list(const operation_list&) {}
  operation_list(operation_list&& other) noexcept { swap(other); }
  operation_list& operator=(operation_list other) noexcept {
    swap(other);
    return *this;
  }
  ~operation_list() { clear(); }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  std::size_t last_position() const { return entries_.back().position; }

  /// Home is what run_last hands to f, where f takes it. The callable stays where it is.
  template <class Home, class F>
  std::decay_t<F>& add(std::size_t position, F&& f) {
    using operation = std::decay_t<F>;
    static_assert(std::is_invocable_v<operation&> || std::is_invocable_v<operation&, Home&>,
                  "an operation is called as f() or as f(recording)");
    if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 16);
    void* where = take(sizeof(operation), alignof(operation));
    operation* object = ::new (where) operation(std::forward<F>(f));
    entries_.push_back({position, object, &run<Home, operation>, &destroy<operation>});
    return *object;
  }

  /// Removes the last callable, runs it and destroys it, whatever it throws.
  template <class Home>
  void run_last(Home& home) {
    const entry last = entries_.back();
    entries_.pop_back();
    const struct ending {
      const entry& e;
      ~ending() { e.destroy(e.object); }
    } end{last};
    last.run(last.object, &home);
  }

  void clear() noexcept {
    while (!entries_.empty()) {
      const entry last = entries_.back();
      entries_.pop_back();
      last.destroy(last.object);
    }
    block_ = used_ = 0;
  }

  std::size_t bytes() const {
    std::size_t sum = entries_.capacity() * sizeof(entry);
    for (const block& b : blocks_) sum += b.size;
    return sum;
  }

 private:
  struct entry {
    std::size_t position;
    void* object;
    void (*run)(void* object, void* home);
    void (*destroy)(void* object);
  };
  struct block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size;
  };

  template <class Home, class F>
  static void run(void* object, void* home) {
    F& f = *static_cast<F*>(object);
    if constexpr (std::is_invocable_v<F&, Home&>) {
      f(*static_cast<Home*>(home));
    } else {
      f();
    }
  }
  template <class F>
  static void destroy(void* object) {
    static_cast<F*>(object)->~F();
  }

  void* take(std::size_t size, std::size_t alignment) {
    for (;; ++block_, used_ = 0) {
      if (block_ == blocks_.size()) {
        const std::size_t room = size + alignment > block_size ? size + alignment : block_size;
        blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(room), room});
      }
      void* place = blocks_[block_].memory.get() + used_;
      std::size_t room = blocks_[block_].size - used_;
      if (std::align(alignment, size, place, room) != nullptr) {
        used_ = blocks_[block_].size - room + size;
        return place;
      }
    }
  }

  void swap(operation_list& other) noexcept {
    entries_.swap(other.entries_);
    blocks_.swap(other.blocks_);
    std::swap(block_, other.block_);
    std::swap(used_, other.used_);
  }

  static constexpr std::size_t block_size = 8192;
  std::vector<entry> entries_;
  std::vector<block> blocks_;
  std::size_t block_ = 0, used_ = 0;
};

}  // namespace revode
