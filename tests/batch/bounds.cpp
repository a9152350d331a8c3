// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

#include "../solve/event_models.hpp"

namespace revode {

using state = vec<double, 2>;

TEST_CASE("lanes take the steps of single solves, within the bound too") {
  ensemble<turning, state, state> e{.t1 = {10.0}, .p = {}};
  for (int l = 0; l < 9; ++l) {
    e.y0.push_back({1, 0.1 * l});
    e.p.push_back({});
  }
  for (const double most : {0.1, 0.07, 0.996}) {
    const options o{.rtol = 0.1, .atol = 0.1, .max_step = most};
    const auto s = solve(e, tsit5{}, o, on_host{});
    CHECK(s.equal_bits);
    for (index l = 0; l < 9; ++l) {
      const auto alone = solve(problem_of(e, l), tsit5{}, o);
      CHECK(s.y[static_cast<std::size_t>(l)] == alone.y);
      CHECK(s.stats[static_cast<std::size_t>(l)].accepted == alone.stats.accepted);
    }
  }
}

TEST_CASE("lanes whose error has no scale are refused") {
  ensemble<decaying, state, vec<double, 1>> e{.t1 = {1.0}, .p = {}};
  e.y0 = {{1, 1}, {1, 0}};
  e.p = {{1}, {1}};
  CHECK_THROWS_WITH_AS(
      solve(e, tsit5{}, {.atol = 0}, on_host{}),
      "lane 1 with atol = 0 and y0[1] = 0 (its error has no scale) give an atol above 0?",
      std::invalid_argument);
}

}  // namespace revode
