// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// Kværnø's ESDIRK 3(2) with 4 stages: L-stable; the estimate is the distance from its third stage,
/// which is L-stable too.
/// dense output  by the stages' values, of order 3 (esdirk_rows.hpp)
struct kvaerno3 {
  static constexpr const char* name = "kvaerno3";
  static constexpr const char* source = "Kvaerno, BIT 44 (2004) 489-502";
  static constexpr int order = 3, embedded_order = 2, dense_order = 3;
  static constexpr bool filtered = false;
  static constexpr esdirk_tableau<4> tableau = {
      .a = {{},
            {0.4358665215084589994160194511935568425, 0.4358665215084589994160194511935568425},
            {0.4905633884217805706284679584665446902, 0.07357009006976042995551259033989846724,
             0.4358665215084589994160194511935568425},
            {0.3088099699767465233481624698867005109, 1.490563388421780570628467958466544690,
             -1.235239879906986093392649879546802044, 0.4358665215084589994160194511935568425}},
      .b_embedded = {0.4905633884217805706284679584665446902,
                     0.07357009006976042995551259033989846724,
                     0.4358665215084589994160194511935568425, 0},
      .c = {0, 0.871733043016917998832038902387113685, 1, 1}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
