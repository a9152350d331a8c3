// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// ESDIRK4(3)6L[2]SA: L-stable, both formulas; 6 stages.
/// dense output  by the stages' values, of order 3 (esdirk_rows.hpp)
struct esdirk436 {
  static constexpr const char* name = "esdirk436";
  static constexpr const char* source =
      "Kennedy & Carpenter, NASA/TM-2016-219173 (2016), ESDIRK4(3)6L[2]SA";
  static constexpr int order = 4, embedded_order = 3, dense_order = 3;
  static constexpr bool filtered = false;
  static constexpr double root2 = 1.414213562373095048802;
  static constexpr esdirk_tableau<6> tableau = with_row_sums<6>(
      {.a = {{},
             {0, 0.25},
             {0, (1 - root2) / 8, 0.25},
             {0, (5 - 7 * root2) / 64, 7 * (1 + root2) / 32, 0.25},
             {0, -(13796 + 54539 * root2) / 125000, (506605 + 132109 * root2) / 437500,
              166 * (-97 + 376 * root2) / 109375, 0.25},
             {0, (1181 - 987 * root2) / 13782, 47 * (-267 + 1783 * root2) / 273343,
              -16 * (-22922 + 3525 * root2) / 571953, -15625 * (97 + 376 * root2) / 90749876,
              0.25}},
       .b_embedded = {-480923228411. / 4982971448372, -480923228411. / 4982971448372,
                      6709447293961. / 12833189095359, 3513175791894. / 6748737351361,
                      -498863281070. / 6042575550617, 2077005547802. / 8945017530137},
       .c = {0, 0.5, (2 - root2) / 4, 0.625, 1.04, 1}});

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
