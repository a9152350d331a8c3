// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace revode {

// Long states are cut into blocks of a fixed length. Blocks belong to the problem, never to the machine, so
// that what is computed block by block has the same bits for every number of threads.

/// Elements of a block, the last of a state excepted.
inline constexpr int block_length = 1024;
/// States of fewer elements stay on one thread.
inline constexpr int least_for_threads = 100'000;

/// options::threads of the solve that the running thread is in; 1 outside.
inline constinit thread_local int solve_threads = 1;

/// As long as it lives, long states of this thread's solve are worked on by so many threads.
class on_threads {
 public:
  explicit on_threads(int threads) : before_(solve_threads) { solve_threads = threads; }
  ~on_threads() { solve_threads = before_; }
  on_threads(const on_threads&) = delete;
  on_threads& operator=(const on_threads&) = delete;

 private:
  int before_;
};

// A program may have units with OpenMP and without. What knows of it has a name of its own in each, so that a
// function that a linker keeps of one unit calls what belongs to it.
#if defined(_OPENMP)
inline namespace with_openmp {
inline constexpr bool has_threads = true;
#else
inline namespace without_openmp {
inline constexpr bool has_threads = false;
#endif

/// How many threads work on n elements.
inline int threads_for([[maybe_unused]] int n) {
#if defined(_OPENMP)
  if (n >= least_for_threads) return solve_threads;
#endif
  return 1;
}

constexpr int block_count(int n) { return (n + block_length - 1) / block_length; }
constexpr int block_end(int b, int n) {
  return n - b * block_length < block_length ? n : (b + 1) * block_length;
}

/// The first exception of several threads, thrown again when all have ended.
class first_exception {
 public:
  template <class Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard alone(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

/// How many blocks are worked on before what they leave is collected.
inline int blocks_at_once(int n) { return threads_for(n) > 1 ? 128 : 1; }

/// work(b, worker, place) for every block b of n elements, on threads_for(n) threads, of which worker is the
/// number, then collect(places, part, parts) for what blocks have left at places 0 … places − 1, in order: each thread
/// collects a part of it. Later blocks come to the same places, of which there are blocks_at_once(n).
template <class Work, class Collect>
void for_each_block(int n, const Work& work, const Collect& collect) {
  const int count = block_count(n), most = blocks_at_once(n);
  for (int first = 0; first < count; first += most) {
    const int places = count - first < most ? count - first : most;
#if defined(_OPENMP)
    if (const int team = threads_for(n); team > 1) {
      first_exception thrown;
#pragma omp parallel for schedule(dynamic) num_threads(team)
      for (int k = 0; k < places; ++k)
        thrown.guard([&] { work(first + k, omp_get_thread_num(), k); });
      thrown.rethrow();
#pragma omp parallel for schedule(static) num_threads(team)
      for (int part = 0; part < team; ++part) collect(places, part, team);
      continue;
    }
#endif
    for (int k = 0; k < places; ++k) work(first + k, 0, k);
    collect(places, 0, 1);
  }
}

/// work(first, last) for parts of n elements that begin and end with blocks.
template <class Work>
void for_each_part(int n, const Work& work) {
#if defined(_OPENMP)
  if (const int team = threads_for(n); team > 1) {
    const int count = block_count(n);
    first_exception thrown;
#pragma omp parallel for schedule(static) num_threads(team)
    for (int part = 0; part < team; ++part)
      thrown.guard([&] {
        const auto at = [&](int k) {
          const long b = static_cast<long>(count) * k / team;
          return b < count ? static_cast<int>(b) * block_length : n;
        };
        work(at(part), at(part + 1));
      });
    thrown.rethrow();
    return;
  }
#endif
  work(0, n);
}

#if defined(_OPENMP)
}  // namespace with_openmp
#else
}  // namespace without_openmp
#endif
}  // namespace revode
