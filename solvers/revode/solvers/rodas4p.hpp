// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock.hpp>

namespace revode {

/// Six stages, order 4(3), L-stable and stiffly accurate; keeps its order on linear parabolic
/// problems. Dense output of order 3.
struct rodas4p {
  static constexpr const char* name = "rodas4p";
  static constexpr const char* source =
      "Steinebach, preprint 1741, TH Darmstadt (1995); third set of coefficients of RODAS";
  static constexpr int order = 4, embedded_order = 3, dense_order = 3;
  static constexpr rosenbrock_tableau<6> rosenbrock = stiffly_accurate<6>(
      {.gamma = 0.25,
       .a = {{},
             {3},
             {1.831036793486759, 0.4955183967433795},
             {2.304376582692669, -0.05249275245743001, -1.176798761832782},
             {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401},
             {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1}},
       .c = {{},
             {-12},
             {-8.791795173947035, -2.207865586973518},
             {10.81793056857153, 6.780270611428266, 19.53485944642410},
             {34.19095006749676, 15.49671153725963, 54.74760875964130, 14.16005392148534},
             {34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095,
              -5.714285714285717}},
       .m = {},
       .e = {},
       .node = {0, 0.75, 0.21, 0.63, 1, 1},
       .driven = {0.25, -0.5, -0.023504, -0.0362, 0, 0}});
  static constexpr rosenbrock_rows<6, 2> dense_rows{
      {{25.09876703708589, 11.62013104361867, 28.49148307714626, -5.664021568594133, 0, 0},
       {1.638054557396973, -0.7373619806678748, 8.477918219238990, 15.99253148779520,
        -1.882352941176471, 0}}};
};

}  // namespace revode
