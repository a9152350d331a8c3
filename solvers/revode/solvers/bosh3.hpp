// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Bogacki–Shampine 3(2) pair.
struct bosh3 {
  static constexpr const char* name = "bosh3";
  static constexpr const char* source = "Bogacki & Shampine, Appl. Math. Lett. 2 (1989) 321-325";
  static constexpr int order = 3, embedded_order = 2, dense_order = 3;
  static constexpr butcher_tableau<4> tableau{
      .a = {{}, {1. / 2}, {0, 3. / 4}, {2. / 9, 1. / 3, 4. / 9}},
      .b = {2. / 9, 1. / 3, 4. / 9, 0},
      .b_embedded = {7. / 24, 1. / 4, 1. / 3, 1. / 8},
      .c = {0, 1. / 2, 3. / 4, 1}};
  static constexpr dense_tableau<4, 0, 3> dense = cubic_hermite<0>(tableau);
};

}  // namespace revode
