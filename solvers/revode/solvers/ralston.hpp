// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Ralston's method of order 2: least bound of the local error.
/// estimate  y₁ − (y + h k_1): embedded Euler
struct ralston {
  static constexpr const char* name = "ralston";
  static constexpr const char* source = "Ralston, Math. Comp. 16 (1962) 431-437";
  static constexpr int order = 2, embedded_order = 1, dense_order = 2;
  static constexpr butcher_tableau<2> tableau{
      .a = {{}, {2. / 3}}, .b = {1. / 4, 3. / 4}, .b_embedded = {1, 0}, .c = {0, 2. / 3}};
  static constexpr dense_tableau<2, 1, 3> dense = cubic_hermite<1>(tableau);
};

}  // namespace revode
