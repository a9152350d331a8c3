// SPDX-License-Identifier: Apache-2.0
// Compiled with -ffast-math -fno-finite-math-only: sums run in any order, but NaN and infinity are found.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solution.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// y' = p y^power, with NaN from the time `until` on.
struct growth {
  int power = 1;
  double until = 2;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0];
    if (power == 2) dy[0] = dy[0] * y[0];
    if (!(t < until)) dy[0] = dy[0] * std::nan("");
  }
};

}  // namespace

TEST_CASE_TEMPLATE("trouble is found in a build with -ffast-math", M, tsit5, rodas5p) {
  const auto ends = [](const growth& f, double y0) {
    return solve(problem{f, vec{y0}, 0.0, 1.5, vec{1.0}}, M{}, {.max_steps = 1000});
  };
  CHECK(ends({.until = 0}, 1.0).status == status::non_finite_field);
  CHECK_THROWS_AS(ends({}, std::nan("")), std::invalid_argument);
  CHECK(ends({}, infinity).status == status::non_finite_field);
  const auto wall = ends({.until = 1}, 1.0);
  CHECK(wall.status != status::success);
  CHECK(wall.t < 1);
  const auto pole = ends({.power = 2}, 1.0);
  CHECK(pole.status != status::success);
  CHECK(std::abs(pole.t - 1) < 1e-5);
}

TEST_CASE("equal steps stop at the first state that overflows") {
  const auto s =
      solve(problem{growth{.power = 2}, vec{1.0}, 0.0, 1.5, vec{1.0}}, rk4{}, {.fixed_step = 0.01});
  CHECK(s.status == status::non_finite_state);
  CHECK(s.y[0] <= std::numeric_limits<double>::max());
}

TEST_CASE("a build with -ffast-math says that bits are not equal, and refuses to promise them") {
  const problem q{growth{}, vec{1.0}, 0.0, 1.0, vec{1.0}};
  CHECK_FALSE(solve(q, tsit5{}).stats.equal_bits);
  CHECK_FALSE(ensemble_solution<vec<double, 1>>{}.equal_bits);
  CHECK_THROWS_WITH_AS(
      solve(q, tsit5{}, {.require_equal_bits = true}),
      "require_equal_bits in a build that fuses products or rewrites sums (bits then depend on "
      "inlining) compile with -ffp-contract=off and without -ffast-math, as revode::revode does?",
      std::invalid_argument);
}

TEST_CASE("its gradients are right to rounding, in every number of states") {
  const problem q{growth{}, vec{1.0}, 0.0, 1.0, vec{1.0}};
  for (const long slots : {1L, 3L, 1000L}) {
    auto s =
        solve(q, tsit5{}, {.rtol = 1e-11, .atol = 1e-11}, recursive_checkpoint{.slots = slots});
    const auto g = s.pullback(vec{1.0});
    CHECK(g.p[0] == doctest::Approx(std::exp(1.0)).epsilon(1e-9));
    CHECK(g.y0[0] == doctest::Approx(std::exp(1.0)).epsilon(1e-9));
  }
}

}  // namespace revode
