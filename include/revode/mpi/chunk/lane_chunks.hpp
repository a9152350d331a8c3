// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/batch/ensemble.hpp>

namespace revode {

// The lanes of an ensemble in chunks of consecutive ones, which belong to the problem: who solves a chunk is
// no part of its result. A chunk has a power of two of lanes, so that it is a whole branch of the tree of
// pairwise_sum: the sums of the chunks, summed by the same tree, are the bits of the sum over all lanes.

/// Lanes a chunk, where none are asked for: 64 chunks or more, of 64 to 1,024 lanes.
inline index chunk_of(index lanes) {
  const auto share = static_cast<std::uint64_t>(std::clamp<index>(lanes / 64, 64, 1024));
  return static_cast<index>(std::bit_floor(share));
}

/// Throws std::invalid_argument for so many lanes that are no branch of the tree; 0 asks for chunk_of.
inline void validate_chunk(index chunk) {
  if (chunk != 0 && (chunk < 0 || !std::has_single_bit(static_cast<std::uint64_t>(chunk))))
    throw std::invalid_argument(
        "chunks of " + std::to_string(chunk) +
        " lanes (a chunk is a branch of the tree by which lanes are summed) "
        "give a power of two, or 0 for one that fits?");
}

/// The lanes from, …, to − 1 as an ensemble.
template <class F, class Y, class P>
ensemble<F, Y, P> lanes_between(const ensemble<F, Y, P>& e, index from, index to) {
  const auto part = [&](const auto& v) {
    if (v.size() <= 1) return v;
    return std::decay_t<decltype(v)>(v.begin() + from, v.begin() + to);
  };
  ensemble<F, Y, P> lanes{.f = e.f,
                          .y0 = part(e.y0),
                          .t0 = part(e.t0),
                          .t1 = part(e.t1),
                          .p = part(e.p),
                          .rtol = part(e.rtol),
                          .atol = part(e.atol),
                          .max_steps = part(e.max_steps),
                          .save_ts = part(e.save_ts),
                          .cost = part(e.cost)};
  // where all share everything, one vector still tells how many they are
  if (lanes_of(lanes) != to - from) lanes.y0.assign(static_cast<std::size_t>(to - from), e.y0[0]);
  return lanes;
}

/// The chunks, those of the greatest cost first.
template <class F, class Y, class P>
std::vector<index> order_of_chunks(const ensemble<F, Y, P>& e, index lanes, index chunk) {
  std::vector<index> order(static_cast<std::size_t>((lanes + chunk - 1) / chunk));
  std::iota(order.begin(), order.end(), index{0});
  if (e.cost.size() <= 1) return order;
  std::vector<double> cost(order.size());
  for (index l = 0; l < lanes; ++l)
    cost[static_cast<std::size_t>(l / chunk)] += e.cost[static_cast<std::size_t>(l)];
  std::stable_sort(order.begin(), order.end(), [&](index a, index b) {
    return cost[static_cast<std::size_t>(a)] > cost[static_cast<std::size_t>(b)];
  });
  return order;
}

/// The loss of all lanes as one of those from a lane on: that lane is 0.
template <class Loss>
struct loss_from {
  Loss loss;
  index first;

  template <class... A>
  REVODE_HD auto operator()(index lane, A&&... a) const
      requires(requires(const Loss& of) { of(lane, a...); }) {
    return loss(first + lane, a...);
  }
};

}  // namespace revode
