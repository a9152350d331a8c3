// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <revode/solve/solve.hpp>
#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/state/vec.hpp>

// The first step of Hairer, Nørsett & Wanner, II.4, where it can be said in closed form.

namespace revode {
namespace {

using state = vec<double, 1>;

/// y' = p0 y + p1
struct affine {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0] + p[1];
  }
};

double step_of(double rate, double y0, int order, double tol, double t1 = 10, double slope = 0) {
  const auto f = [&](double, const state& y, state& dy) { dy[0] = rate * y[0] + slope; };
  return first_step(f, 0.0, t1, state{y0}, {tol, tol}, order);
}

}  // namespace

TEST_CASE(
    "the first step of y' = λ y leaves a hundredth of a tolerance: (0.01 / slope)^(1/(k+1))") {
  // d1 = |λ| / (2 tol) and d2 = λ² / (2 tol) with y0 = 1, in units of tol (1 + |y0|)
  for (const int order : {1, 2, 3, 4, 7})
    for (const double rate : {-0.25, -3.0, 2.0})
      for (const double tol : {1e-5, 1e-9}) {
        CAPTURE(order);
        CAPTURE(rate);
        const double slope = std::fmax(std::abs(rate), rate * rate) / (2 * tol);
        const double expected = std::pow(0.01 / slope, 1.0 / (order + 1));
        REQUIRE(expected < 1 / std::abs(rate));  // a hundred times 0.01 |y| / |y'|
        CHECK(step_of(rate, 1, order, tol) == doctest::Approx(expected).epsilon(1e-6));
        CHECK(step_of(rate, 1, order, tol, -10) == doctest::Approx(-expected).epsilon(1e-6));
        CHECK(step_of(rate, 1, order, tol, expected / 2) == expected / 2);
      }
}

TEST_CASE("the first step is at most a hundred times the Euler step that looked for curvature") {
  CHECK(step_of(-1000, 1, 7, 1e-3) == doctest::Approx(1e-3).epsilon(1e-12));     // 0.01 |y| / |y'|
  CHECK(step_of(0, 0, 4, 1e-6, 10, 1) == doctest::Approx(1e-4).epsilon(1e-12));  // y0 = 0: 1e-6
  CHECK(step_of(0, 1, 4, 1e-6) == doctest::Approx(1e-6).epsilon(1e-12));  // f = 0: 1e-6 it is
  CHECK(step_of(0, 1, 4, 1e-6, 1e-7) == doctest::Approx(1e-7).epsilon(1e-12));
}

TEST_CASE("a state without a scale or with a slope beyond numbers gets the shortest first step") {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto f = [](double, const state& y, state& dy) { dy[0] = y[0] == 0 ? 1 : 1e300; };
  CHECK(first_step(f, 0.0, 1.0, state{0.0}, {1e-6, 0.0}, 4) == 1e-6);
  CHECK(first_step(f, 0.0, -1.0, state{0.0}, {1e-6, 0.0}, 4) == -1e-6);
  const auto endless = [&](double, const state&, state& dy) { dy[0] = infinite; };
  CHECK(std::isnan(first_step(endless, 0.0, 1.0, state{0.0}, {1e-6, 0.0}, 4)));
}

TEST_CASE("a solve begins with that step for the order of its method's estimate") {
  const auto check = [](const auto& m, int order) {
    const problem q{affine{}, state{1}, 0.0, 10.0, vec{-1.0, 0.0}};
    stepper<std::remove_cvref_t<decltype(m)>, affine, state, vec<double, 2>> loop(
        q, m, {.rtol = 1e-6, .atol = 1e-6});
    loop.step(loop.work_tape());
    const double expected = std::pow(0.01 * 2e-6, 1.0 / (order + 1));
    CHECK(loop.time() == doctest::Approx(expected).epsilon(1e-6));
  };
  check(bosh3{}, 2);
  check(tsit5{}, 4);
  check(dop853{}, 7);
}

TEST_CASE("a last step is stretched by up to a hundredth, and by no more") {
  const auto steps = [](double t1) {
    const problem q{affine{}, state{1}, 0.0, t1, vec{0.0, 1.0}};
    return solve(q, tsit5{}, {.first_step = t1 > 0 ? 1.0 : -1.0}).stats.accepted;
  };
  for (const double direction : {1.0, -1.0}) {
    CHECK(steps(direction * 1.0) == 1);
    CHECK(steps(direction * 1.0099) == 1);
    CHECK(steps(direction * 1.0101) == 2);
  }
}

}  // namespace revode
