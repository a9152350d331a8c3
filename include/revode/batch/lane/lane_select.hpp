// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/config.hpp>

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

}  // namespace revode
