// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/stabilized/stabilized.hpp>
#include <revode/solvers/tr_bdf2.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// y₀' = −p₀ (y₀ − cos t), the stiff part, and y₁' = y₀ − p₁ y₁ y₀².
struct driven {
  void operator()(const auto& t, const auto& y, const auto& p, auto& dy) const {
    implicit_part(t, y, p, dy);
    dy[1] = y[0] - p[1] * (y[1] * (y[0] * y[0]));
  }
  void implicit_part(const auto& t, const auto& y, const auto& p, auto& dy) const {
    using std::cos;
    dy[0] = -(p[0] * (y[0] - cos(t)));
    dy[1] = 0 * y[1];
  }
  void explicit_part(const auto&, const auto& y, const auto& p, auto& dy) const {
    dy[0] = 0 * y[0];
    dy[1] = y[0] - p[1] * (y[1] * (y[0] * y[0]));
  }
};

/// The same over numbers alone, with derivatives of its own.
template <class Y, class P>
struct by_hand {
  void operator()(double t, const Y& y, const P& p, Y& dy) const { driven{}(t, y, p, dy); }
  void jvp(double t, const Y& y, const P& p, double dt, const Y& d, const P& dp, Y& out) const {
    out[0] = -dp[0] * (y[0] - std::cos(t)) - p[0] * (d[0] + std::sin(t) * dt);
    out[1] = d[0] - dp[1] * y[1] * y[0] * y[0] - p[1] * (d[1] * y[0] + 2 * y[1] * d[0]) * y[0];
  }
  void vjp(double t, const Y& y, const P& p, const Y& w, double& gt, Y& gy, P& gp) const {
    gt -= w[0] * p[0] * std::sin(t);
    gy[0] += -w[0] * p[0] + w[1] * (1 - 2 * p[1] * y[1] * y[0]);
    gy[1] -= w[1] * p[1] * y[0] * y[0];
    gp[0] -= w[0] * (y[0] - std::cos(t));
    gp[1] -= w[1] * y[1] * y[0] * y[0];
  }
  template <class J>
  void jacobian(double, const Y& y, const P& p, J& j) const {
    j(0, 0) = -p[0];
    j(0, 1) = 0;
    j(1, 0) = 1 - 2 * p[1] * y[1] * y[0];
    j(1, 1) = -p[1] * y[0] * y[0];
  }
};

/// And with parts over numbers alone, each with derivatives of its own.
template <class Y, class P>
struct parts_by_hand : by_hand<Y, P> {
  void implicit_part(double t, const Y& y, const P& p, Y& dy) const {
    driven{}.implicit_part(t, y, p, dy);
  }
  void explicit_part(double t, const Y& y, const P& p, Y& dy) const {
    driven{}.explicit_part(t, y, p, dy);
  }
  void implicit_jvp(double t, const Y& y, const P& p, double dt, const Y& d, const P& dp,
                    Y& out) const {
    this->jvp(t, y, p, dt, d, dp, out);
    out[1] = 0;
  }
  void explicit_jvp(double t, const Y& y, const P& p, double dt, const Y& d, const P& dp,
                    Y& out) const {
    this->jvp(t, y, p, dt, d, dp, out);
    out[0] = 0;
  }
  void implicit_vjp(double t, const Y& y, const P& p, const Y& w, double& gt, Y& gy, P& gp) const {
    this->vjp(t, y, p, Y{w[0], 0}, gt, gy, gp);
  }
  void explicit_vjp(double t, const Y& y, const P& p, const Y& w, double& gt, Y& gy, P& gp) const {
    this->vjp(t, y, p, Y{0, w[1]}, gt, gy, gp);
  }
};

using two = vec<double, 2>;
const tangents<two, two> way{.y0 = {0.3, -1}, .p = {2, 1}};
const options tight{.rtol = 1e-12, .atol = 1e-12};

template <class F>
auto problem_of(const F& f) {
  return problem<const F&, two, two>{f, {0.5, 1}, 0, 3, {20, 0.7}};
}

/// The derivative of y₀ + 2 y₁ by method m at 1e-6, against that of tight steps, and with the reverse
/// pass over the same steps; `off` is how far these two may be apart.
template <class F, class M>
void compare(const F& f, const M& m, double off, options o = {}) {
  CAPTURE(M::name);
  static const driven known{};
  static const auto right = solve(problem_of(known), tsit5{}, tight, way);
  const auto q = problem_of(f);
  o.rtol = o.atol = 1e-6;
  const auto s = solve(q, m, o, control_gradient_error{way});
  REQUIRE(s.status == status::success);
  for (int i = 0; i < 2; ++i) {
    CHECK(std::abs(s.y_dot[i] - right.y_dot[i]) < 1e-4);
    CHECK(std::abs(s.y[i] - right.y[i]) < 1e-4);
  }
  const auto loss = [](const auto& y) { return y[0] + 2 * y[1]; };
  const auto r = value_and_gradient(q, m, o, loss, control_gradient_error{way});
  CHECK(*r.value == loss(s.y));
  const double along = dot(r.gradient->p, way.p) + dot(r.gradient->y0, way.y0);
  CHECK(std::abs(along - loss(s.y_dot)) < off);
}

}  // namespace

TEST_CASE("control_gradient_error: every family, forward and reverse on the same steps") {
  const driven f{};
  compare(f, tsit5{}, 1e-13);
  compare(f, rodas4{}, 1e-12);
  compare(f, rock2{}, 1e-12);
  compare(f, tr_bdf2{}, 1e-8);
  compare(f, imex<kencarp4>{}, 1e-8);
  compare(f, radau_iia5{}, 1e-8);
}

TEST_CASE("control_gradient_error: stops, and fields that jump") {
  const driven f{};
  compare(f, tsit5{}, 1e-13, {.stops = {0.7}, .discontinuities = {1.5}});
  compare(f, rodas4{}, 1e-12, {.stops = {0.7}, .discontinuities = {1.5}});
}

TEST_CASE("control_gradient_error: fields over numbers alone, with derivatives of their own") {
  const by_hand<two, two> f{};
  compare(f, tsit5{}, 1e-13);
  compare(f, tr_bdf2{}, 1e-8);  // by an approximate Jacobian of the tangent's part
  compare(parts_by_hand<two, two>{}, imex<kencarp4>{}, 1e-6);
}

TEST_CASE("control_gradient_error: an erased field, through Rosenbrock's exact Jacobian as well") {
  using vector = erased_field::vector;
  const auto dynamic = [](const auto& x) {
    vector v(x.size());
    copy(x, v);
    return v;
  };
  const driven known{};
  const auto fixed = problem_of(known);
  const erased_field f{driven{}};
  const problem<const erased_field&, vector, vector> q{f, dynamic(fixed.y0), 0, 3,
                                                       dynamic(fixed.p)};
  const tangents<vector, vector> along{.y0 = dynamic(way.y0), .p = dynamic(way.p)};
  const options o{.rtol = 1e-6, .atol = 1e-6};
  const auto agree = [&](const auto& m) {
    const auto a = solve(fixed, m, o, control_gradient_error{way});
    const auto b = solve(q, m, o, control_gradient_error{along});
    REQUIRE(b.status == status::success);
    CHECK(b.stats.accepted == a.stats.accepted);
    for (int i = 0; i < 2; ++i) CHECK(std::abs(a.y_dot[i] - b.y_dot[i]) < 1e-10);
  };
  agree(rodas4{});
  agree(tr_bdf2{});
}

}  // namespace revode
