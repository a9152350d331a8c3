// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// ESDIRK5(4)7L[2]SA2: L-stable; 7 stages.
/// dense output  by the stages' values, of order 4 (esdirk_rows.hpp)
struct esdirk547 {
  static constexpr const char* name = "esdirk547";
  static constexpr const char* source =
      "Kennedy & Carpenter, Appl. Numer. Math. 146 (2019) 221-244, ESDIRK5(4)7L[2]SA2";
  static constexpr int order = 5, embedded_order = 4, dense_order = 4;
  static constexpr bool filtered = true;
  static constexpr esdirk_tableau<7> tableau = with_row_sums<7>(
      {.a = {{},
             {0, 0.184},
             {0, 791020047304. / 3561426431547, 0.184},
             {0, -158159076358. / 11257294102345, -85517644447. / 5003708988389, 0.184},
             {0, -1653327111580. / 4048416487981, 1514767744496. / 9099671765375,
              14283835447591. / 12247432691556, 0.184},
             {0, -4540011970825. / 8418487046959, -1790937573418. / 7393406387169,
              10819093665085. / 7266595846747, 4109463131231. / 7386972500302, 0.184},
             {0, -188593204321. / 4778616380481, 2809310203510. / 10304234040467,
              1021729336898. / 2364210264653, 870612361811. / 2470410392208,
              -1307970675534. / 8059683598661, 0.184}},
       .b_embedded = {-582099335757. / 7214068459310, -582099335757. / 7214068459310,
                      615023338567. / 3362626566945, 3192122436311. / 6174152374399,
                      6156034052041. / 14430468657929, -1011318518279. / 9693750372484,
                      1914490192573. / 13754262428401},
       .c = {0, 46. / 125, 7121331996143. / 11335814405378, 49. / 353,
             3706679970760. / 5295570149437, 347. / 382, 1}});

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
