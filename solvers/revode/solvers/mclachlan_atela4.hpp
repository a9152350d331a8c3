// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/partitioned/partitioned.hpp>

namespace revode {

/// McLachlan and Atela's method of order 4 with four pairs of substeps, of least error, for q'' = f(q) with a kinetic
/// energy that is quadratic in p; of order 3 otherwise, and where q' depends on t.
struct mclachlan_atela4 {
  static constexpr const char* name = "mclachlan_atela4";
  static constexpr const char* source = "McLachlan & Atela, Nonlinearity 5 (1992) 541-562";
  static constexpr int order = 4, dense_order = 3;
  static constexpr bool hermite = true;
  static constexpr splitting<4> substeps{.kick = {0.1344961992774310892, -0.2248198030794208058,
                                                  0.7563200005156682911, 0.3340036032863214255},
                                         .drift = {0.5153528374311229364, -0.085782019412973646,
                                                   0.4415830236164665242, 0.1288461583653841854}};
};

}  // namespace revode
