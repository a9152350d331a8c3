// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/problems/lorenz.hpp>
#include <revode/problems/rotation.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using lorenz_problem = problem<lorenz, vec<double, 3>, vec<double, 3>>;
const lorenz_problem chaotic{lorenz{}, {1, 0, 0}, 0, 5, lorenz{}.parameters()};

std::vector<double> evenly(double a, double b, int n) {
  std::vector<double> ts;
  for (int i = 0; i < n; ++i) ts.push_back(a + (b - a) * i / (n - 1));
  return ts;
}

template <class M>
void saving_changes_nothing(int extra_stages) {
  const auto plain = solve(chaotic, M{}, {.rtol = 1e-8});
  const auto saved = solve(
      chaotic, M{}, {.rtol = 1e-8, .save = {.t0 = true, .ts = evenly(0, 5, 3001), .t1 = true}});

  CHECK(saved.y == plain.y);
  CHECK(saved.stats.accepted == plain.stats.accepted);
  CHECK(saved.stats.rejected == plain.stats.rejected);
  CHECK(saved.ys.size() == 3003);
  CHECK(saved.ys.front() == chaotic.y0);
  CHECK(saved.ys.back() == plain.y);
  // the stages for dense output, once in each step that has a save point (all of them here)
  CHECK(saved.stats.field_evaluations ==
        plain.stats.field_evaluations + extra_stages * plain.stats.accepted);
}

}  // namespace

TEST_CASE("saving does not change the steps, and costs the stages of dense output alone") {
  saving_changes_nothing<tsit5>(0);
  saving_changes_nothing<dop853>(coefficients<dop853>::all - coefficients<dop853>::stages);
}

TEST_CASE("nothing is saved unless asked for") {
  const auto s = solve(chaotic, tsit5{});
  CHECK(s.ts.empty());
  CHECK(s.ys.empty());
}

TEST_CASE("t0, the list and t1 come in this order, each if asked for") {
  const std::vector<double> ts{0.5, 2};
  CHECK(solve(chaotic, tsit5{}, {.save = {.t0 = true}}).ts == std::vector{0.0});
  CHECK(solve(chaotic, tsit5{}, {.save = {.t1 = true}}).ts == std::vector{5.0});
  CHECK(solve(chaotic, tsit5{}, {.save = {.ts = ts}}).ts == ts);
  CHECK(solve(chaotic, tsit5{}, {.save = {.t0 = true, .ts = ts, .t1 = true}}).ts ==
        std::vector{0.0, 0.5, 2.0, 5.0});
}

TEST_CASE("a listed t0 or t1 is that state itself, however often it is listed") {
  const auto s = solve(chaotic, tsit5{}, {.save = {.t0 = true, .ts = {0, 0, 5, 5}, .t1 = true}});
  REQUIRE(s.ys.size() == 6);
  for (const int i : {0, 1, 2}) CHECK(s.ys[static_cast<std::size_t>(i)] == chaotic.y0);
  for (const int i : {3, 4, 5}) CHECK(s.ys[static_cast<std::size_t>(i)] == s.y);
}

TEST_CASE("a save point at the end of a step is the state there, duplicates are equal") {
  const problem q{rotation{}, rotation{}.y0(), 0.0, 1.0, rotation{}.parameters()};
  const auto s = solve(q, rk4{}, {.fixed_step = 0.25, .save = {.ts = {0.25, 0.3, 0.3, 0.5, 0.5}}});
  const auto quarter =
      solve(problem{rotation{}, q.y0, 0.0, 0.25, q.p}, rk4{}, {.fixed_step = 0.25});
  const auto half = solve(problem{rotation{}, q.y0, 0.0, 0.5, q.p}, rk4{}, {.fixed_step = 0.25});

  CHECK(s.ys[0] == quarter.y);
  CHECK(s.ys[1] == s.ys[2]);
  CHECK(s.ys[3] == half.y);
  CHECK(s.ys[4] == half.y);
}

TEST_CASE("dense output is as accurate as the steps, in both directions") {
  for (const double t1 : {6.0, -6.0}) {
    const problem q{rotation{}, rotation{}.y0(), 0.0, t1, rotation{}.parameters()};
    const auto s =
        solve(q, tsit5{}, {.rtol = 1e-9, .atol = 1e-9, .save = {.ts = evenly(0, t1, 1000)}});
    double worst = 0;
    for (std::size_t k = 0; k < s.ts.size(); ++k) {
      worst = std::fmax(worst, std::abs(s.ys[k][0] - std::cos(s.ts[k])));
      worst = std::fmax(worst, std::abs(s.ys[k][1] - std::sin(s.ts[k])));
    }
    CHECK(s.ts.size() == 1000);
    CHECK(worst < 1e-7);
  }
}

TEST_CASE("one step holds thousands of save points") {
  const auto line = [](const auto&, const auto&, const auto&, auto& dy) { dy[0] = 2; };
  const auto s = solve(problem{line, vec{1.0}, 0.0, 1.0}, rk4{},
                       {.fixed_step = 1, .save = {.ts = evenly(0, 1, 4097)}});
  CHECK(s.stats.accepted == 1);
  for (std::size_t k = 0; k < s.ts.size(); ++k)
    REQUIRE(std::abs(s.ys[k][0] - (1 + 2 * s.ts[k])) < 1e-15);
}

}  // namespace revode
