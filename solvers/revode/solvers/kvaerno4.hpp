// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// Kværnø's ESDIRK 4(3) with 5 stages; the estimate is the distance from its fourth stage, which is
/// L-stable; the last one is A-stable with |R(∞)| = 0.72.
/// dense output  by the stages' values, of order 3 (esdirk_rows.hpp)
struct kvaerno4 {
  static constexpr const char* name = "kvaerno4";
  static constexpr const char* source = "Kvaerno, BIT 44 (2004) 489-502";
  static constexpr int order = 4, embedded_order = 3, dense_order = 3;
  static constexpr bool filtered = false;
  static constexpr esdirk_tableau<5> tableau = {
      .a = {{},
            {0.4358665215084589994160194511935568425, 0.4358665215084589994160194511935568425},
            {0.1407377747247061961864132309262694299, -0.1083655513813207999782253192353360265,
             0.4358665215084589994160194511935568425},
            {0.1023994006199109976822794150595997362, -0.3768784522555561060886970749014278247,
             0.8386125301271861089903982086482712460, 0.4358665215084589994160194511935568425},
            {0.1570248978603249371007885739812418750, 0.1173304413704388486968184370770592279,
             0.6166780303921214643483881261433096865, -0.3268998911313442495620145883951676319,
             0.4358665215084589994160194511935568425}},
      .b_embedded = {0.1023994006199109976822794150595997362,
                     -0.3768784522555561060886970749014278247,
                     0.8386125301271861089903982086482712460,
                     0.4358665215084589994160194511935568425, 0},
      .c = {0, 0.871733043016917998832038902387113685, 0.4682387448518443956242073628844902460, 1,
            1}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
