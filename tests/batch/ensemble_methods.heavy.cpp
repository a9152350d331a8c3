// SPDX-License-Identifier: Apache-2.0
#include "ensemble_checks.hpp"

namespace revode {
namespace {

TEST_CASE("ensemble: fixed steps, every method") {
  const auto e = mixed_lanes(40);
  const options fixed{.fixed_step = 0.01};
  for_each_method(explicit_methods{}, [&](auto m) {
    CAPTURE(m.name);
    check_against_single_solves(e, m, fixed, solve_by<16>(e, m, fixed));
  });
}

TEST_CASE("ensemble: adaptive steps and save points, every method with an estimate") {
  auto e = mixed_lanes(40);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}};
  for_each_method(explicit_methods{}, [&](auto m) {
    CAPTURE(m.name);
    if constexpr (has_estimate_v<decltype(m)>)
      check_against_single_solves(e, m, o, solve_by<16>(e, m, o));
    const options fixed{.fixed_step = 0.02, .save = {.t1 = true}};
    check_against_single_solves(e, m, fixed, solve_by<16>(e, m, fixed));
  });
}

}  // namespace
}  // namespace revode
