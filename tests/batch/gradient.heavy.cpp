// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/all.hpp>

#include "lane_gradients.hpp"

namespace revode {
namespace {

TEST_CASE("lane gradients: every method, fixed steps") {
  auto e = mixed_lanes(20);
  const options o{.fixed_step = 0.02};
  for_each_method(explicit_methods{}, [&](auto m) {
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

TEST_CASE("lane gradients: times, the bits of each lane's own pullback") {
  auto e = mixed_lanes(40);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}}, equal{.fixed_step = 0.02, .save = o.save};
  const lane_memory memory{.plan = lane_memory_plan::controller, .slots = 4};
  check_against_pullbacks(e, tsit5{}, o, true,
                          gradient_of_times<16>(e, tsit5{}, o, points_loss{}, memory));
  check_against_pullbacks(e, tsit5{}, equal, true,
                          gradient_of_times<16>(e, tsit5{}, equal, points_loss{}));
}

TEST_CASE("lane gradients: times for other widths, and with extra stages") {
  auto e = mixed_lanes(40);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}};
  check_against_pullbacks(e, tsit5{}, o, true, gradient_of_times<1>(e, tsit5{}, o, points_loss{}));
  check_against_pullbacks(e, tsit5{}, o, true, gradient_of_times<32>(e, tsit5{}, o, points_loss{}));
  check_against_pullbacks(e, dop853{}, o, true,
                          gradient_of_times<16>(e, dop853{}, o, points_loss{}));
}

}  // namespace
}  // namespace revode
