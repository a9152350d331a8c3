// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// The classical Runge–Kutta method; no error estimate.
struct rk4 {
  static constexpr const char* name = "rk4";
  static constexpr const char* source = "Kutta, Z. Math. Phys. 46 (1901) 435-453";
  static constexpr int order = 4, embedded_order = 0, dense_order = 3;
  static constexpr butcher_tableau<4> tableau{.a = {{}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}},
                                              .b = {1. / 6, 1. / 3, 1. / 3, 1. / 6},
                                              .b_embedded = {},
                                              .c = {0, 1. / 2, 1. / 2, 1}};
  static constexpr dense_tableau<4, 1, 3> dense = cubic_hermite<1>(tableau);
};

}  // namespace revode
