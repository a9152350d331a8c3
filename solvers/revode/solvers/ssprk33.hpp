// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Shu and Osher's strong-stability-preserving method of order 3 (SSP coefficient 1).
struct ssprk33 {
  static constexpr const char* name = "ssprk33";
  static constexpr const char* source = "Shu & Osher, J. Comput. Phys. 77 (1988) 439-471";
  static constexpr int order = 3, embedded_order = 0, dense_order = 3;
  static constexpr butcher_tableau<3> tableau{.a = {{}, {1}, {1. / 4, 1. / 4}},
                                              .b = {1. / 6, 1. / 6, 2. / 3},
                                              .b_embedded = {},
                                              .c = {0, 1, 1. / 2}};
  static constexpr dense_tableau<3, 1, 3> dense = cubic_hermite<1>(tableau);
};

}  // namespace revode
