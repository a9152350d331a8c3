// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/all.hpp>

#include "lane_gradients.hpp"

namespace revode {
namespace {

TEST_CASE("lane gradients: every method, fixed steps") {
  auto e = mixed_lanes(20);
  const options o{.fixed_step = 0.02};
  for_each_method([&](auto m) {
    CAPTURE(m.name);
    check_against_pullbacks(e, m, o, false, gradient_by<16>(e, m, o, end_loss{}));
  });
  for (const auto plan : {lane_memory_plan::log, lane_memory_plan::controller})
    check_against_pullbacks(e, tsit5{}, o, false,
                            gradient_by<16>(e, tsit5{}, o, end_loss{}, {.plan = plan, .slots = 3}));
}

TEST_CASE("lane gradients: losses of save points with extra stages") {
  auto e = mixed_lanes(40);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}};
  check_against_pullbacks(e, dop853{}, o, true, gradient_by<16>(e, dop853{}, o, points_loss{}));
}

TEST_CASE("lane gradients: 1e4 steps in less than 200 bytes a slot of a resident lane") {
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
  const options o{.rtol = 1e-9, .atol = 1e-9, .max_step = 0.006};
  const lane_memory memory{.plan = lane_memory_plan::controller, .slots = 20};
  const auto g = gradient_by<4>(e, tsit5{}, o, first_component{}, memory);
  CHECK(g.reverse.pulled_rounds / 4 > 10000);
  CHECK(g.reverse.bytes <= 200 * 20 * 4);
  const auto q = problem_of(e, 2);
  auto alone = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 100});
  const auto single = alone.pullback(ring{1});
  CHECK(g.y0[2] == single.y0);
  CHECK(g.p[2] == single.p);
}

}  // namespace
}  // namespace revode
