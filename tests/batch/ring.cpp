// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/tsit5.hpp>

#include "ensemble_checks.hpp"

namespace revode {
namespace {

TEST_CASE("ensemble: lanes of a state of 16 numbers have the bits of their single solves") {
  constexpr int n = 16;
  using Y = vec<double, n>;
  using P = vec<double, 1>;
  ensemble<lorenz96, Y, P> e;
  e.f.n = n;
  e.p.clear();
  e.t1 = {1.5};
  for (index l = 0; l < 21; ++l) {
    Y y;
    for (int i = 0; i < n; ++i) y[i] = 8 + 0.01 * static_cast<double>((i * l) % 7);
    e.y0.push_back(y);
    e.p.push_back({8 + 0.05 * static_cast<double>(l)});
  }
  CHECK(lane_width(32, n) == 16);
  CHECK(pull_width(32, n) == 8);
  CHECK(lane_width(32, 3) == 32);
  CHECK(lane_width(1, n) == 1);
  ensemble_solver<tsit5, lorenz96, Y, P, place, 0, false> solver(e, tsit5{}, {});
  solver.run();
  check_against_single_solves(e, tsit5{}, {}, solver.result());
}

}  // namespace
}  // namespace revode
