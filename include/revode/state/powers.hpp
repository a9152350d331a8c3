// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/config.hpp>

namespace revode {

// Powers for the step-size controller, x^a = exp2_approx(a * log2_approx(x)): the same bits on host
// and device (where both fuse products), no branch, no call, no division, no conversion between
// integers and floating point (AVX2 has none for 64 bits), so that a loop over lanes vectorises.
// The next step waits for the result, so polynomials are short and evaluated in parallel halves
// (Estrin). For positive normal x the relative error of the power is below 7e-8 |a| + 3e-7, far
// below what a step size can feel; powers of two with an integer product a log2 x are exact.

/// log2_approx of a positive normal number, without its clamps. With x = 2^e m, m in [sqrt(1/2),
/// sqrt 2), u = m - 1: a polynomial for log2(1 + u)/u (Chebyshev interpolation of degree 7).
REVODE_HD double log2_of_normal(double x) {
  constexpr std::uint64_t half_root = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  constexpr std::uint64_t bias = 1023;
  constexpr double two_52 = 0x1p52;
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  const std::uint64_t shifted = (bits - half_root) + (bias << 52);  // exponent e + bias, unsigned
  const std::uint64_t biased = shifted >> 52;
  const double e = __builtin_bit_cast(double, biased | __builtin_bit_cast(std::uint64_t, two_52)) -
                   (two_52 + static_cast<double>(bias));
  const double u = __builtin_bit_cast(double, bits - (biased << 52) + (bias << 52)) - 1.0;
  const double u2 = u * u;
  const double low = muladd(u2, muladd(-0.3602419859067946, u, 0.48092403857758265),
                            muladd(-0.721352758765289, u, 1.4426949579955601));
  const double high = muladd(u2, muladd(-0.14620353420996243, u, 0.23420985117472712),
                             muladd(-0.24882180563346354, u, 0.2870756111565916));
  return muladd(u, muladd(u2 * u2, high, low), e);
}

/// log2 x, absolute error below 1e-7, exact at powers of two. x is clamped into the normal numbers:
/// 0 and negative x give -1022; infinity and NaN give 1024, a step is never encouraged by a NaN.
REVODE_HD double log2_approx(double x) {
  const double clamped = x < 0x1.fffffffffffffp1023 ? x : 0x1.fffffffffffffp1023;
  return log2_of_normal(clamped > 0x1p-1022 ? clamped : 0x1p-1022);
}

/// exp2_approx of a y in [-1022, 1023], without its clamps. The nearest integer is read from the low
/// bits of y + 1.5 2^52 and added to the exponent of a polynomial for 2^f (Chebyshev interpolation of
/// (2^f - 1)/f on [-1/2, 1/2], degree 4).
REVODE_HD double exp2_in_range(double y) {
  constexpr double magic = 0x1.8p52;
  const double rounded = y + magic;
  const double f = y - (rounded - magic);
  const double f2 = f * f;
  const double low = muladd(0.24022348940946958, f, 0.693147188029343);
  const double high =
      muladd(f2, 0.0013390867351518554, muladd(0.009666373693209517, f, 0.055503571042526303));
  const double p = muladd(f, muladd(f2, high, low), 1.0);
  const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, rounded) << 52;
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, p) + exponent);
}

/// 2^y, relative error below 2.5e-7, exact at integers. y is clamped to [-1022, 1023]; NaN gives
/// 2^-1022.
REVODE_HD double exp2_approx(double y) {
  const double clamped = y > -1022.0 ? y : -1022.0;
  return exp2_in_range(clamped < 1023.0 ? clamped : 1023.0);
}

}  // namespace revode
