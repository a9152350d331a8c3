// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>
#include <revode/solvers/implicit/imex_tableau.hpp>

namespace revode {

/// The implicit half of ARK3(2)4L[2]SA, whose explicit rows make imex<kencarp3>: L-stable, 4 stages.
/// dense output  by the stages' values, of order 3 (esdirk_rows.hpp)
struct kencarp3 {
  static constexpr const char* name = "kencarp3";
  static constexpr const char* imex_name = "kencarp3_imex";
  static constexpr const char* source =
      "Kennedy & Carpenter, Appl. Numer. Math. 44 (2003) 139-181, ARK3(2)4L[2]SA";
  static constexpr int order = 3, embedded_order = 2, dense_order = 3;
  static constexpr bool filtered = false;
  static constexpr esdirk_tableau<4> tableau = {
      .a = {{},
            {0.4358665215084589994160194511935568425, 0.4358665215084589994160194511935568425},
            {0.2576482460664272457999960162840797093, -0.09351476757488624521601546747763655179,
             0.4358665215084589994160194511935568425},
            {0.1876410243467238251612921441668043914, -0.5952974735769549480478230275858851738,
             0.9717899277217721234705114322255239399, 0.4358665215084589994160194511935568425}},
      .b_embedded = {2756255671327. / 12835298489170, -10771552573575. / 22201958757719,
                     9247589265047. / 10645013368117, 2193209047091. / 5459859503100},
      .c = {0, 0.871733043016917998832038902387113685, 0.6, 1}};
  static constexpr double explicit_rows[4][4] = {
      {},
      {0.871733043016917998832038902387113685},
      {5535828885825. / 10492691773637, 788022342437. / 10882634858940},
      {6485989280629. / 16251701735622, -4246266847089. / 9704473918619,
       10755448449292. / 10357097424841}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
