// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock.hpp>

namespace revode {

/// Four stages, order 3(2) with any J, L-stable and stiffly accurate. Dense output of order 3 by
/// the cubic that its order conditions determine.
struct ros34pw2 {
  static constexpr const char* name = "ros34pw2";
  static constexpr const char* source = "Rang & Angermann, BIT 45 (2005) 761-787, Table 4.1";
  static constexpr int order = 3, embedded_order = 2, dense_order = 3;
  static constexpr int w_order = 3;  // whatever J is
  static constexpr double g = 0.43586652150845900;
  static constexpr rosenbrock_tableau<4> rosenbrock = from_increments<4>(
      {.alpha = {{}, {0.87173304301691801}, {0.84457060015369423, -0.11299064236484185}, {0, 0, 1}},
       .gamma = {{g},
                 {-0.87173304301691801, g},
                 {-0.90338057013044082, 0.054180672388095326, g},
                 {0.24212380706095346, -1.2232505839045147, 0.54526025533510214, g}},
       .b = {0.24212380706095346, -1.2232505839045147, 1.5452602553351020, g},
       .e = {0.24212380706095346 - 0.37810903145819369, -1.2232505839045147 + 0.096042292212423178,
             1.5452602553351020 - 0.5, g - 0.21793326075422950}});
  static constexpr auto dense_rows = cubic_rows(rosenbrock);
};

/// The same method with a pull and push that hold J and ∂f/∂t at the step's start still: no second
/// derivatives. Since the order does not depend on J, the gradient has order 3, but it is not that
/// of the steps taken.
struct ros34pw2_held : ros34pw2 {
  static constexpr const char* name = "ros34pw2_held";
  static constexpr bool exact = false;
};

}  // namespace revode
