// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <Random123/philox.h>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>
#include <revode/state/elements.hpp>

// Noise without a state: every number is a function of (key, step, i), so a replayed step draws what
// the first sweep drew, whatever ran in between, and in whatever order. The generator is
// Philox4x32-10 (Salmon, Moraes, Dror & Shaw, Parallel random numbers: as easy as 1, 2, 3, SC '11),
// with key (seed, lane) and counter (block of i, step). uniform, normal and dropout read the same
// bits of a (key, step): give each use in a step its own lane. Noise is never differentiated.

namespace revode {

/// Chooses a stream: seed for the run, lane for what it is used for (or who draws).
struct random_key {
  std::uint32_t seed = 0;
  std::uint32_t lane = 0;
};

/// The step under which the field of a solve draws: its time, bit by bit. What is drawn is then a function of t, as
/// all of a field has to be: stages at other times draw other numbers, and whatever evaluates a stage again draws the same,
/// a replay, a pull, a tangent, the first stage of the next step, in every budget.
///   dropout({.seed = 1, .lane = epoch}, step_of_time(t), 0.1, mask);
/// Such a field jumps from stage to stage: give options::fixed_step. Numbers that are held over a window belong to
/// its number, an element of the state that a timed event counts up (docs/networks.md).
template <class T>
index step_of_time(const T& t) {
  return std::bit_cast<index>(static_cast<double>(value_of(t)) + 0.0);  // -0 is 0
}

/// 128 random bits.
struct random_block {
  std::uint32_t words[4];
};

/// Block number `block` of step `step`: Philox4x32-10 of counter (block, step) and key (seed, lane).
REVODE_HD random_block random_bits(const random_key& key, index step, index block) {
  const auto low = [](index n) { return static_cast<std::uint32_t>(n); };
  const auto high = [](index n) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) >> 32);
  };
  const r123::Philox4x32::ctr_type counter = {{low(block), high(block), low(step), high(step)}};
  const r123::Philox4x32::key_type words = {{key.seed, key.lane}};
  const r123::Philox4x32::ctr_type r = r123::Philox4x32{}(counter, words);
  return {{r.v[0], r.v[1], r.v[2], r.v[3]}};
}

/// How many numbers of type T a block gives.
template <class T>
inline constexpr int numbers_per_block = std::is_same_v<T, float> ? 4 : 2;

/// Number j of a block, in [0, 1): 24 bits of a float, 53 bits of a double.
template <class T>
REVODE_HD T uniform_of(const random_block& block, int j) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(block.words[j] >> 8) * 0x1p-24f;
  } else {
    const std::uint64_t bits =
        std::uint64_t{block.words[2 * j]} | (std::uint64_t{block.words[2 * j + 1]} << 32);
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }
}

/// The i-th uniform number of a step, in [0, 1), i >= 0.
template <class T>
REVODE_HD T uniform(const random_key& key, index step, index i) {
  constexpr int n = numbers_per_block<T>;
  return uniform_of<T>(random_bits(key, step, i / n), static_cast<int>(i % n));
}

/// The i-th standard normal number of a step, i >= 0. Numbers 2k and 2k + 1 are one pair of
/// source  Box & Muller, Ann. Math. Statist. 29 (1958) 610–611:  √(−2 ln u) (cos 2πv, sin 2πv)
template <class T>
REVODE_HD T normal(const random_key& key, index step, index i) {
  using std::cos;
  using std::log;
  using std::sin;
  using std::sqrt;
  constexpr int n = numbers_per_block<T>;
  const random_block block = random_bits(key, step, i / n);
  const int first = static_cast<int>(i % n) & ~1;
  const T u = T(1) - uniform_of<T>(block, first);  // in (0, 1]: its logarithm is finite
  const T angle = T(6.283185307179586476925) * uniform_of<T>(block, first + 1);
  const T radius = sqrt(T(-2) * log(u));
  return i % 2 == 0 ? radius * cos(angle) : radius * sin(angle);
}

/// Fills a dense mask: mask[i] = 0 with probability rate, otherwise 1 / (1 − rate), so that the
/// expected value of mask · x is x. The same elements fall for float and double.
/// errors  std::invalid_argument: a rate outside [0, 1)
template <class Mask>
void dropout(const random_key& key, index step, double rate, Mask& mask) {
  if (!(rate >= 0 && rate < 1))
    throw std::invalid_argument("dropout rate = " + std::to_string(rate) +
                                " (a part of the elements in [0, 1) is dropped) "
                                "give 0 <= rate < 1?");
  using T = scalar_t<Mask>;
  const auto dropped = static_cast<std::uint64_t>(std::ldexp(rate, 32));
  const T kept = static_cast<T>(1 / (1 - rate));
  T* out = mask.data();
  const auto size = static_cast<index>(mask.size());
  for (index i = 0; i < size; i += 4) {
    const random_block block = random_bits(key, step, i / 4);
    for (int j = 0; j < 4 && i + j < size; ++j) out[i + j] = block.words[j] < dropped ? T(0) : kept;
  }
}

}  // namespace revode
