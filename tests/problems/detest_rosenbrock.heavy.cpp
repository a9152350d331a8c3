// SPDX-License-Identifier: Apache-2.0
#include "detest.hpp"

#include <revode/solvers/all.hpp>

namespace revode {

TEST_CASE("DETEST at 1e-8: Rosenbrock methods end within a hundred tolerances, or 20 conditions") {
  check_methods(rodas4{}, rodas4p{}, rodas4p2{}, rodas5{}, rodas5p{});
}

}  // namespace revode
