// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Kraaijevanger's strong-stability-preserving method of order 3 with four stages (SSP coefficient 2)
/// and an embedded one of order 2 that preserves it, too.
struct ssprk43 {
  static constexpr const char* name = "ssprk43";
  static constexpr const char* source =
      "Kraaijevanger, BIT 31 (1991) 482-528; estimate: Conde, Fekete & Shadid, arXiv:1806.08693";
  static constexpr int order = 3, embedded_order = 2, dense_order = 3;
  static constexpr butcher_tableau<4> tableau{
      .a = {{}, {1. / 2}, {1. / 2, 1. / 2}, {1. / 6, 1. / 6, 1. / 6}},
      .b = {1. / 6, 1. / 6, 1. / 6, 1. / 2},
      .b_embedded = {1. / 4, 1. / 4, 1. / 4, 1. / 4},
      .c = {0, 1. / 2, 1, 1. / 2}};
  static constexpr dense_tableau<4, 1, 3> dense = cubic_hermite<1>(tableau);
};

}  // namespace revode
