// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace revode {

/// Which step lengths an adaptive solve may take. What the controller proposes is shortened to the
/// next of them before it is tried, so the solve itself runs on these steps; the log of a gradient
/// then needs fewer bytes a step. The step that is cut at t1 is exempt.
enum class rounding : std::uint8_t {
  none,    ///< any: 8 bytes a step
  bits24,  ///< 24 bits of significand, a float's: 4 bytes a step, steps 1e-7 of their length shorter
  octave16  ///< 2^(k/16), k whole: 1 byte a step (the change of k), steps 2 % shorter on average
};

/// 2^(i/16)
inline constexpr double sixteenths_of_octave[16] = {
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};

/// The largest k with 2^(k/16) ≤ |h|; h is normal.
inline int octave_number(double h) {
  const auto bits = std::bit_cast<std::uint64_t>(h);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const auto in_octave = std::bit_cast<double>((bits & 0xf'ffff'ffff'ffff) | 0x3ffULL << 52);
  int i = 0;
  for (int half = 8; half > 0; half /= 2)
    if (sixteenths_of_octave[i + half] <= in_octave) i += half;
  return 16 * exponent + i;
}

/// 2^(k/16) for a k that octave_number gives.
inline double octave_length(int k) {
  const auto bits = std::bit_cast<std::uint64_t>(sixteenths_of_octave[k & 15]);
  return std::bit_cast<double>(bits + (static_cast<std::uint64_t>(k >> 4) << 52));
}

/// The longest step allowed that is not longer than h. A subnormal h stays as it is.
inline double round_step(rounding to, double h) {
  if (to == rounding::none || !__builtin_isnormal(h)) return h;
  if (to == rounding::octave16) return __builtin_copysign(octave_length(octave_number(h)), h);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(h) & ~0x1fff'ffffULL);
}

}  // namespace revode
