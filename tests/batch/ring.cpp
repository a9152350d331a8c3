// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/tsit5.hpp>

#include "ensemble_checks.hpp"

namespace revode {
namespace {

template <int N>
void check_ring() {
  using Y = vec<double, N>;
  using P = vec<double, 1>;
  ensemble<lorenz96, Y, P> e;
  e.f.n = N;
  e.p.clear();
  e.t1 = {1.5};
  for (index l = 0; l < 21; ++l) {
    Y y;
    for (int i = 0; i < N; ++i) y[i] = 8 + 0.01 * static_cast<double>((i * l) % 7);
    e.y0.push_back(y);
    e.p.push_back({8 + 0.05 * static_cast<double>(l)});
  }
  ensemble_solver<tsit5, lorenz96, Y, P, place, 0, false> solver(e, tsit5{}, {});
  solver.run();
  check_against_single_solves(e, tsit5{}, {}, solver.result());
}

TEST_CASE("ensemble: lanes of large states have the bits of their single solves") {
  check_ring<16>();
  check_ring<20>();  // element loops written out in lanes, not in single solves
  CHECK(lane_width(32, 3) == 32);
  CHECK(lane_width(32, 16) == 16);
  CHECK(pull_width(32, 16) == 8);
  CHECK(lane_width(1, 16) == 1);
  CHECK(lane_width(32, 41) == 1);
  CHECK(pull_width(32, 41) == 1);
}

}  // namespace
}  // namespace revode
