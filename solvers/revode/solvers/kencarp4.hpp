// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>
#include <revode/solvers/implicit/imex_tableau.hpp>

namespace revode {

/// The implicit half of ARK4(3)6L[2]SA, whose explicit rows make imex<kencarp4>: L-stable, 6 stages.
/// dense output  by the stages' values, of order 3 (esdirk_rows.hpp)
struct kencarp4 {
  static constexpr const char* name = "kencarp4";
  static constexpr const char* imex_name = "kencarp4_imex";
  static constexpr const char* source =
      "Kennedy & Carpenter, Appl. Numer. Math. 44 (2003) 139-181, ARK4(3)6L[2]SA";
  static constexpr int order = 4, embedded_order = 3, dense_order = 3;
  static constexpr bool filtered = false;
  static constexpr esdirk_tableau<6> tableau = {
      .a = {{},
            {0.25, 0.25},
            {8611. / 62500, -1743. / 31250, 0.25},
            {5012029. / 34652500, -654441. / 2922500, 174375. / 388108, 0.25},
            {15267082809. / 155376265600, -71443401. / 120774400, 730878875. / 902184768,
             2285395. / 8070912, 0.25},
            {82889. / 524892, 0, 15625. / 83664, 69875. / 102672, -2260. / 8211, 0.25}},
      .b_embedded = {4586570599. / 29645900160, 0, 178811875. / 945068544, 814220225. / 1159782912,
                     -3700637. / 11593932, 61727. / 225920},
      .c = {0, 0.5, 83. / 250, 31. / 50, 17. / 20, 1}};
  static constexpr double explicit_rows[6][6] = {
      {},
      {0.5},
      {13861. / 62500, 6889. / 62500},
      {-116923316275. / 2393684061468, -2731218467317. / 15368042101831,
       9408046702089. / 11113171139209},
      {-451086348788. / 2902428689909, -2682348792572. / 7519795681897,
       12662868775082. / 11960479115383, 3355817975965. / 11060851509271},
      {647845179188. / 3216320057751, 73281519250. / 8382639484533, 552539513391. / 3454668386233,
       3354512671639. / 8306763924573, 4040. / 17871}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
