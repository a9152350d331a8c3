// SPDX-License-Identifier: Apache-2.0
#include "ensemble_checks.hpp"
#include "lane_gradients.hpp"

namespace revode {
namespace {

TEST_CASE("ensemble: fixed steps on lanes have the bits of single solves, gradients as well") {
  const auto e = mixed_lanes(40);
  const options fixed{.fixed_step = 0.01};
  check_against_single_solves(e, rk4{}, fixed, solve_by<16>(e, rk4{}, fixed));
  check_against_pullbacks(e, rk4{}, fixed, false, gradient_by<16>(e, rk4{}, fixed, end_loss{}));
}

}  // namespace
}  // namespace revode
