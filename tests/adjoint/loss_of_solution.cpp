// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/value_and_checked_gradient.hpp>
#include <revode/problems/decay.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

const problem<decay, vec<double, 1>, vec<double, 1>> q{decay{}, {1.5}, 0.25, 2, {0.5}};
const options tight{.rtol = 1e-9, .atol = 1e-11, .save = {.ts = {0.5, 1}}};

const auto through = [](const auto& y, const auto& ys) {
  return y[0] * y[0] + ys[0][0] * ys[1][0];
};
/// The same, and what depends on the inputs themselves.
const loss_of_solution all{[](const auto& s) {
  return s.y[0] * s.y[0] + s.ys[0][0] * s.ys[1][0] + s.y0[0] * s.p[0] * s.p[0] +
         s.t0 * s.t0 * s.p[0] + s.t * s.t * s.y0[0];
}};

/// What was given adds 2 y0 p + t0² to p's derivative, p² + t1² to y0's, and so on.
template <class R>
void check_sum(const R& whole, const R& part) {
  REQUIRE(whole.gradient);
  REQUIRE(part.gradient);
  CHECK(whole.gradient->status == status::success);
  CHECK(whole.gradient->p[0] == part.gradient->p[0] + (2 * 1.5 * 0.5 + 0.0625));
  CHECK(whole.gradient->y0[0] == part.gradient->y0[0] + (0.25 + 4));
  CHECK(whole.gradient->t0 == part.gradient->t0 + 2 * 0.25 * 0.5);
  CHECK(whole.gradient->t1 == part.gradient->t1 + 2 * 2 * 1.5);
  CHECK(whole.gradient->ts == part.gradient->ts);
  CHECK(*whole.value - *part.value == doctest::Approx(1.5 * 0.25 + 0.0625 * 0.5 + 4 * 1.5));
}

/// Falls from height y0 with gravity p; the ground ends it.
struct falling {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0];
  }
};
struct ground {
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
  static constexpr bool terminal = true;
};
const problem fall{falling{}, vec{2.0, 0.0}, 0.5, 10.0, vec{9.81}};

}  // namespace

TEST_CASE(
    "a loss sees y0, p, t0 and t1: their own derivatives are added to those through the solution") {
  check_sum(value_and_gradient(q, tsit5{}, tight, all),
            value_and_gradient(q, tsit5{}, tight, through));
  check_sum(value_and_gradient(q, rodas5p{}, tight, all, {.slots = 2}),
            value_and_gradient(q, rodas5p{}, tight, through, {.slots = 2}));
  check_sum(value_and_gradient(q, tsit5{}, tight, all, gauss{}),
            value_and_gradient(q, tsit5{}, tight, through, gauss{}));
  options o = tight;
  o.fixed_step = 0.125;
  check_sum(value_and_gradient(q, tsit5{}, o, all), value_and_gradient(q, tsit5{}, o, through));
}

TEST_CASE("and on steps that resolve the gradient") {
  const options o{.rtol = 1e-6, .atol = 1e-9};
  const loss_of_solution penalised{[](const auto& s) { return s.y[0] + 3 * s.p[0] * s.t; }};
  const control_gradient_error along{tangents<vec<double, 1>, vec<double, 1>>{{1}, {1}}};
  const auto whole = value_and_gradient(q, tsit5{}, o, penalised, along);
  const auto part = value_and_gradient(
      q, tsit5{}, o, [](const auto& y) { return y[0]; }, along);
  CHECK(whole.gradient->p[0] == part.gradient->p[0] + 6);
  CHECK(whole.gradient->t1 == part.gradient->t1 + 1.5);
}

TEST_CASE("the error of a gradient is that of both parts") {
  const options o{.rtol = 1e-4, .atol = 1e-6};
  const loss_of_solution product{[](const auto& s) { return s.p[0] * s.y[0]; }};
  const auto r = value_and_checked_gradient(q, tsit5{}, o, product);
  REQUIRE(r.gradient);
  REQUIRE(r.gradient->error);
  const double y = 1.5 * std::exp(-0.5 * 1.75), of_p = y - 0.5 * 1.75 * y;
  const double error = std::abs(r.gradient->p[0] - of_p);
  CHECK(error < 1e-3);
  CHECK(r.gradient->error->p[0] < 20 * error);
  CHECK(r.gradient->error->p[0] > error / 20);
  const auto plain = value_and_gradient(q, tsit5{}, o, product);
  CHECK(r.gradient->p == plain.gradient->p);
}

TEST_CASE("the end's time is that of the event which ended the solve") {
  const options o{.rtol = 1e-10, .atol = 1e-12};
  const auto r = value_and_gradient(fall, tsit5{}, o, events(ground{}),
                                    loss_of_solution{[](const auto& s) { return s.t - s.t0; }});
  REQUIRE(r.gradient);
  const double duration = std::sqrt(2 * 2.0 / 9.81);
  CHECK(*r.value == doctest::Approx(duration).epsilon(1e-12));
  CHECK(r.gradient->y0[0] == doctest::Approx(duration / (2 * 2.0)).epsilon(1e-10));
  CHECK(r.gradient->p[0] == doctest::Approx(-duration / (2 * 9.81)).epsilon(1e-10));
  CHECK(r.gradient->t0 == doctest::Approx(0).epsilon(1e-10));
  CHECK(r.gradient->t1 == 0);
  const auto by_times = value_and_gradient(
      fall, tsit5{}, o, events(ground{}),
      [](const auto&, const auto&, const auto& times) { return times.back() - 0.5; });
  CHECK(r.gradient->p == by_times.gradient->p);
  CHECK(r.gradient->y0 == by_times.gradient->y0);
}

TEST_CASE("beside a running cost") {
  const auto running = [](const auto&, const auto& y, const auto& p) { return p[0] * y[0]; };
  const auto terminal = [](const auto& y, const auto&) { return y[0]; };
  const loss_of_solution with_penalty{
      [](const auto& s) { return s.y[0] + s.y0[0] * s.y0[0] + s.p[0] * s.t; }};
  const auto part =
      value_and_gradient(q, tsit5{}, tight, loss_with_running_cost{terminal, running});
  const auto whole =
      value_and_gradient(q, tsit5{}, tight, loss_with_running_cost{with_penalty, running});
  CHECK(whole.gradient->y0[0] == part.gradient->y0[0] + 3.0);
  CHECK(whole.gradient->p[0] == part.gradient->p[0] + 2.0);
  CHECK(whole.gradient->t1 == part.gradient->t1 + 0.5);
  CHECK(whole.gradient->y0.size() == 1);
}

TEST_CASE("Hessian products have the second derivatives of what was given") {
  const tangents<vec<double, 1>, vec<double, 1>> v{{0.5}, {2}, 0.25, -1};
  const auto whole = hessian_vector_product(q, tsit5{}, tight, all, v);
  const auto part = hessian_vector_product(q, tsit5{}, tight, through, v);
  REQUIRE(whole.product);
  CHECK(whole.gradient->p == value_and_gradient(q, tsit5{}, tight, all).gradient->p);
  // of y0 p² + t0² p + t1² y0, times (0.5, 2, 0.25, −1)
  const double y0 = 1.5, p = 0.5, t0 = 0.25, t1 = 2;
  CHECK(whole.product->y0[0] == doctest::Approx(part.product->y0[0] + 2 * p * 2 - 2 * t1));
  CHECK(whole.product->p[0] ==
        doctest::Approx(part.product->p[0] + 2 * p * 0.5 + 2 * y0 * 2 + 2 * t0 * 0.25));
  CHECK(whole.product->t0 == doctest::Approx(part.product->t0 + 2 * t0 * 2 + 2 * p * 0.25));
  CHECK(whole.product->t1 == doctest::Approx(part.product->t1 + 2 * t1 * 0.5 - 2 * y0));
}

TEST_CASE("a Hessian product through the event that ends the solve: of its time") {
  const options o{.rtol = 1e-10, .atol = 1e-12};
  const tangents<vec<double, 2>, vec<double, 1>> v{{1, 0}, {0}};
  const auto r =
      hessian_vector_product(fall, tsit5{}, o, events(ground{}),
                             loss_of_solution{[](const auto& s) { return s.t * s.t; }}, v);
  REQUIRE(r.product);
  // (t0 + √(2 h/g))²: its second derivative in h is −t0 √(2/g) h^(−3/2)/2
  CHECK(r.product->y0[0] ==
        doctest::Approx(-0.5 * std::sqrt(2 / 9.81) * std::pow(2.0, -1.5) / 2).epsilon(1e-8));
}

}  // namespace revode
