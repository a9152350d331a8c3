// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include <revode/schedule/all.hpp>
#include <revode/state/cotangents.hpp>

namespace revode {

/// The bytes of all leaves, one after the other: for memcmp of whole trees.
template <class... Trees>
std::vector<unsigned char> bits(const Trees&... trees) {
  std::vector<unsigned char> all;
  const auto append = [&](const void* from, std::size_t bytes) {
    const auto* first = static_cast<const unsigned char*>(from);
    all.insert(all.end(), first, first + bytes);
  };
  const auto visit = [&]<class Z>(const Z& leaf) {
    if constexpr (std::is_same_v<Z, no_cotangent>)
      return;
    else if constexpr (dense<Z>)
      append(leaf.data(), static_cast<std::size_t>(bytes_of(leaf)));
    else if constexpr (std::is_arithmetic_v<Z>)
      append(&leaf, sizeof leaf);
  };
  (for_each_leaf(visit, trees), ...);
  return all;
}

/// Schedules that any loop may take, with slots (those that have them) and a bound.
inline const schedule_kind every_schedule[] = {
    schedule_kind::store_all, schedule_kind::store_states, schedule_kind::binomial,
    schedule_kind::nested,    schedule_kind::online,       schedule_kind::online_seeded,
    schedule_kind::wang_moin, schedule_kind::periodic,     schedule_kind::mixed,
    schedule_kind::two_tier};

/// A number in [0, 1) that is a function of the step alone (the finaliser of SplitMix64; Steele,
/// Lea & Flood, OOPSLA 2014).
inline double noise(index step) {
  auto z = static_cast<std::uint64_t>(step + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

}  // namespace revode
