// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock.hpp>

namespace revode {

/// Four stages, three evaluations of the field, order 3, L-stable and stiffly accurate: made for
/// atmospheric chemistry. Dense output of order 2.
struct rodas3 {
  static constexpr const char* name = "rodas3";
  static constexpr const char* source =
      "Sandu, Verwer, Blom, Spee, Carmichael & Potra, Atmos. Environ. 31 (1997) 3459-3472";
  static constexpr int order = 3, embedded_order = 2, dense_order = 2;
  static constexpr rosenbrock_tableau<4> rosenbrock =
      stiffly_accurate<4>({.gamma = 0.5,
                           .a = {{}, {}, {2}, {2, 0, 1}},
                           .c = {{}, {4}, {1, -1}, {1, -1, -8. / 3}},
                           .m = {},
                           .e = {},
                           .node = {0, 0, 1, 1},
                           .driven = {0.5, 1.5, 0, 0}});
  static constexpr auto dense_rows = quadratic_rows(rosenbrock, 0, 3);
};

}  // namespace revode
