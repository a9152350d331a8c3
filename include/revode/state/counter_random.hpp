// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/config.hpp>

// Random numbers without a state: each is a function of what it is for.

namespace revode {

/// What splitmix64 makes of its counter: every bit of the result depends on every bit of z.
/// source  Steele, Lea & Flood, Fast splittable pseudorandom number generators, OOPSLA (2014) 453–472
REVODE_HD constexpr std::uint64_t splitmix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
inline constexpr std::uint64_t splitmix64_step = 0x9e3779b97f4a7c15;

/// 64 bits of number i of a stream of a seed: the same on every machine, whatever was drawn before.
REVODE_HD constexpr std::uint64_t counter_bits(std::uint64_t seed, std::uint64_t stream, index i) {
  const std::uint64_t key = splitmix64(seed + splitmix64_step * (splitmix64(stream) | 1));
  return splitmix64(key + splitmix64_step * (static_cast<std::uint64_t>(i) + 1));
}

/// Number i of a stream, in [0, 1).
REVODE_HD constexpr double counter_uniform(std::uint64_t seed, std::uint64_t stream, index i) {
  return static_cast<double>(counter_bits(seed, stream, i) >> 11) * 0x1p-53;
}

}  // namespace revode
