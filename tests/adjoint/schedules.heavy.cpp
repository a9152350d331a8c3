// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "contract/bdf12.hpp"
#include "schedule_experiment.hpp"

#include <revode/interop/eigen.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>

namespace revode {

using namespace schedule_experiment;

TEST_CASE("one gradient for every schedule and slot count: methods with more to them") {
  SUBCASE("dop853, fixed size") { every_schedule<dop853, fixed>({.rtol = 1e-5, .atol = 1e-5}); }
  SUBCASE("rk4 in equal steps, Eigen") { every_schedule<rk4, eigen>({.fixed_step = 0.06}); }
  SUBCASE("a method whose order varies and whose carry has a memo") {
    every_schedule<contract::bdf12, fixed>({.rtol = 1e-2, .atol = 1e-2});
  }
}

}  // namespace revode
