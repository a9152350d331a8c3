// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

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
inline thread_local int solve_threads = 1;

/// As long as it lives, long states of this thread's solve are worked on by so many threads.
class on_threads {
 public:
  explicit on_threads(int threads) : before_(solve_threads) { solve_threads = threads; }
  on_threads(const on_threads&) = delete;
  on_threads& operator=(const on_threads&) = delete;
  ~on_threads() { solve_threads = before_; }

 private:
  int before_;
};

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

/// work(b, worker) for every block b of n elements, on threads_for(n) threads, of which worker is the
/// number, then in_turn(b, worker) by that thread: block by block, from the first to the last, whatever the
/// number of threads. The first exception is thrown again when all have ended.
template <class Work, class InTurn>
void for_each_block(int n, const Work& work, const InTurn& in_turn) {
  const int count = block_count(n);
#if defined(_OPENMP)
  if (const int team = threads_for(n); team > 1) {
    std::exception_ptr thrown;
#pragma omp parallel for ordered schedule(static, 1) num_threads(team)
    for (int b = 0; b < count; ++b) {
      const int worker = omp_get_thread_num();
      std::exception_ptr here;
      try {
        work(b, worker);
      } catch (...) {
        here = std::current_exception();
      }
#pragma omp ordered
      {
        if (here && !thrown) thrown = here;
        if (!thrown) in_turn(b, worker);
      }
    }
    if (thrown) std::rethrow_exception(thrown);
    return;
  }
#endif
  for (int b = 0; b < count; ++b) {
    work(b, 0);
    in_turn(b, 0);
  }
}

/// work(first, last) for parts of n elements that begin and end with blocks.
template <class Work>
void for_each_part(int n, const Work& work) {
#if defined(_OPENMP)
  if (const int team = threads_for(n); team > 1) {
    const int count = block_count(n);
    std::exception_ptr thrown;
#pragma omp parallel for schedule(static) num_threads(team)
    for (int part = 0; part < team; ++part) {
      const auto at = [&](int k) {
        const long b = static_cast<long>(count) * k / team;
        return b < count ? static_cast<int>(b) * block_length : n;
      };
      try {
        work(at(part), at(part + 1));
      } catch (...) {
#pragma omp critical(revode_part)
        if (!thrown) thrown = std::current_exception();
      }
    }
    if (thrown) std::rethrow_exception(thrown);
    return;
  }
#endif
  work(0, n);
}

}  // namespace revode
