// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/tsit5.hpp>

#include "lane_gradients.hpp"

namespace revode {
namespace {

TEST_CASE("lane gradients: 1e5 steps in less than 200 bytes a slot of a resident lane") {
  using ring = vec<double, 8>;
  ensemble<lorenz96, ring, vec<double, 1>> e;
  e.f = lorenz96{.n = 8};
  for (int l = 0; l < 4; ++l) {
    ring y{8, 8, 8, 8.008, 8, 8, 8, 8};
    y[0] += 0.001 * l;
    e.y0.push_back(y);
  }
  e.p = {vec{8.0}};
  e.t1 = {60.0};
  const options o{.rtol = 1e-9, .atol = 1e-9, .max_step = 0.0006};
  const lane_memory memory{.plan = lane_memory_plan::controller, .slots = 20};
  const auto g = gradient_by<4>(e, tsit5{}, o, first_component{}, memory);
  CHECK(g.reverse.pulled_rounds / 4 >= 100000);
  CHECK(g.reverse.bytes <= 200 * 20 * 4);
  const auto q = problem_of(e, 2);
  auto alone = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 100});
  const auto single = alone.pullback(ring{1});
  CHECK(g.y0[2] == single.y0);
  CHECK(g.p[2] == single.p);
}

}  // namespace
}  // namespace revode
