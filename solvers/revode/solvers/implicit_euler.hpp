// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// Implicit Euler as an ESDIRK method: L-stable, order 1. The estimate is the distance from the
/// trapezoidal rule, filtered.
/// dense output  cubic Hermite polynomial, of order 1 like the method
struct implicit_euler {
  static constexpr const char* name = "implicit_euler";
  static constexpr const char* source =
      "Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), section IV.3";
  static constexpr int order = 1, embedded_order = 2, dense_order = 1, estimate_order = 1;
  static constexpr bool filtered = true;
  static constexpr esdirk_tableau<2> tableau = {
      .a = {{}, {0, 1}}, .b_embedded = {0.5, 0.5}, .c = {0, 1}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
