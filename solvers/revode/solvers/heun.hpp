// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Heun's method of order 2, the explicit trapezoidal rule.
/// estimate  y₁ − (y + h k_1): embedded Euler
struct heun {
  static constexpr const char* name = "heun";
  static constexpr const char* source = "Heun, Z. Math. Phys. 45 (1900) 23-38";
  static constexpr int order = 2, embedded_order = 1, dense_order = 2;
  static constexpr butcher_tableau<2> tableau{
      .a = {{}, {1}}, .b = {1. / 2, 1. / 2}, .b_embedded = {1, 0}, .c = {0, 1}};
  static constexpr dense_tableau<2, 1, 3> dense = cubic_hermite<1>(tableau);
};

}  // namespace revode
