// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Dormand–Prince 5(4) pair RK5(4)7M with the continuous extension of order 4 of the code DOPRI5.
struct dopri5 {
  static constexpr const char* name = "dopri5";
  static constexpr const char* source =
      "Dormand & Prince, J. Comput. Appl. Math. 6 (1980) 19-26, Table 2; dense output: "
      "Hairer, Nørsett & Wanner, Solving ODEs I (1993), II.6; the code DOPRI5";
  static constexpr int order = 5, embedded_order = 4, dense_order = 4;
  static constexpr butcher_tableau<7> tableau{
      .a = {{},
            {1. / 5},
            {3. / 40, 9. / 40},
            {44. / 45, -56. / 15, 32. / 9},
            {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
            {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
            {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
      .b = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0},
      .b_embedded = {5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100,
                     1. / 40},
      .c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1}};
  static constexpr double interior[1][7] = {
      {-12715105075. / 11282082432, 0, 87487479700. / 32700410799, -10690763975. / 1880347072,
       701980252875. / 199316789632, -1453857185. / 822651844, 69997945. / 29380423}};
  static constexpr dense_tableau<7, 0, 4> dense =
      add_interior(hermite(tableau, dense_tableau<7, 0, 4>{}), interior);
};

}  // namespace revode
