// SPDX-License-Identifier: Apache-2.0
#include <revode/solvers/all.hpp>

#include "ignition.hpp"

namespace revode {
namespace {

TEST_CASE("no implicit method steps over an ignition that its tolerance does not see") {
  for_each_method(joined(rosenbrock_methods{}, implicit_methods{}, multistep_methods{}),
                  [](const auto& m) { check_ignites(m, vec<double, 3>{}); });
}

}  // namespace
}  // namespace revode
