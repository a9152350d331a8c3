// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/batch/ensemble_dense.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

#include "lanes.hpp"

namespace revode {
namespace {

using state = vec<double, 3>;

/// Lanes that differ in a bit from their single solve's dense output, at ends, joints and between.
template <class M>
index wrong_lanes(const M& m, const options& o) {
  const index lanes = 75;
  const auto e = mixed_lanes(lanes);
  auto d = solve(e, m, o, dense_output{}, place{});
  index wrong = 0, steps = 0;
  for (int k = 0; k <= 12; ++k) {
    std::vector<double> ts;
    for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
      const double last = d.t[l];
      ts.push_back(k == 12 ? last : e.t0[l] + k / 12.0 * (last - e.t0[l]));
    }
    const auto ys = d.at(ts);
    for (index l = 0; l < lanes; ++l) {
      auto alone = solve(problem_of(e, l), m, options_of(e, o, l), dense_output{});
      const auto at = static_cast<std::size_t>(l);
      wrong += ys[at] != alone(ts[at]) || d.y[at] != alone.y || d.status[at] != alone.status;
      steps += k == 0 ? alone.steps() : 0;
    }
  }
  CHECK(d.steps() == steps);
  return wrong;
}

TEST_CASE("dense output of ensembles: that of single solves, to the bit") {
  CHECK(wrong_lanes(tsit5{}, {}) == 0);
  CHECK(wrong_lanes(tsit5{}, {.fixed_step = 0.013}) == 0);
  CHECK(wrong_lanes(dop853{}, {}) == 0);
  CHECK(wrong_lanes(rodas5p{}, {}) == 0);
}

TEST_CASE("dense output of ensembles: one time for all, and misuse") {
  ensemble<lorenz, state, state> e{.y0 = {state{1, 0, 0}}, .t1 = {2.0, 1.0}, .p = {{10, 28, 2}}};
  auto d = solve(e, tsit5{}, options{}, dense_output{}, place{});
  const auto both = d(0.7);
  CHECK(both[0] == solve(problem_of(e, 0), tsit5{}, options{}, dense_output{})(0.7));
  CHECK(both[1] == solve(problem_of(e, 1), tsit5{}, options{}, dense_output{})(0.7));
  CHECK(misuse_of([&] { d(1.5); }) ==
        "lane 1: dense output at t = 1.5 (the solution covers 0 to 1) ask within, or solve "
        "farther?");
  CHECK(misuse_of([&] {
          d.at({0.1, 0.2, 0.3});
        }) == "3 times for 2 lanes (each lane has its own, or all share one) give as many?");
}

}  // namespace
}  // namespace revode
