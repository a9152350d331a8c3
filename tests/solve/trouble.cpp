// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// y' = y until the time `until`, NaN from there on.
struct breaks {
  double until;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    dy[0] = y[0];
    if (!(t < until)) dy[0] = dy[0] * std::nan("");
  }
};

struct steady {
  double slope;
  template <class T, class Y, class P>
  void operator()(const T&, const Y&, const P&, Y& dy) const {
    dy[0] = slope;
  }
};

struct pole {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y&, const P&, Y& dy) const {
    dy[0] = 1 / (t - 1);
  }
};

struct growth {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = y[0];
  }
};

const save_at everything{.t0 = true, .ts = {0.25, 0.5, 1.5}, .t1 = true};

}  // namespace

TEST_CASE("a field that is NaN from the start ends the solve where it began") {
  for (const double first_step : {0.0, 0.5}) {
    const auto s = solve(problem{breaks{0}, vec{3.0}, 0.0, 2.0}, tsit5{},
                         {.first_step = first_step, .save = everything});

    CHECK(s.status == status::non_finite_field);
    CHECK(s.t == 0);
    CHECK(s.y[0] == 3);
    CHECK(s.stats.accepted == 0);
    REQUIRE(s.ts.size() == 1);  // t0 alone
    CHECK(s.ys[0][0] == 3);
  }
}

TEST_CASE("a field that turns NaN late keeps everything before") {
  const auto s =
      solve(problem{breaks{1}, vec{3.0}, 0.0, 2.0}, tsit5{}, {.rtol = 1e-9, .save = everything});

  CHECK(s.status == status::non_finite_field);
  CHECK(s.t < 1);
  CHECK(s.t == doctest::Approx(1).epsilon(1e-14));
  CHECK(s.y[0] == doctest::Approx(3 * std::exp(1)).epsilon(1e-7));
  CHECK(s.stats.accepted > 0);
  REQUIRE(s.ts == std::vector{0.0, 0.25, 0.5});
  CHECK(s.ys[2][0] == doctest::Approx(3 * std::exp(0.5)).epsilon(1e-7));
}

TEST_CASE("a fixed step that leaves the finite numbers ends at the state before it") {
  const auto first = solve(problem{breaks{0}, vec{3.0}, 0.0, 2.0}, rk4{},
                           {.fixed_step = 0.125, .save = everything});
  CHECK(first.status == status::non_finite_state);
  CHECK(first.t == 0);
  CHECK(first.y[0] == 3);
  CHECK(first.ts == std::vector{0.0});

  const auto late = solve(problem{breaks{1}, vec{3.0}, 0.0, 2.0}, rk4{},
                          {.fixed_step = 0.125, .save = everything});
  CHECK(late.status == status::non_finite_state);
  CHECK(late.t == 0.875);  // the step to 1 evaluates the field at 1
  CHECK(late.stats.accepted == 7);
  CHECK(late.stats.field_evaluations == 8 * 4);
  CHECK(late.ts == std::vector{0.0, 0.25, 0.5});
}

TEST_CASE("an infinite state is never accepted") {
  // 1e306 t exceeds the largest double at t = 179.7...; the field stays finite all the time
  const auto overflow =
      solve(problem{steady{1e306}, vec{0.0}, 0.0, 300.0}, tsit5{}, {.rtol = 1e-3, .atol = 1e300});
  CHECK(overflow.status == status::non_finite_state);
  CHECK(overflow.t == doctest::Approx(179.76931348623157).epsilon(1e-14));
  CHECK(std::isfinite(overflow.y[0]));

  const auto exponential = solve(problem{growth{}, vec{1e308}, 0.0, 3.0}, dop853{});
  CHECK(exponential.status != status::success);
  CHECK(exponential.t < std::log(1.7976931348623157));
  CHECK(std::isfinite(exponential.y[0]));

  const auto start = solve(problem{steady{0}, vec{infinity}, 0.0, 1.0}, tsit5{});
  CHECK(start.status != status::success);
  CHECK(start.t == 0);
}

TEST_CASE("a pole inside the interval ends in a step underflow just before it") {
  const auto s = solve(problem{pole{}, vec{0.0}, 0.0, 2.0}, tsit5{}, {.save = everything});

  CHECK(s.status == status::step_underflow);
  CHECK(s.t == doctest::Approx(1).epsilon(1e-11));
  CHECK(s.y[0] < -20);  // log(1 - t)
  CHECK(s.ts == std::vector{0.0, 0.25, 0.5});
}

TEST_CASE("a first step that does not move the time is an underflow, not an endless loop") {
  const auto s = solve(problem{growth{}, vec{1.0}, 1.0, 2.0}, tsit5{}, {.first_step = 1e-20});

  CHECK(s.status == status::step_underflow);
  CHECK(s.t == 1);
  CHECK(s.stats.accepted + s.stats.rejected == 0);
  // at t0 = 0 the same step is one, and grows
  CHECK(solve(problem{growth{}, vec{1.0}, 0.0, 1.0}, tsit5{}, {.first_step = 1e-20}).status ==
        status::success);
}

TEST_CASE("max_steps attempts are enough, one less is not") {
  const problem q{growth{}, vec{1.0}, 0.0, 2.0};
  const auto free = solve(q, tsit5{}, {.rtol = 1e-9});
  const index attempts = free.stats.accepted + free.stats.rejected;
  REQUIRE(attempts > 5);

  const auto exact = solve(q, tsit5{}, {.rtol = 1e-9, .max_steps = attempts});
  CHECK(exact.status == status::success);
  CHECK(exact.y == free.y);

  const auto less = solve(q, tsit5{}, {.rtol = 1e-9, .max_steps = attempts - 1});
  CHECK(less.status == status::max_steps);
  CHECK(less.stats.accepted + less.stats.rejected == attempts - 1);
  CHECK(less.t < 2);
  CHECK(less.t > 0);
  CHECK(less.y[0] == doctest::Approx(std::exp(less.t)).epsilon(1e-7));

  const auto none = solve(q, tsit5{}, {.max_steps = 0});
  CHECK(none.status == status::max_steps);
  CHECK(none.t == 0);
}

TEST_CASE("max_steps bounds equal steps as well") {
  const problem q{growth{}, vec{1.0}, 0.0, 2.0};
  CHECK(solve(q, rk4{}, {.fixed_step = 0.25, .max_steps = 8}).status == status::success);
  const auto s = solve(q, rk4{}, {.fixed_step = 0.25, .max_steps = 7});
  CHECK(s.status == status::max_steps);
  CHECK(s.t == 1.75);
  CHECK(s.stats.accepted == 7);
}

TEST_CASE("a solve that failed has no gradient, and says why") {
  auto s = solve(problem{pole{}, vec{0.0}, 0.0, 2.0}, tsit5{}, {}, recursive_checkpoint{});
  CHECK(s.status == status::step_underflow);
  CHECK_THROWS_WITH_AS(s.pullback(vec{1.0}),
                       "no gradient of a solve that ended with status step_underflow (the step "
                       "size fell below the spacing of floating-point times) look at "
                       "solution::status first?",
                       std::invalid_argument);
}

}  // namespace revode
