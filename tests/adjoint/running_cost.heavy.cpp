// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/problems/decay.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

const problem<decay, vec<double, 1>, vec<double, 1>> q{decay{}, {1.5}, 0, 2, {0.5}};
const options tight{.rtol = 1e-11, .atol = 1e-12};

/// A decay that brings its element count along.
struct decay_each {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < static_cast<int>(y.size()); ++i) dy.data()[i] = -(p[0] * y.data()[i]);
  }
};

}  // namespace

TEST_CASE("a running cost: the integral of p y^2, and everything it depends on") {
  // ∫₀² p y² dt = y0² (1 − e^{−4p}) / 2
  const loss_with_running_cost loss{
      [](const auto& y) { return 3.0 * y[0]; },
      [](const auto&, const auto& y, const auto& p) { return p[0] * (y[0] * y[0]); }};
  options o = tight;
  o.save = {.t0 = true, .ts = {1}};
  const auto r = value_and_gradient(q, tsit5{}, o, loss, {.slots = 2});

  const double p = 0.5, y0 = 1.5, left = std::exp(-2 * p), y1 = y0 * left;
  CHECK(std::abs(*r.value - (3 * y1 + y0 * y0 * (1 - left * left) / 2)) < 1e-9);
  CHECK(std::abs(r.gradient->y0[0] - (3 * left + y0 * (1 - left * left))) < 1e-9);
  CHECK(std::abs(r.gradient->p[0] - (-2 * 3 * y1 + 2 * y0 * y0 * left * left)) < 1e-9);
  CHECK(std::abs(r.gradient->t1 - (-p * 3 * y1 + p * y1 * y1)) < 1e-6);
  static_assert(std::is_same_v<decltype(r.solution.y), vec<double, 1>>);
  CHECK(std::abs(r.solution.y[0] - y1) < 1e-9);
  REQUIRE(r.solution.ys.size() == 2);
  CHECK(r.solution.ys[0] == q.y0);
}

TEST_CASE("a running cost over a dynamic state") {
  const problem many{decay_each{}, Eigen::VectorXd{{1, 2}}, 0.0, 2.0, Eigen::VectorXd{{0.5}}};
  const loss_with_running_cost loss{
      [](const auto& y) { return 0.0 * y[0]; },
      [](const auto& t, const auto& y, const auto&) { return t * y[1]; }};
  const auto r = value_and_gradient(many, tsit5{}, tight, loss);
  // ∫₀² t 2e^{−t/2} dt = 8 (1 − 2/e)
  CHECK(std::abs(*r.value - 8 * (1 - 2 * std::exp(-1.0))) < 1e-9);
  CHECK(r.gradient->y0.size() == 2);
  CHECK(std::abs(r.gradient->y0[0]) < 1e-15);
  CHECK(std::abs(r.gradient->y0[1] - 4 * (1 - 2 * std::exp(-1.0))) < 1e-9);

  const problem by_name{decay_each{}, std::vector<double>{1, 2}, 0.0, 2.0, std::vector{0.5}};
  CHECK(*value_and_gradient(by_name, tsit5{}, tight, loss).value == *r.value);
  const problem small{decay_each{}, Eigen::Vector2d{1, 2}, 0.0, 2.0, vec{0.5}};
  CHECK(*value_and_gradient(small, tsit5{}, tight, loss).value == *r.value);
}

}  // namespace revode
