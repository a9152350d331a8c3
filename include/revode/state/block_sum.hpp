// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/element_blocks.hpp>

namespace revode {

/// The sum over blocks first … last − 1 as a tree of pairs, whose left branches are as long as a power of two may be;
/// of up to `most` blocks, a power of two, leaf(first, last) has it.
template <class S, class Leaf>
S sum_of_branches(int first, int last, int most, const Leaf& leaf) {
  if (last - first <= most) return leaf(first, last);
  int left = most;
  while (2 * left < last - first) left *= 2;
  const S sum = sum_of_branches<S>(first, first + left, most, leaf);
  return sum + sum_of_branches<S>(first + left, last, most, leaf);
}

template <class S, class Part>
[[gnu::noinline]] S long_sum(int n, const Part& part) {
  const int count = block_count(n);
  const auto branch = [&](int first, int last) {
    return sum_of_branches<S>(first, last, 1,
                              [&](int b, int) { return part(b * block_length, block_end(b, n)); });
  };
#if defined(_OPENMP)
  if (const int team = threads_for(n); team > 1) {
    constexpr int most = 64;
    int length = 1;
    while (length * most < count) length *= 2;
    S sums[most];
    const int branches = (count + length - 1) / length;
#pragma omp parallel for schedule(static) num_threads(team)
    for (int k = 0; k < branches; ++k) {
      const int first = k * length;
      sums[k] = branch(first, count - first < length ? count : first + length);
    }
    return sum_of_branches<S>(0, count, length,
                              [&](int first, int) { return sums[first / length]; });
  }
#endif
  return branch(0, count);
}

/// Σ over n elements, part(first, last) being the sum over some in sequence. Up to 1,024 elements: part(0, n);
/// beyond, blocks of so many and a tree of pairs over the blocks, the same bits for every number of threads.
template <class S, class Part>
REVODE_HD S block_sum(int n, const Part& part) {
#if !defined(__CUDA_ARCH__)
  if (n > block_length) return long_sum<S>(n, part);
#endif
  return part(0, n);
}

}  // namespace revode
