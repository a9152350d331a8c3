// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/config.hpp>
#include <revode/solve/controller.hpp>

namespace revode {

// Choices without a branch. On the host they are written with masks: compilers turn a chain of ?: into
// branches that depend on each other, and then cannot make vectors of them.

REVODE_HD std::int64_t select(bool yes, std::int64_t a, std::int64_t b) {
#if defined(__CUDA_ARCH__)
  return yes ? a : b;
#else
  const std::int64_t mask = -static_cast<std::int64_t>(yes);
  return (a & mask) | (b & ~mask);
#endif
}

REVODE_HD double select(bool yes, double a, double b) {
#if defined(__CUDA_ARCH__)
  return yes ? a : b;
#else
  return __builtin_bit_cast(double, select(yes, __builtin_bit_cast(std::int64_t, a),
                                           __builtin_bit_cast(std::int64_t, b)));
#endif
}

REVODE_HD float select(bool yes, float a, float b) {
#if defined(__CUDA_ARCH__)
  return yes ? a : b;
#else
  const std::int32_t mask = -static_cast<std::int32_t>(yes);
  return __builtin_bit_cast(float, (__builtin_bit_cast(std::int32_t, a) & mask) |
                                       (__builtin_bit_cast(std::int32_t, b) & ~mask));
#endif
}

/// The smaller or greater of two; the second where the first is NaN: one instruction of a vector.
REVODE_HD double min_of(double x, double y) { return x < y ? x : y; }
REVODE_HD double max_of(double x, double y) { return x > y ? x : y; }

/// log2_error, to the bit: log2_of_normal never decreases and is exact at powers of two, so that its
/// argument can be clamped in place of its result. Plain: infinity and NaN give 1024 or more.
template <bool Plain>
REVODE_HD double log2_error_in_lane(double x) {
  if constexpr (!Plain) x = min_of(x, 0x1.fffffffffffffp1023);
  return log2_of_normal(Plain ? select(x < 0x1p-80, 0x1p-80, x) : max_of(x, 0x1p-80));
}

/// Controllers whose clamps but those on the factor never act: powers stay in the range of
/// exp2_in_range, and the factor of any rejection is below 1 and that of an infinite error below
/// factor_min.
REVODE_HD bool is_plain(const pid_controller& c, double max_step, int order) {
  return c.d == 0 && c.p >= 0 && c.i >= 0 && c.p + c.i <= 4 && c.safety > 0 && c.safety <= 1 &&
         c.factor_min >= 1e-9 && c.factor_max >= 1 && c.keep_to <= 1 && !(max_step > 0) &&
         order >= 2 && order <= 16;
}

/// log2_error of the last two accepted steps, and the most that the next may grow by.
struct lane_controller_memory {
  double previous = 0;
  double before = 0;
  double most = 0;
};

/// propose_factor without branches, log2_error given and those before remembered: the same bits.
template <bool Plain>
REVODE_HD double propose_lane_factor(const pid_controller& c, const lane_controller_memory& m,
                                     bool good, double error_squared, double log2, int order) {
  const double k = -0.5 / order;
  const bool keeps = (error_squared >= c.keep_from) & (error_squared <= c.keep_to);
  if constexpr (Plain) {
    const double power = k * (c.p + c.i) * log2 - k * (c.p * m.previous);
    const double factor = c.safety * exp2_in_range(select(good, power, k * log2));
    return select(keeps, 1.0, min_of(max_of(factor, c.factor_min), m.most));
  } else {
    const double memory = (c.p + 2 * c.d) * m.previous - c.d * m.before;
    const double power = k * (c.p + c.i + c.d) * log2 - k * memory;  // p = d = 0: subtracts a zero
    const double factor =
        max_of(c.safety * exp2_approx(select(good, power, k * log2)), c.factor_min);
    const double most = select(good, m.most, __builtin_huge_val());
    return select(good & keeps, 1.0, min_of(factor, most));
  }
}

}  // namespace revode
