// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// ESDIRK3(2)5L[2]SA: L-stable, both formulas; 5 stages.
/// dense output  by the stages' values, of order 3 (esdirk_rows.hpp)
struct esdirk325 {
  static constexpr const char* name = "esdirk325";
  static constexpr const char* source =
      "Kennedy & Carpenter, NASA/TM-2016-219173 (2016), ESDIRK3(2)5L[2]SA";
  static constexpr int order = 3, embedded_order = 2, dense_order = 3;
  static constexpr bool filtered = false;
  static constexpr double root2 = 1.414213562373095048802;
  static constexpr esdirk_tableau<5> tableau = with_row_sums<5>(
      {.a = {{},
             {0, 0.225},
             {0, 9 * (1 + root2) / 80, 0.225},
             {0, (22 + 15 * root2) / (80 * (1 + root2)), -7 / (40 * (1 + root2)), 0.225},
             {0, (2398 + 1205 * root2) / (2835 * (4 + 3 * root2)),
              -2374 * (1 + 2 * root2) / (2835 * (5 + 3 * root2)), 5827. / 7560, 0.225}},
       .b_embedded = {(-4800247 + 5547709 * root2) / 16519545,
                      (-4800247 + 5547709 * root2) / 16519545, 11095418 * (1 - root2) / 16519545,
                      30698249. / 44052120, 49563. / 233080},
       .c = {0, 0.45, 9 * (2 + root2) / 40, 0.6, 1}});

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
