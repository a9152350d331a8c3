// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock.hpp>

namespace revode {

/// Five stages, three evaluations of the field, order 3 on parabolic problems as well, L-stable and
/// stiffly accurate, as its embedded method is. Dense output of order 3 by the published rows.
struct rodas3p {
  static constexpr const char* name = "rodas3p";
  static constexpr const char* source =
      "Steinebach, Comput. Methods Appl. Math. 24 (2024) 1-17 (Rodas3P)";
  static constexpr int order = 3, embedded_order = 2, dense_order = 3;
  static constexpr rosenbrock_tableau<5> rosenbrock{
      .gamma = 1. / 3,
      .a = {{}, {4. / 3}, {}, {2.90625, 3.375, 0.40625}, {2.90625, 3.375, 0.40625}},
      .c = {{}, {-4}, {8.25, 6.75}, {1.21875, -5.0625, -1.96875}, {4.03125, -15.1875, -4.03125, 6}},
      .m = {2.90625, 3.375, 0.40625, 0, 1},
      .e = {0, 0, 0, -1, 1},
      .node = {0, 4. / 9, 0, 1, 1},
      .driven = {1. / 3, -1. / 9, 1, 0, 0}};
  static constexpr rosenbrock_rows<5, 2> dense_rows{
      {{1.78125, 6.75, 0.15625, -6, -1}, {4.21875, -15.1875, -3.09375, 9, 0}}};
};

}  // namespace revode
