// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/place.hpp>

namespace revode {

/// x[0] + … + x[n − 1] in pairs of neighbours, pairs of pairs, and so on: an order that depends on n
/// alone.
/// cost    n − 1 additions; error below ε log₂ n Σ|x|
template <class T>
REVODE_HD T pairwise_sum(const T* x, index n) {
  T partial[64];
  int depth = 0;
  for (index i = 0; i < n; ++i) {
    partial[depth++] = x[i];
    for (index done = i + 1; done % 2 == 0; done /= 2) {
      partial[depth - 2] = partial[depth - 2] + partial[depth - 1];
      --depth;
    }
  }
  if (depth == 0) return T(0);
  while (depth > 1) {
    partial[depth - 2] = partial[depth - 2] + partial[depth - 1];
    --depth;
  }
  return partial[0];
}

inline constexpr index sum_chunk = 1024;

/// One chunk of a level of the tree: partial sum number i.
template <class T>
struct sum_chunk_body {
  const T* from;
  T* to;
  index n;
  REVODE_HD void operator()(index i) const {
    const index first = i * sum_chunk;
    to[i] = pairwise_sum(from + first, n - first < sum_chunk ? n - first : sum_chunk);
  }
};

/// Σ x_l over the lanes: chunks of 1024, then their sums, and so on. The same bits at every place and
/// for any number of threads.
template <class Place, class T>
T lane_sum(const T* x, index n) {
  using array = typename Place::template array<T>;
  array levels[2];
  const T* from = x;
  int to = 0;
  do {
    const index chunks = n <= sum_chunk ? 1 : (n + sum_chunk - 1) / sum_chunk;
    levels[to].assign(static_cast<std::size_t>(chunks), T(0));
    Place::for_each(chunks, sum_chunk_body<T>{from, elements(levels[to]), n});
    from = elements(levels[to]);
    n = chunks;
    to = 1 - to;
  } while (n > 1);
  return levels[1 - to][0];
}

}  // namespace revode
