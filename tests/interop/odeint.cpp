// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <limits>
#include <vector>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/integrate/integrate_const.hpp>
#include <boost/numeric/odeint/integrate/integrate_n_steps.hpp>
#include <boost/numeric/odeint/integrate/integrate_times.hpp>
#include <boost/numeric/odeint/stepper/generation/generation_controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation/generation_runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/generation/make_controlled.hpp>
#include <boost/range/algorithm/fill.hpp>

#include <revode/ad/finite_differences.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/odeint.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

namespace library = boost::numeric::odeint;
using state = std::vector<double>;

/// A system as odeint programs have it, over any scalar.
const auto driven = [](const auto& y, auto& dydt, const auto& t) {
  using std::cos;
  dydt[0] = 10.0 * (y[1] - y[0]) + cos(t);
  dydt[1] = y[0] * (28.0 - y[2]) - y[1];
  dydt[2] = y[0] * y[1] - (8.0 / 3) * y[2];
};
const state y0{1.0, 0.5, 0.2};

/// The family of which `driven` without its drive is one.
template <class S>
struct lorenz_system {
  S sigma, r, b;
  template <class Y>
  void operator()(const Y& y, Y& dydt, double) const {
    dydt[0] = sigma * (y[1] - y[0]);
    dydt[1] = y[0] * (r - y[2]) - y[1];
    dydt[2] = y[0] * y[1] - b * y[2];
  }
};

template <class Stepper>
void check_equal_steps(const Stepper& stepper) {
  state y = y0;
  library::integrate_n_steps(stepper, driven, y, 0.0, 1.0 / 64, 128);
  const auto s = solve(problem{from_odeint(driven), y0, 0.0, 2.0}, odeint::method(stepper),
                       {.fixed_step = 1.0 / 64});
  CHECK(s.stats.accepted == 128);
  CHECK(s.y == y);
}

TEST_CASE("odeint: equal steps of its steppers end in the bits of its own integrate_n_steps") {
  check_equal_steps(library::modified_midpoint<state>(5));
  check_equal_steps(library::runge_kutta4<state>());
  check_equal_steps(library::runge_kutta_dopri5<state>());
}

TEST_CASE("odeint: a controlled stepper takes the steps of its own integrate_adaptive") {
  using stepper = library::runge_kutta_dopri5<state>;
  state y = y0;
  const auto steps = library::integrate_adaptive(library::make_controlled(1e-9, 1e-8, stepper()),
                                                 driven, y, 0.0, 2.0, 0.01);

  const auto s = solve(problem{from_odeint(driven), y0, 0.0, 2.0},
                       odeint::method<library::controlled_runge_kutta<stepper>>{},
                       {.rtol = 1e-8, .atol = 1e-9, .first_step = 0.01});

  CHECK(s.stats.accepted == static_cast<index>(steps));
  for (std::size_t i = 0; i < 3; ++i) CHECK(s.y[i] == doctest::Approx(y[i]).epsilon(1e-13));
}

TEST_CASE(
    "odeint: its integrate functions take the steps of solve with a method as their stepper") {
  const auto s = solve(problem{from_odeint(driven), y0, 0.0, 2.0}, tsit5{},
                       {.rtol = 1e-8, .atol = 1e-9, .first_step = 0.01});
  const odeint::step_control control{.rtol = 1e-8, .atol = 1e-9};

  state y = y0;
  odeint::as_controlled_stepper<tsit5, state> controlled(control);
  const auto steps = library::integrate_adaptive(controlled, std::ref(driven), y, 0.0, 2.0, 0.01);
  CHECK(static_cast<index>(steps) == s.stats.accepted);
  CHECK(y == s.y);

  y = y0;
  odeint::as_dense_output_stepper<tsit5, state> dense(control);
  library::integrate_adaptive(dense, std::ref(driven), y, 0.0, 2.0, 0.01);
  CHECK(y == s.y);

  y = y0;
  const auto equal =
      solve(problem{from_odeint(driven), y0, 0.0, 2.0}, tsit5{}, {.fixed_step = 1.0 / 64});
  odeint::as_stepper<tsit5, state> plain;
  library::integrate_n_steps(plain, std::ref(driven), y, 0.0, 1.0 / 64, 128);
  CHECK(y == equal.y);
}

TEST_CASE(
    "odeint: observed times come from the method's dense output, in the bits of save points") {
  const std::vector<double> times{0.0, 0.3, 0.31, 1.7, 2.0};
  const auto s = solve(problem{from_odeint(driven), y0, 0.0, 2.0}, tsit5{},
                       {.rtol = 1e-8, .atol = 1e-9, .first_step = 0.01, .save = {.ts = times}});
  std::vector<state> seen;
  state y = y0;
  odeint::as_dense_output_stepper<tsit5, state> dense({.rtol = 1e-8, .atol = 1e-9});

  library::integrate_times(dense, std::ref(driven), y, times.begin(), times.end(), 0.01,
                           [&](const state& at, double) { seen.push_back(at); });

  CHECK(seen == s.ys);
}

TEST_CASE(
    "odeint: a system over any scalar has exact derivatives, and by its parameters if it has") {
  const auto make = [](const auto& p) {
    return lorenz_system<std::remove_cvref_t<decltype(p[0])>>{p[0], p[1], p[2]};
  };
  const std::array<double, 3> start{1.0, 0.5, 0.2};
  const problem q{odeint::autonomous(odeint::from_parameters(make)), start, 0.0, 1.0,
                  vec{10.0, 28.0, 8.0 / 3}};
  const options o{.fixed_step = 0.01};
  using rk4 = odeint::method<library::runge_kutta4<std::array<double, 3>>>;

  const auto g = solve(q, rk4{}, o, recursive_checkpoint{.slots = 5}).pullback({1.0, 0.0, 0.0});

  const auto loss = [&](double rho) {
    auto moved = q;
    moved.p[1] = rho;
    return solve(moved, rk4{}, o).y[0];
  };
  CHECK(g.p[1] == doctest::Approx((loss(28 + 1e-6) - loss(28 - 1e-6)) / 2e-6).epsilon(1e-6));
  const recursive_checkpoint few{.slots = 2}, all{.schedule = schedule_kind::store_all};
  CHECK(equal_gradients_law(q, rk4{}, o, few, all).holds);
}

void double_only(const boost::array<double, 2>& y, boost::array<double, 2>& dydt, double t) {
  dydt[0] = y[1];
  dydt[1] = -y[0] * t;
}

TEST_CASE("odeint: a system over double alone has them by differences, if that is said") {
  const boost::array<double, 2> start{{1.0, 0.0}};
  const problem q{by_finite_differences(from_odeint(double_only)), start, 0.0, 1.0};
  using dopri5 = odeint::method<library::runge_kutta_dopri5<boost::array<double, 2>>>;

  const auto s =
      solve(q, dopri5{}, {.rtol = 1e-10, .atol = 1e-10},
            tangents<boost::array<double, 2>, vec<double, 0>>{.y0 = {{1.0, 0.0}}, .p = {}});

  // y'' = −t y from (1, 0): y(1) = Σ (−1)ᵏ Π (3j − 2)/(3k)!, by linearity the derivative in y(0).
  CHECK(s.y_dot[0] == doctest::Approx(1 - 1.0 / 6 + 4.0 / 720 - 28.0 / 362880).epsilon(1e-5));
}

TEST_CASE("odeint: misuse is explained before any work, and a hopeless step ends its loop") {
  using stepper = odeint::as_controlled_stepper<tsit5, state>;
  CHECK_THROWS_WITH_AS(stepper({.rtol = -1}), doctest::Contains("invalid tolerances rtol=-1"),
                       std::invalid_argument);
  const auto broken = [](const state&, state& dydt, double t) {
    dydt = {t < 0.5 ? 1.0 : std::numeric_limits<double>::quiet_NaN()};
  };
  state y{0.0};
  CHECK_THROWS_WITH_AS(library::integrate_adaptive(stepper(), broken, y, 0.0, 1.0, 0.1),
                       doctest::Contains("(t + dt is t itself"), std::runtime_error);
}

}  // namespace
}  // namespace revode
