// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Ketcheson's strong-stability-preserving method of order 4 with ten stages (SSP coefficient 6).
struct ssprk104 {
  static constexpr const char* name = "ssprk104";
  static constexpr const char* source = "Ketcheson, SIAM J. Sci. Comput. 30 (2008) 2113-2136";
  static constexpr int order = 4, embedded_order = 0, dense_order = 3;
  static constexpr double s = 1. / 6, f = 1. / 15;
  static constexpr butcher_tableau<10> tableau{
      .a = {{},
            {s},
            {s, s},
            {s, s, s},
            {s, s, s, s},
            {f, f, f, f, f},
            {f, f, f, f, f, s},
            {f, f, f, f, f, s, s},
            {f, f, f, f, f, s, s, s},
            {f, f, f, f, f, s, s, s, s}},
      .b = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
      .b_embedded = {},
      .c = {0, s, 2 * s, 0.5, 4 * s, 2 * s, 0.5, 4 * s, 5 * s, 1}};
  static constexpr dense_tableau<10, 1, 3> dense = cubic_hermite<1>(tableau);
};

}  // namespace revode
