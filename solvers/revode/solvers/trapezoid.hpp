// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// Trapezoidal rule: A-stable, order 2, not damping. The estimate is the distance from the formula
/// with the last slope alone, of order 1, filtered.
/// dense output  cubic Hermite polynomial, of order 2 like the method
struct trapezoid {
  static constexpr const char* name = "trapezoid";
  static constexpr const char* source =
      "Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), section IV.3";
  static constexpr int order = 2, embedded_order = 1, dense_order = 2;
  static constexpr bool filtered = true;
  static constexpr esdirk_tableau<2> tableau = {
      .a = {{}, {0.5, 0.5}}, .b_embedded = {0, 1}, .c = {0, 1}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
