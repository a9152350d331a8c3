// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/partitioned/partitioned.hpp>

namespace revode {

/// McLachlan and Atela's method of order 5 with six pairs of substeps, for q'' = f(q) with a kinetic
/// energy that is quadratic in p; of order 3 otherwise, and where q' depends on t.
struct mclachlan_atela5 {
  static constexpr const char* name = "mclachlan_atela5";
  static constexpr const char* source = "McLachlan & Atela, Nonlinearity 5 (1992) 541-562";
  static constexpr int order = 5, dense_order = 3;
  static constexpr bool hermite = true;
  static constexpr splitting<6> substeps{
      .kick = {0.1193900292875672758, 0.6989273703824752308, -0.1713123582716007754,
               0.4012695022513534480, 0.0107050818482359840, -0.0589796254980311632},
      .drift = {0.339839625839110000, -0.088601336903027329, 0.5858564768259621188,
                -0.603039356536491888, 0.3235807965546976394, 0.4423637942197494587}};
};

}  // namespace revode
