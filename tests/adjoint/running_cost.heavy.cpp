// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/interop/eigen.hpp>
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

/// A ball; p: gravity and restitution.
struct falling {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy.data()[0] = y.data()[1];
    dy.data()[1] = -p.data()[0];
  }
};
struct bounce {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y.data()[0];
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new.data()[1] = -(p.data()[1] * y.data()[1]);
  }
};
/// Nothing but a look at the height, which must be that of the ball.
struct kept_above {
  template <class T, class Y, class P>
  bool inside(const T&, const Y& y, const P&) const {
    return length(y) == 2 && y.data()[0] > -2;
  }
};

/// ∫ height dt from 0 to t1, the height at t1 and the sum of all bounces' times, in closed form: a
/// flight of length s from height 0 has ∫ (v τ − g τ²/2) = v s²/2 − g s³/6.
template <class D>
D thrown(const D (&x)[5], int& bounces) {
  using std::sqrt;
  const D &y0 = x[0], &v0 = x[1], &g = x[2], &r = x[3], &t1 = x[4];
  const auto area = [&](const D& v, const D& s) { return v * s * s / 2.0 - g * s * s * s / 6.0; };
  D t = (v0 + sqrt(v0 * v0 + 2.0 * g * y0)) / g, v = r * (g * t - v0), times = t;
  D sum = y0 * t + area(v0, t);
  for (bounces = 1; value_of(t) + 2 * value_of(v) / value_of(g) < value_of(t1); ++bounces) {
    sum = sum + area(v, 2.0 * v / g);
    t = t + 2.0 * v / g;
    v = v * r;
    times = times + t;
  }
  const D left = t1 - t;
  return sum + area(v, left) + (v * left - 0.5 * g * left * left) + 0.25 * times;
}

template <class Y, class P>
void through_bounces(const Y& y0, const P& p) {
  const auto running = [](const auto&, const auto& y, const auto&) { return y.data()[0]; };
  const auto terminal = [](const auto& y, const auto& ys, const auto& times) {
    auto sum = y.data()[0] + 0.0 * ys.front().data()[0];
    for (const auto& t : times) sum = sum + 0.25 * t;
    return sum;
  };
  for (const double t1 : {1.0, 3.0})
    for (const bool outside : {false, true}) {
      const problem ball{falling{}, y0, 0.0, t1, p};
      const loss_with_running_cost loss{terminal, running, outside};
      const auto r =
          value_and_gradient(ball, tsit5{}, {.rtol = 1e-9, .atol = 1e-11, .save = {.ts = {0.5}}},
                             events(bounce{}, kept_above{}), loss, {.slots = 3});
      using D = dual<double, 5>;
      const double at[5] = {y0.data()[0], y0.data()[1], p.data()[0], p.data()[1], t1};
      D x[5];
      for (int i = 0; i < 5; ++i) x[i] = D::input(at[i], i);
      int bounces = 0;
      const D expected = thrown(x, bounces);
      REQUIRE(static_cast<int>(r.solution.events.size()) == bounces);
      CHECK(*r.value == doctest::Approx(expected.value).epsilon(1e-12));
      const auto& g = *r.gradient;
      const double given[5] = {g.y0.data()[0], g.y0.data()[1], g.p.data()[0], g.p.data()[1], g.t1};
      for (int i = 0; i < 5; ++i) CHECK(given[i] == doctest::Approx(expected.d[i]).epsilon(1e-10));
    }
}

}  // namespace

TEST_CASE("a running cost through events: the integral of a bouncing ball's height") {
  through_bounces(vec{1., 0.3}, vec{9.81, 0.8});
  through_bounces(std::vector{1., 0.3}, std::vector{9.81, 0.8});
}

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

TEST_CASE("a running cost over a matrix: field and cost see a matrix") {
  const auto product = [](const auto&, const auto& y, const auto& p, auto& dy) { dy = p * y; };
  const auto trace = [](const auto&, const auto& y, const auto&) { return y(0, 0) + y(1, 1); };
  const problem matrix{product, Eigen::MatrixXd{{1, 0}, {0, 1}}, 0.0, 2.0,
                       Eigen::MatrixXd{{0, -1}, {1, 0}}};
  const loss_with_running_cost loss{[](const auto& y) { return y(1, 0); }, trace};
  const auto r = value_and_gradient(matrix, tsit5{}, tight, loss);
  // y = [[cos t, −sin t], [sin t, cos t]]
  CHECK(std::abs(*r.value - 3 * std::sin(2.0)) < 1e-9);
  CHECK(std::abs(r.gradient->y0(0, 0) - 2 * std::sin(2.0)) < 1e-9);
}

}  // namespace revode
