// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/config.hpp>

namespace revode {

/// The system of a lane among several: an attempt without a solution goes through all its stages, as
/// those beside it do, and says why by its squared error, since lanes share vectors of double alone.
/// Numbers that no estimate is; the controller takes them for infinity.
template <class System>
inline constexpr bool goes_on_v = requires {
  requires System::goes_on;
};
inline constexpr double error_of_singular_matrix = 0x1.ffffffffffffep1023;
inline constexpr double error_of_no_jacobian = 0x1.ffffffffffffdp1023;

/// error, or where there was no solution why; by masks, which compilers do not turn into branches.
REVODE_HD double error_or_trouble(double error, bool solvable, bool finite) {
  const auto bits = [](double x) __attribute__((always_inline)) {
    return __builtin_bit_cast(std::int64_t, x);
  };
  const auto pick = [](bool yes, std::int64_t a, std::int64_t b) __attribute__((always_inline)) {
    const std::int64_t mask = -static_cast<std::int64_t>(yes);
    return (a & mask) | (b & ~mask);
  };
  const auto why = pick(finite, bits(error_of_singular_matrix), bits(error_of_no_jacobian));
  return __builtin_bit_cast(double, pick(solvable, bits(error), why));
}

}  // namespace revode
