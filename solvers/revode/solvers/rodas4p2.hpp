// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock.hpp>

namespace revode {

/// Six stages, order 4(3), L-stable and stiffly accurate; keeps its order on parabolic problems and
/// order 2 with any J. Dense output of order 3. A good choice down to rtol 1e-5.
struct rodas4p2 {
  static constexpr const char* name = "rodas4p2";
  static constexpr const char* source =
      "Steinebach, Improvement of Rosenbrock-Wanner method RODASP, Progress in DAEs II (2020)";
  static constexpr int order = 4, embedded_order = 3, dense_order = 3;
  static constexpr int w_order = 2;  // whatever J is
  static constexpr rosenbrock_tableau<6> rosenbrock = stiffly_accurate<6>(
      {.gamma = 0.25,
       .a = {{},
             {3},
             {0.906377755268814, -0.189707390391685},
             {3.758617027739064, 1.161741776019525, -0.849258085312803},
             {7.089566927282776, 4.573591406461604, -8.423496976860259, -0.959280113459775},
             {7.089566927282776, 4.573591406461604, -8.423496976860259, -0.959280113459775, 1}},
       .c = {{},
             {-12},
             {-6.354581592719008, 0.338972550544623},
             {-8.575016317114033, -7.606483992117508, 12.224997650124820},
             {-5.888975457523102, -8.157396617841821, 24.805546872612922, 12.790401512796979},
             {-4.408651676063871, -6.692003137674639, 24.625568527593117, 16.627521966636085,
              -5.714285714285718}},
       .m = {},
       .e = {},
       .node = {0, 0.75, 0.321448134013046, 0.519745732277726, 1, 1},
       .driven = {0.25, -0.5, -0.189532918363016, 0.085612108792769, 0, 0}});
  static constexpr rosenbrock_rows<6, 2> dense_rows{
      {{-5.323528268423303, -10.042123754867493, 17.175254928256965, -5.079931171878093,
        -0.016185991706112, 0},
       {6.984505741529879, 6.914061169603662, -0.849178943070653, 18.104410789349338,
        -3.516963011559032, 0}}};
};

}  // namespace revode
