// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/partitioned/partitioned.hpp>

namespace revode {

/// Störmer–Verlet in its velocity form (leapfrog): half a kick, a drift, half a kick. One evaluation
/// of p' and one of q' a step.
struct stormer_verlet {
  static constexpr const char* name = "stormer_verlet";
  static constexpr const char* source =
      "Verlet, Phys. Rev. 159 (1967) 98-103; Hairer, Lubich & Wanner, Acta Numerica 12 (2003) "
      "399-450";
  static constexpr int order = 2, dense_order = 3;
  static constexpr bool hermite = true;
  static constexpr splitting<2> substeps{.kick = {0.5, 0.5}, .drift = {1, 0}};
};

}  // namespace revode
