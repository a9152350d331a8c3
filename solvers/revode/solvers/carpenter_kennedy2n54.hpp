// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/low_storage.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Carpenter and Kennedy's method of order 4 with five stages in two registers.
struct carpenter_kennedy2n54 {
  static constexpr const char* name = "carpenter_kennedy2n54";
  static constexpr const char* source = "Carpenter & Kennedy, NASA TM 109112 (1994), solution 3";
  static constexpr int order = 4, embedded_order = 0, dense_order = 3;
  static constexpr two_n_form<5> form{
      .alpha = {0, -567301805773. / 1357537059087, -2404267990393. / 2016746695238,
                -3550918686646. / 2091501179385, -1275806237668. / 842570457699},
      .beta = {1432997174477. / 9575080441755, 5161836677717. / 13612068292357,
               1720146321549. / 2090206949498, 3134564353537. / 4481467310338,
               2277821191437. / 14882151754819},
      .c = {0, 1432997174477. / 9575080441755, 2526269341429. / 6820363962896,
            2006345519317. / 3224310063776, 2802321613138. / 2924317926251}};
  static constexpr butcher_tableau<5> tableau = tableau_of(form);
  static constexpr dense_tableau<5, 1, 3> dense = cubic_hermite<1>(tableau);
};

}  // namespace revode
