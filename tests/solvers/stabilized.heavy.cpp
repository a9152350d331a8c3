// SPDX-License-Identifier: Apache-2.0
#include "stabilized_laws.hpp"

#include <revode/solvers/rkc.hpp>
#include <revode/solvers/rkl2.hpp>
#include <revode/solvers/rock2.hpp>

namespace revode {

TEST_CASE("stabilised methods of order 2: the laws, with few and with many stages, and order") {
  check_stabilized_laws(rkc{});
  check_stabilized_laws(rkl2{});
  check_stabilized_laws(rock2{}, 0.5, 100);
  check_stabilized_order(rkc{.spectral_radius = 40});
  check_stabilized_order(rkl2{.spectral_radius = 40});
  check_stabilized_order(rock2{.spectral_radius = 40});
}

}  // namespace revode
