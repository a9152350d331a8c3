// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/config.hpp>

namespace revode {

// Powers for the step-size controller, x^a = exp2_approx(a * log2_approx(x)): the same bits on host
// and device (where both fuse products), no branch, no call, no conversion between integers and
// floating point (AVX2 has none for 64 bits), so that a loop over lanes vectorises. For positive
// normal x the relative error of the power is below 2.5e-10 |a| + 1.2e-10 (checked on a grid by
// the tests); powers of two with an integer product a log2 x come out exactly.

/// log2 x, absolute error below 3.6e-10, exact at powers of two. x is clamped into the normal
/// numbers: 0 and negative x give -1022; infinity and NaN give 1024, a step is never encouraged
/// by a NaN.
/// With x = 2^e m, m in [sqrt(1/2), sqrt 2), s = (m - 1)/(m + 1): log2 m = (2/ln 2) artanh s, an odd
/// polynomial in s (Chebyshev interpolation of artanh(s)/s in s^2, degree 3).
REVODE_HD double log2_approx(double x) {
  constexpr std::uint64_t half_root = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  constexpr std::uint64_t bias = 1023;
  constexpr double two_52 = 0x1p52;
  double clamped = x < 0x1.fffffffffffffp1023 ? x : 0x1.fffffffffffffp1023;
  clamped = clamped > 0x1p-1022 ? clamped : 0x1p-1022;
  const auto bits = __builtin_bit_cast(std::uint64_t, clamped);
  const std::uint64_t shifted = (bits - half_root) + (bias << 52);  // exponent e + bias, unsigned
  const std::uint64_t biased = shifted >> 52;
  const double e = __builtin_bit_cast(double, biased | __builtin_bit_cast(std::uint64_t, two_52)) -
                   (two_52 + static_cast<double>(bias));
  const std::uint64_t fraction_bits = bits - (biased << 52) + (bias << 52);
  const double m = __builtin_bit_cast(double, fraction_bits);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 0.43171769745887384;
  p = muladd(p, z, 0.5767151860190234);
  p = muladd(p, z, 0.96179883880211);
  p = muladd(p, z, 2.8853900798033365);
  return muladd(p, s, e);
}

/// 2^y, relative error below 1.2e-10, exact at integers. y is clamped to [-1022, 1023]; NaN gives
/// 2^-1022. The nearest integer is read from the low bits of y + 1.5 2^52 and added to the exponent
/// of a polynomial of degree 7 (Chebyshev interpolation of (2^f - 1)/f on [-1/2, 1/2]).
REVODE_HD double exp2_approx(double y) {
  constexpr double magic = 0x1.8p52;
  double clamped = y > -1022.0 ? y : -1022.0;
  clamped = clamped < 1023.0 ? clamped : 1023.0;
  const double rounded = clamped + magic;
  const double f = clamped - (rounded - magic);
  double p = 1.5297323760701075e-05;
  p = muladd(p, f, 0.0001546144469856913);
  p = muladd(p, f, 0.001333350238616277);
  p = muladd(p, f, 0.009618056678524637);
  p = muladd(p, f, 0.055504108839096185);
  p = muladd(p, f, 0.24022650922288757);
  p = muladd(p, f, 0.6931471805599453);
  p = muladd(p, f, 1.0);
  const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, rounded) << 52;
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, p) + exponent);
}

}  // namespace revode
