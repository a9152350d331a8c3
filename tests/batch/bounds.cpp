// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

#include "../solve/event_models.hpp"

namespace revode {

using state = vec<double, 2>;

namespace {

/// y' is 0 before t = 1 and p0 behind it, but for a hundredth.
struct switching {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    dy[0] = p[0] / (1 + exp(1000 * (1 - t)));
    dy[1] = -y[1];
  }
};

}  // namespace

TEST_CASE("lanes take the steps of single solves, within the bound too") {
  ensemble<turning, state, state> e{.t1 = {10.0}, .p = {}};
  for (int l = 0; l < 9; ++l) {
    e.y0.push_back({1, 0.1 * l});
    e.p.push_back({});
  }
  for (const double end : {10.0, -10.0})
    for (const double most : {0.1, 0.07, 0.996}) {
      e.t1 = {end};
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

TEST_CASE("the last step of a lane is stretched by up to a hundredth, and by no more") {
  for (const double direction : {1.0, -1.0})
    for (const double end : {1.0, 1.0099, 1.0101}) {
      ensemble<turning, state, state> e{.t1 = {direction * end}, .p = {}};
      for (int l = 0; l < 9; ++l) {
        e.y0.push_back({1, 0});
        e.p.push_back({});
      }
      const options o{.rtol = 1, .atol = 1, .first_step = direction};
      for (const lane_statistics& of_lane : solve(e, tsit5{}, o, on_host{}).stats)
        CHECK(of_lane.accepted == (end < 1.01 ? 1 : 2));
    }
}

TEST_CASE("behind a rejection a lane does not grow, however small its error is") {
  ensemble<switching, state, vec<double, 1>> e{.t1 = {2.0}, .p = {}};
  for (int l = 0; l < 9; ++l) {
    e.y0.push_back({0, 1e-3});
    e.p.push_back({1.0 + l});
  }
  const options o{.rtol = 1e-6, .atol = 1e-6};
  const auto s = solve(e, tsit5{}, o, on_host{});
  for (index l = 0; l < 9; ++l) {
    const auto alone = solve(problem_of(e, l), tsit5{}, o);
    CHECK(alone.stats.rejected > 3);
    CHECK(s.y[static_cast<std::size_t>(l)] == alone.y);
    CHECK(s.stats[static_cast<std::size_t>(l)].accepted == alone.stats.accepted);
    CHECK(s.stats[static_cast<std::size_t>(l)].rejected == alone.stats.rejected);
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
