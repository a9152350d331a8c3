// SPDX-License-Identifier: Apache-2.0
// M y' = f of index 2 and 3 by Radau: laws of derivatives and replays.
#include <cmath>
#include <utility>

#include <revode/problems/pendulum_index2.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/solvers/radau_iia5.hpp>

#include "mass_index_laws.hpp"

namespace revode {
namespace {

TEST_CASE("laws of derivatives and replays hold at index 2 and 3, down to steps of a millionth") {
  for (const auto& [fixed, t1] : {std::pair{0.0, 2.0}, {0.05, 2.0}, {1e-4, 2e-3}, {1e-6, 2e-5}}) {
    options o{.rtol = 1e-5, .atol = 1e-7, .fixed_step = fixed};
    o.save.ts = {0.21 * t1, 0.53 * t1, 0.98 * t1};
    check_index_laws(radau_iia5{}, pendulum_index2{}, o, t1, 2e-13);
    check_index_laws(radau_iia5{}, pendulum_index3{}, o, t1, 1e-12);
  }
}

TEST_CASE("what M does not see of y0 has no derivative at index 2 and 3") {
  const auto check = [](const auto& f) {
    const auto g =
        solve(problem_of(f), radau_iia5{}, {.rtol = 1e-6, .atol = 1e-6}, recursive_checkpoint{})
            .pullback(vec{0.3, -0.8, 1.1, 0.2, 0.4});
    CHECK(std::abs(g.y0[4]) <= 1e-12 * std::sqrt(dot(g.y0, g.y0)));
  };
  check(pendulum_index2{});
  check(pendulum_index3{});
}

}  // namespace
}  // namespace revode
