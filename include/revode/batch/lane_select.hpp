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

/// log2_error of the last two accepted steps, and whether the last attempt was rejected.
struct lane_controller_memory {
  double previous = 0;
  double before = 0;
  bool rejected = false;
};

/// propose_factor without branches and with its logarithms remembered: the same bits.
REVODE_HD double propose_lane_factor(const pid_controller& c, lane_controller_memory& m,
                                     double error_squared, int order) {
  const double k = -0.5 / order;
  const bool good = error_squared <= 1;
  const bool keeps = error_squared >= c.keep_from && error_squared <= c.keep_to;
  const double log2 = log2_error(error_squared);
  // With p = d = 0 this subtracts a zero.
  const double power =
      k * (c.p + c.i + c.d) * log2 - k * ((c.p + 2 * c.d) * m.previous - c.d * m.before);
  double factor = c.safety * exp2_approx(select(good, power, k * log2));
  const double most = select(good, select(m.rejected, 1.0, c.factor_max), 0x1p1023);
  factor = factor > c.factor_min ? factor : c.factor_min;
  factor = factor < most ? factor : most;
  m.before = select(good, m.previous, m.before);
  m.previous = select(good, log2, m.previous);
  m.rejected = !good;
  return select(good && keeps, 1.0, factor);
}

}  // namespace revode
