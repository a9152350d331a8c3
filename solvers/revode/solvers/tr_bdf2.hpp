// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// TR-BDF2: L-stable, order 2, with an estimate by a formula of order 3, filtered.
/// dense output  by the stages' values, of order 2 like the method (esdirk_rows.hpp)
struct tr_bdf2 {
  static constexpr const char* name = "tr_bdf2";
  static constexpr const char* source = "Hosea & Shampine, Appl. Numer. Math. 20 (1996) 21-37";
  static constexpr int order = 2, embedded_order = 3, dense_order = 2, estimate_order = 2;
  static constexpr bool filtered = true;
  static constexpr double root2 = 1.414213562373095048802;
  static constexpr esdirk_tableau<3> tableau = {
      .a = {{}, {1 - 0.5 * root2, 1 - 0.5 * root2}, {0.25 * root2, 0.25 * root2, 1 - 0.5 * root2}},
      .b_embedded = {(1 - 0.25 * root2) / 3, (0.75 * root2 + 1) / 3, (2 - root2) / 6},
      .c = {0, 2 - root2, 1}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
