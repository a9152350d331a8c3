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

/// log2_error and exp2_approx, to the bit: what a clamp would give is chosen after the polynomial.
/// Before it, compilers make branches of the clamps, and the polynomial waits for them.
REVODE_HD double log2_error_in_lane(double x) {
  constexpr double most = 0x1.fffffffffffffp1023, least = 0x1p-82;
  const double found = select(x > least, log2_of_normal(x), -80.0);
  const double log2 = select(found > -80, found, -80.0);
  return select(x < most, log2, select(x <= least, -80.0, log2_of_normal(most)));
}
REVODE_HD double exp2_in_lane(double y) {
  const double large = select(y < 1023.0, exp2_in_range(y), 0x1p1023);
  return select(y > -1022.0, large, 0x1p-1022);
}

/// log2_error of the last two accepted steps, and whether the last attempt was rejected.
struct lane_controller_memory {
  double previous = 0;
  double before = 0;
  bool rejected = false;
};

/// propose_factor without branches, log2_error given and those before remembered: the same bits.
REVODE_HD double propose_lane_factor(const pid_controller& c, lane_controller_memory& m,
                                     double error_squared, double log2, int order) {
  const double k = -0.5 / order;
  const bool good = error_squared <= 1;
  const bool keeps = (error_squared >= c.keep_from) & (error_squared <= c.keep_to);
  // With p = d = 0 this subtracts a zero.
  const double power =
      k * (c.p + c.i + c.d) * log2 - k * ((c.p + 2 * c.d) * m.previous - c.d * m.before);
  double factor = c.safety * exp2_in_lane(select(good, power, k * log2));
  const double most = select(good, select(m.rejected, 1.0, c.factor_max), 0x1p1023);
  factor = select(factor > c.factor_min, factor, c.factor_min);
  factor = select(factor < most, factor, most);
  m.before = select(good, m.previous, m.before);
  m.previous = select(good, log2, m.previous);
  m.rejected = !good;
  return select(good & keeps, 1.0, factor);
}

}  // namespace revode
