// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/solvers/tsit5.hpp>

#include "lane_gradients.hpp"

namespace revode {
namespace {

TEST_CASE("lane gradients: the bits of each lane's own pullback, for any width and memory plan") {
  const auto e = mixed_lanes(75);
  for (const auto plan :
       {lane_memory_plan::states, lane_memory_plan::log, lane_memory_plan::controller}) {
    CAPTURE(static_cast<int>(plan));
    const lane_memory memory{.plan = plan, .slots = 5};
    check_against_pullbacks(e, tsit5{}, {}, false,
                            gradient_by<16>(e, tsit5{}, {}, end_loss{}, memory));
    check_against_pullbacks(e, tsit5{}, {}, false,
                            gradient_by<1>(e, tsit5{}, {}, end_loss{}, memory));
  }
}

TEST_CASE("lane gradients: losses of save points") {
  auto e = mixed_lanes(40);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}};
  for (const auto plan :
       {lane_memory_plan::states, lane_memory_plan::log, lane_memory_plan::controller}) {
    const lane_memory memory{.plan = plan, .slots = 4};
    check_against_pullbacks(e, tsit5{}, o, true,
                            gradient_by<16>(e, tsit5{}, o, points_loss{}, memory));
  }
}

TEST_CASE("lane gradients: other parameters, with memory for the counts of the ones before") {
  auto e = mixed_lanes(75);
  ensemble_solver<tsit5, lorenz, state, state, place, 16> solver(e, tsit5{}, {});
  solver.gradient(end_loss{});
  for (auto& p : e.p) p[1] += 9;  // more steps
  solver.set_parameters(e.p);
  const auto changed = solver.gradient(end_loss{});
  const auto fresh = gradient_by<16>(e, tsit5{}, {}, end_loss{});
  CHECK(changed.total_p == fresh.total_p);
  CHECK(changed.p[40] == fresh.p[40]);
}

TEST_CASE("lane gradients: the sums do not depend on width or place") {
  const auto e = mixed_lanes(2100);
  const options o{.rtol = 1e-4, .atol = 1e-4};
  auto quick = e;
  quick.rtol.clear(), quick.atol.clear();
  const auto one = gradient_by<1>(quick, tsit5{}, o, end_loss{});
  const auto many = gradient_by<16>(quick, tsit5{}, o, end_loss{});
  CHECK(one.total_loss == many.total_loss);
  CHECK(one.total_p == many.total_p);
  CHECK(one.total_y0 == many.total_y0);
  double plain = 0;
  for (const double loss : one.loss) plain += loss;
  CHECK(std::abs(one.total_loss - plain) <= 1e-12 * std::abs(plain));
}

}  // namespace
}  // namespace revode
