// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {

/// Owren and Zennaro's 5(4) pair, optimised for its continuous extension: order 5 without an extra
/// stage.
struct owren_zennaro5 {
  static constexpr const char* name = "owren_zennaro5";
  static constexpr const char* source =
      "Owren & Zennaro, SIAM J. Sci. Stat. Comput. 13 (1992) 1488-1501";
  static constexpr int order = 5, embedded_order = 4, dense_order = 5;
  static constexpr butcher_tableau<8> tableau{
      .a = {{},
            {1. / 6},
            {1. / 16, 3. / 16},
            {1. / 4, -3. / 4, 1},
            {-3. / 4, 15. / 4, -3, 1. / 2},
            {369. / 1372, -243. / 343, 297. / 343, 1485. / 9604, 297. / 4802},
            {-133. / 4512, 1113. / 6016, 7945. / 16544, -12845. / 24064, -315. / 24064,
             156065. / 198528},
            {83. / 945, 0, 248. / 825, 41. / 180, 1. / 36, 2401. / 38610, 6016. / 20475}},
      .b = {83. / 945, 0, 248. / 825, 41. / 180, 1. / 36, 2401. / 38610, 6016. / 20475},
      .b_embedded = {-1. / 9, 0, 40. / 33, -7. / 4, -1. / 12, 343. / 198},
      .c = {0, 1. / 6, 1. / 4, 1. / 2, 1. / 2, 9. / 14, 7. / 8, 1}};
  static constexpr dense_tableau<8, 0, 5> dense{
      .a = {},
      .c = {},
      .weights = {{1, -3292. / 819, 17893. / 2457, -4969. / 819, 596. / 315},
                  {},
                  {0, 5112. / 715, -43568. / 2145, 1344. / 65, -1984. / 275},
                  {0, -123. / 52, 3161. / 234, -1465. / 78, 118. / 15},
                  {0, -63. / 52, 1061. / 234, -413. / 78, 2},
                  {0, -40817. / 33462, 60025. / 50193, 2401. / 1521, -9604. / 6435},
                  {0, 18048. / 5915, -637696. / 53235, 96256. / 5915, -48128. / 6825},
                  {0, -18. / 13, 75. / 13, -109. / 13, 4}}};
};

}  // namespace revode
