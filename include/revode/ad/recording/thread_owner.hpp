// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <stdexcept>

namespace revode {

/// A number that names the running thread: one instruction.
[[gnu::always_inline]] inline const void* running_thread() {
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(__CUDACC__)
  return __builtin_thread_pointer();
#else
  static thread_local const char here = 0;
  return &here;
#endif
}

/// Whose a recording is. A recording belongs to the thread that began it; another one that comes to it (a
/// loop on threads inside a field, say) changes nothing and is noted, since no exception leaves such a
/// loop, and the owner throws afterwards. Cost: two instructions a node.
class thread_owner {
 public:
  thread_owner() = default;
  thread_owner(const thread_owner&) {}
  thread_owner& operator=(const thread_owner&) {
    take();
    return *this;
  }

  /// From now on it belongs to the running thread.
  void take() {
    thread_ = running_thread();
    crossed_ = false;
  }
  /// Is it the running thread's? That it is not is noted.
  [[gnu::always_inline]] bool here() const {
    if (running_thread() == thread_) [[likely]]
      return true;
    note();
    return false;
  }
  /// Has no other thread come?
  bool alone() const { return !crossed_; }
  /// errors  std::invalid_argument where another thread has come
  void expect_alone() const {
    if (crossed_)
      throw std::invalid_argument(
          "a recording that several threads wrote to (the derivative of a field or loop body "
          "without "
          "one of its own is recorded on one thread) give it a vjp, jvp or pull, in which threads "
          "may "
          "run, or run its loop on one thread?");
  }

 private:
  [[gnu::noinline, gnu::cold]] void note() const {
    std::atomic_ref(crossed_).store(true, std::memory_order_relaxed);
  }

  const void* thread_ = running_thread();
  mutable bool crossed_ = false;
};

}  // namespace revode
