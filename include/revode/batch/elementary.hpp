// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>

namespace revode {

// exp, log, tanh, pow, sin and cos for fields of lanes: no branch, no call, no table, so that a loop
// over lanes vectorises, and the same bits on host and device where both fuse products. The functions
// of the C library are neither. Errors are in units in the last place of the result (tests measure
// them over the ranges given). Each is also defined for duals and recorded variables. A field writes
//   using namespace revode::elementary;  dy[0] = -p[0] * fast_exp(-p[1] / y[0]);
namespace elementary {

/// x where yes, else y, in one instruction of a vector.
REVODE_HD double choose(bool yes, double x, double y) { return yes ? x : y; }

/// 2^k m for whole k in [-1022, 1023], given as the low bits of k + 1.5·2^52.
REVODE_HD double scale_by_bits(double m, double shifted) {
  const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, shifted) << 52;
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, m) + exponent);
}

/// (eʳ − 1 − r)/r² for |r| ≤ ln(2)/2: the Taylor sum to r¹¹, remainder below 2⁻⁵⁶ of eʳ.
REVODE_HD double exp_tail(double r) {
  double q = 1.0 / 6227020800;
  q = muladd(q, r, 1.0 / 479001600);
  q = muladd(q, r, 1.0 / 39916800);
  q = muladd(q, r, 1.0 / 3628800);
  q = muladd(q, r, 1.0 / 362880);
  q = muladd(q, r, 1.0 / 40320);
  q = muladd(q, r, 1.0 / 5040);
  q = muladd(q, r, 1.0 / 720);
  q = muladd(q, r, 1.0 / 120);
  q = muladd(q, r, 1.0 / 24);
  q = muladd(q, r, 1.0 / 6);
  return muladd(q, r, 0.5);
}

/// e^(x + low), |low| small: below 1 ulp for x in [−708, 709] (1.5 without fused products), 0 below
/// −708.39, infinity above 709.78.
/// x = k ln 2 + r, ln 2 in two parts of which k times the first is exact (Cody & Waite).
REVODE_HD double exp_of_sum(double x, double low) {
  constexpr double magic = 0x1.8p52, log2_e = 0x1.71547652b82fep0;
  constexpr double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
  double clamped = x > -708.39 ? x : -708.39;
  clamped = clamped < 709.78 ? clamped : 709.78;
  const double shifted = clamped * log2_e + magic;
  const double k = shifted - magic;
  const double high = clamped - k * ln2_high;
  const double r = high - (k * ln2_low - low);
  const double rest = (high - r) - (k * ln2_low - low);
  const double m = 1 + (r + muladd(r * r, exp_tail(r), rest));
  // 2^1024 is not a number: the last octave in two factors.
  const bool top = k > 1023;
  const double result = scale_by_bits(m, top ? shifted - 1 : shifted) * choose(top, 2.0, 1.0);
  const double small = choose(x < -708.39, 0.0, result);
  const double large = choose(x > 709.78, 0x1p1023 * choose(x > 709.78, 2.0, 1.0), small);
  return choose(x == x, large, x);
}

/// eˣ, see exp_of_sum.
REVODE_HD double fast_exp(double x) { return exp_of_sum(x, 0.0); }

/// log x = high + low to about 2⁻⁵⁶ absolute (|low| up to 0.1); x positive and normal.
/// x = 2^e m, m in [√½, √2): with s = (m − 1)/(m + 1), log m = 2 s + s³ R(s²).
struct log_parts {
  double high, low;
};
REVODE_HD log_parts log_in_parts(double x) {
  constexpr std::uint64_t half_root = 0x3fe6a09e667f3bcd, bias = 1023;
  constexpr double two_52 = 0x1p52;
  constexpr double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  const std::uint64_t biased = ((bits - half_root) + (bias << 52)) >> 52;
  const double e = __builtin_bit_cast(double, biased | __builtin_bit_cast(std::uint64_t, two_52)) -
                   (two_52 + static_cast<double>(bias));
  const double f = __builtin_bit_cast(double, bits - (biased << 52) + (bias << 52)) - 1.0;
  const double s = f / (2 + f), z = s * s;
  // Σ 2 z^(j−1)/(2j + 1), j = 1 …: |s| ≤ 0.172, remainder below 2⁻⁵⁹ of log m.
  double r = 2.0 / 23;
  r = muladd(r, z, 2.0 / 21);
  r = muladd(r, z, 2.0 / 19);
  r = muladd(r, z, 2.0 / 17);
  r = muladd(r, z, 2.0 / 15);
  r = muladd(r, z, 2.0 / 13);
  r = muladd(r, z, 2.0 / 11);
  r = muladd(r, z, 2.0 / 9);
  r = muladd(r, z, 2.0 / 7);
  r = muladd(r, z, 2.0 / 5);
  r = muladd(r, z, 2.0 / 3);
  // log(1 + f) = f − (f²/2 − s (f²/2 + z R)), f exact.
  const double half = 0.5 * f * f;
  const double tail = s * (half + z * r) + e * ln2_low;
  const double a = e * ln2_high + f;  // e ln2_high is exact; a + rest is the exact sum
  const double b = a - e * ln2_high;
  const double rest = (e * ln2_high - (a - b)) + (f - b);
  const double high = a - half;
  const double off = (a - high) - half;
  return {high, rest + off + tail};
}

/// ln x, below 1.5 ulp for normal x; −infinity at 0, NaN below and for NaN, infinity at infinity.
/// Subnormal x count as 0.
REVODE_HD double fast_log(double x) {
  constexpr double infinity = __builtin_huge_val();
  const bool usable = x >= 0x1p-1022 && x < infinity;
  const log_parts parts = log_in_parts(usable ? x : 1.0);
  const double at_edge = choose(x < 0x1p-1022, -infinity, x);
  return choose(usable, parts.high + parts.low,
                choose(x < 0 || x != x, x - x + infinity - infinity, at_edge));
}

/// The upper 26 bits of x's significand: products of two such numbers are exact.
REVODE_HD double upper_half(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) & ~0x7ff'ffffULL);
}

/// x^a for x > 0 as e^(a ln x), below 4 ulp for |a| ≤ 20; 0^a is 0 for a > 0.
/// a ln x in two parts; what the first product rounds away is computed (Dekker).
REVODE_HD double fast_pow(double x, double a) {
  const bool usable = x >= 0x1p-1022 && x < __builtin_huge_val();
  const log_parts parts = log_in_parts(usable ? x : 1.0);
  const double high = a * parts.high;
  const double a1 = upper_half(a), a2 = a - a1;
  const double b1 = upper_half(parts.high), b2 = parts.high - b1;
  const double lost = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2;
  const double rest = lost + a * parts.low, sum = high + rest;
  const double result = exp_of_sum(sum, (high - sum) + rest);
  const double at_zero = choose(a > 0, 0.0, choose(a == 0, 1.0, __builtin_huge_val()));
  const double edge = choose(x < 0x1p-1022 && x >= 0, at_zero, x < 0 ? x - x - fast_log(-1.0) : x);
  return choose(usable, result, edge);
}

/// tanh x, below 3 ulp.
/// 1 − 2/(e^2|x| + 1) from |x| = 0.55 on; below, the continued fraction x/(1 + x²/(3 + x²/(5 + …))).
REVODE_HD double fast_tanh(double x) {
  const double size = x < 0 ? -x : x;
  const double clamped = size < 20 ? size : 20.0;
  const double z = size < 0.55 ? size * size : 0.0;
  // Two convergents of the fraction as polynomials: [7/8] in x, error below 2⁻⁵⁸.
  const double p = muladd(muladd(muladd(36.0, z, 6930.0), z, 270270.0), z, 2027025.0);
  const double q =
      muladd(muladd(muladd(muladd(1.0, z, 630.0), z, 51975.0), z, 945945.0), z, 2027025.0);
  // One division for both.
  const double part = (size < 0.55 ? p : 2.0) / (size < 0.55 ? q : fast_exp(2 * clamped) + 1);
  const double result = size < 0.55 ? size * part : 1 - part;
  return choose(x == x, x < 0 ? -result : result, x);
}

/// sin and cos of π/2 k + r, |r| ≤ π/4, by Taylor sums (remainder below 2⁻⁵⁷ and 2⁻⁵⁵).
REVODE_HD double sine_of_quarter(double r, double low) {
  const double z = r * r;
  double s = -1.0 / 121645100408832000;
  s = muladd(s, z, 1.0 / 355687428096000);
  s = muladd(s, z, -1.0 / 1307674368000);
  s = muladd(s, z, 1.0 / 6227020800);
  s = muladd(s, z, -1.0 / 39916800);
  s = muladd(s, z, 1.0 / 362880);
  s = muladd(s, z, -1.0 / 5040);
  s = muladd(s, z, 1.0 / 120);
  s = muladd(s, z, -1.0 / 6);
  return r + muladd(r * z, s, low);
}
REVODE_HD double cosine_of_quarter(double r, double low) {
  const double z = r * r;
  double c = 1.0 / 6402373705728000 * -1;
  c = muladd(c, z, 1.0 / 20922789888000);
  c = muladd(c, z, -1.0 / 87178291200);
  c = muladd(c, z, 1.0 / 479001600);
  c = muladd(c, z, -1.0 / 3628800);
  c = muladd(c, z, 1.0 / 40320);
  c = muladd(c, z, -1.0 / 720);
  c = muladd(c, z, 1.0 / 24);
  const double half = 0.5 * z, first = 1 - half;
  return first + (((1 - first) - half) + (z * z * c - r * low));
}

/// sin (turn = 0) or cos (turn = 1) of x: below 1.5 ulp for |x| ≤ 2^20 (an absolute error of 2⁻⁵³ next
/// to the zeros), worse beyond: fields whose angles grow so large reduce them themselves.
/// π/2 in three parts of 33, 33 and 53 bits (Cody & Waite).
REVODE_HD double sine_of_turned(double x, std::uint64_t turn) {
  constexpr double magic = 0x1.8p52, two_over_pi = 0x1.45f306dc9c883p-1;
  constexpr double high = 0x1.921fb544p0, middle = 0x1.0b4611a6p-34, low = 0x1.3198a2e037073p-69;
  const double shifted = x * two_over_pi + magic;
  const double k = shifted - magic;
  const double a = x - k * high;  // exact for |k| < 2^20
  const double b = k * middle;
  const double r0 = a - b;
  const double lost = (a - r0) - b - k * low;
  const double r = r0 + lost, rest = (r0 - r) + lost;
  const std::uint64_t quadrant = __builtin_bit_cast(std::uint64_t, shifted) + turn;
  const double sine = sine_of_quarter(r, rest), cosine = cosine_of_quarter(r, rest);
  const double result = (quadrant & 1) != 0 ? cosine : sine;
  return (quadrant & 2) != 0 ? -result : result;
}
REVODE_HD double fast_sin(double x) { return sine_of_turned(x, 0); }
REVODE_HD double fast_cos(double x) { return sine_of_turned(x, 1); }

template <differentiable X>
REVODE_HD X fast_exp(const X& x) {
  const auto e = fast_exp(x.value);
  return chained(x, e, e);
}
template <differentiable X>
REVODE_HD X fast_log(const X& x) {
  return chained(x, fast_log(x.value), inner_t<X>(lift<inner_t<X>>(1) / x.value));
}
template <differentiable X>
REVODE_HD X fast_tanh(const X& x) {
  const auto t = fast_tanh(x.value);
  const auto one = lift<inner_t<X>>(1);
  return chained(x, t, inner_t<X>((one - t) * (one + t)));
}
template <differentiable X>
REVODE_HD X fast_sin(const X& x) {
  return chained(x, fast_sin(x.value), fast_cos(x.value));
}
template <differentiable X>
REVODE_HD X fast_cos(const X& x) {
  return chained(x, fast_cos(x.value), inner_t<X>(-fast_sin(x.value)));
}
/// A constant exponent.
template <differentiable X>
REVODE_HD X fast_pow(const X& x, double a) {
  const auto power = fast_pow(x.value, a);
  return chained(x, power, inner_t<X>(lift<inner_t<X>>(a) * power / x.value));
}
/// Both move.
template <differentiable X>
REVODE_HD X fast_pow(const X& x, const X& a) {
  const auto power = fast_pow(x.value, a.value);
  return chained(x, a, power, inner_t<X>(a.value * power / x.value),
                 inner_t<X>(power * fast_log(x.value)));
}

}  // namespace elementary
}  // namespace revode
