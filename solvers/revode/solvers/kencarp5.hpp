// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/esdirk.hpp>

namespace revode {

/// The implicit half of ARK5(4)8L[2]SA: L-stable, 8 stages.
/// dense output  cubic Hermite polynomial, of order 3
struct kencarp5 {
  static constexpr const char* name = "kencarp5";
  static constexpr const char* source =
      "Kennedy & Carpenter, Appl. Numer. Math. 44 (2003) 139-181, ARK5(4)8L[2]SA";
  static constexpr int order = 5, embedded_order = 4, dense_order = 3;
  static constexpr bool filtered = true;
  static constexpr esdirk_tableau<8> tableau = {
      .a = {{},
            {0.205, 0.205},
            {0.1025, -567603406766. / 11931857230679, 0.205},
            {683785636431. / 9252920307686, 0, -110385047103. / 1367015193373, 0.205},
            {3016520224154. / 10081342136671, 0, 30586259806659. / 12414158314087,
             -22760509404356. / 11113319521817, 0.205},
            {218866479029. / 1489978393911, 0, 638256894668. / 5436446318841,
             -1179710474555. / 5321154724896, -60928119172. / 8023461067671, 0.205},
            {1020004230633. / 5715676835656, 0, 25762820946817. / 25263940353407,
             -2161375909145. / 9755907335909, -211217309593. / 5846859502534,
             -4269925059573. / 7827059040749, 0.205},
            {-872700587467. / 9133579230613, 0, 0, 22348218063261. / 9555858737531,
             -1143369518992. / 8141816002931, -39379526789629. / 19018526304540,
             32727382324388. / 42900044865799, 0.205}},
      .b_embedded = {-975461918565. / 9796059967033, 0, 0, 78070527104295. / 32432590147079,
                     -548382580838. / 3424219808633, -33438840321285. / 15594753105479,
                     3629800801594. / 4656183773603, 4035322873751. / 18575991585200},
      .c = {0, 0.41, 2935347310677. / 11292855782101, 1426016391358. / 7196633302097, 0.92, 0.24,
            0.6, 1}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};
static_assert(has_order(kencarp5::tableau, 5, 4));

}  // namespace revode
