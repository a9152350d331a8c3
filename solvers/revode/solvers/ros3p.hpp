// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock.hpp>

namespace revode {

/// Order 3 on nonlinear parabolic problems, too; two evaluations of the field a step. A-stable,
/// |R(∞)| = 0.73. Dense output of order 2.
struct ros3p {
  static constexpr const char* name = "ros3p";
  static constexpr const char* source = "Lang & Verwer, BIT 41 (2001) 731-738, section 3";
  static constexpr int order = 3, embedded_order = 2, dense_order = 2;
  static constexpr double g = 0.78867513459481288225;  // 1/2 + √3/6
  static constexpr rosenbrock_tableau<3> rosenbrock =
      from_increments<3>({.alpha = {{}, {1}, {1, 0}},
                          .gamma = {{g}, {-1, g}, {-g, 0.5 - 2 * g, g}},
                          .b = {2. / 3, 0, 1. / 3},
                          .e = {1. / 3, -1. / 3, 0}});
  static constexpr auto dense_rows = quadratic_rows(rosenbrock, 0, 2);
};

}  // namespace revode
