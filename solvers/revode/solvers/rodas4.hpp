// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock.hpp>

namespace revode {

/// Six stages, order 4(3), L-stable and stiffly accurate. Dense output of order 3. On stiff
/// problems with a driving term or boundary the order falls; rodas4p and rodas4p2 keep it.
struct rodas4 {
  static constexpr const char* name = "rodas4";
  static constexpr const char* source =
      "Hairer & Wanner, Solving ODEs II, VI.4 (RODAS, first set of coefficients)";
  static constexpr int order = 4, embedded_order = 3, dense_order = 3;
  static constexpr rosenbrock_tableau<6> rosenbrock = stiffly_accurate<6>(
      {.gamma = 0.25,
       .a = {{},
             {1.544},
             {0.9466785280815826, 0.2557011698983284},
             {3.314825187068521, 2.896124015972201, 0.9986419139977817},
             {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
             {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}},
       .c = {{},
             {-5.6688},
             {-2.430093356833875, -0.2063599157091915},
             {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
             {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
             {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
              -6.058818238834054}},
       .m = {},
       .e = {},
       .node = {0, 0.386, 0.21, 0.63, 1, 1},
       .driven = {0.25, -0.1043, 0.1035, -0.0362, 0, 0}});
  static constexpr rosenbrock_rows<6, 2> dense_rows{
      {{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
        1.025137723295662, 0},
       {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
        -6.594389125716872, 0}}};
};

}  // namespace revode
