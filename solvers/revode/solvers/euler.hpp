// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Explicit Euler: y₁ = y + h f(t, y); linear interpolation.
struct euler {
  static constexpr const char* name = "euler";
  static constexpr const char* source =
      "Euler, Institutionum calculi integralis I (1768), section 2, chapter 7";
  static constexpr int order = 1, embedded_order = 0, dense_order = 1;
  static constexpr butcher_tableau<1> tableau{.a = {{0}}, .b = {1}, .b_embedded = {0}, .c = {0}};
  static constexpr dense_tableau<1, 0, 1> dense{.a = {}, .c = {}, .weights = {{1}}};
};

}  // namespace revode
