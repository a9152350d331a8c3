// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock.hpp>

namespace revode {

/// A pair of orders 2 and 3 for loose tolerances, L-stable; the third stage is f at the new point,
/// the first of the next step. Order 2 whatever J is, dense output of order 2.
struct rosenbrock23 {
  static constexpr const char* name = "rosenbrock23";
  static constexpr const char* source =
      "Shampine & Reichelt, SIAM J. Sci. Comput. 18 (1997) 1-22, section 3";
  static constexpr int order = 2, embedded_order = 3, estimate_order = 2, dense_order = 2;
  static constexpr int w_order = 2;                     // whatever J is
  static constexpr double d = 0.29289321881345247560;   // 1/(2 + √2)
  static constexpr double e32 = 7.4142135623730950488;  // 6 + √2
  static constexpr rosenbrock_tableau<3> rosenbrock =
      from_increments<3>({.alpha = {{}, {0.5}, {0, 1}},
                          .gamma = {{d}, {-d, d}, {d * (e32 - 2), -d* e32, d}},
                          .b = {0, 1, 0},
                          .e = {-1. / 6, 2. / 6, -1. / 6}});
  static constexpr auto dense_rows = quadratic_rows(rosenbrock, 0, 1);
};

}  // namespace revode
