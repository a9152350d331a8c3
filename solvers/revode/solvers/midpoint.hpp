// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Explicit midpoint rule.
/// estimate  y₁ − (y + h k_1): embedded Euler
struct midpoint {
  static constexpr const char* name = "midpoint";
  static constexpr const char* source = "Runge, Math. Ann. 46 (1895) 167-178";
  static constexpr int order = 2, embedded_order = 1, dense_order = 2;
  static constexpr butcher_tableau<2> tableau{
      .a = {{}, {1. / 2}}, .b = {0, 1}, .b_embedded = {1, 0}, .c = {0, 1. / 2}};
  static constexpr dense_tableau<2, 1, 3> dense = cubic_hermite<1>(tableau);
};

}  // namespace revode
