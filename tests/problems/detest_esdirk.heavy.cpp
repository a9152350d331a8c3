// SPDX-License-Identifier: Apache-2.0
#include "detest.hpp"

#include <revode/solvers/all.hpp>

namespace revode {

TEST_CASE("DETEST at 1e-8: implicit methods end within a hundred tolerances, or 20 conditions") {
  check_methods(kvaerno4{}, kencarp4{}, kencarp47{}, esdirk436{}, kvaerno5{}, kencarp5{},
                esdirk547{}, esdirk54i8{}, radau_iia5{}, radau_iia9{});
}

}  // namespace revode
