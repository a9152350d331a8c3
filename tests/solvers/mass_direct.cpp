// SPDX-License-Identifier: Apache-2.0
// Beside elements of index 2, those of index 1 that M does not see: they are made consistent at a start and behind
// events, whatever y0 guesses.
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/problems/water_tube.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>

#include "mass_index_laws.hpp"

namespace revode {
namespace {

/// A pendulum of index 2, (x, y, u, v, λ), in a wind: drag z of index 1, z + z³/5 = exp(u) + p₁ sin t, and
/// a second one of it, 3 r − z = x, each in both of their rows.
struct pendulum_in_wind {
  static constexpr const char* name = "pendulum_in_wind";
  static constexpr double t0 = 0, t1 = 1.2;
  static vec<double, 7> y0() { return {1, 0, 0, 0, 0.3, 2, -1}; }
  static vec<double, 2> parameters() { return {9.81, 0.7}; }
  static constexpr auto index() { return vec<int, 7>{1, 1, 1, 1, 2, 1, 1}; }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 4; ++i) m(i, i) = 1;
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    using std::sin;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -(y[4] * y[0]) - 0.3 * y[5];
    dy[3] = -(y[4] * y[1]) - p[0] + 0.1 * y[6];
    dy[4] = y[0] * y[2] + y[1] * y[3];
    const auto a = y[5] + 0.2 * y[5] * y[5] * y[5] - exp(y[2]) - p[1] * sin(t);
    const auto b = 3.0 * y[6] - y[5] - y[0];
    dy[5] = a + 2.0 * b;
    dy[6] = b - a;
  }
};

double left(double t, const vec<double, 7>& y, const vec<double, 2>& p) {
  vec<double, 7> dy;
  pendulum_in_wind{}(t, y, p, dy);
  return std::fmax(std::abs(dy[5]), std::abs(dy[6]));
}

/// The wind turns where the pendulum passes its lowest point.
struct wind_turns {
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0]; }
  void jump(const auto&, const auto&, const auto& p, auto&, auto& p_new) const {
    p_new[1] = -2.0 * p[1];
  }
};

TEST_CASE("elements of index 1 beside index 2 are found at a start and behind events") {
  const auto q = problem_of(pendulum_in_wind{});
  for (const double tol : {1e-5, 1e-8, 1e-11}) {
    const options o{.rtol = tol, .atol = tol, .save = {.t0 = true, .ts = {1e-4}}};
    const auto s = solve(q, radau_iia5{}, o, events(wind_turns{}));
    REQUIRE(s.status == status::success);
    CHECK(s.events.size() == 1);
    CHECK(left(0, s.ys[0], q.p) <= 1e-14);
    CHECK(left(1e-4, s.ys[1], q.p) <= 1e-7);
    auto other = q;
    other.y0[5] = -4, other.y0[6] = 10;
    const auto from_other = solve(other, radau_iia5{}, o, events(wind_turns{}));
    CHECK(from_other.stats.accepted == s.stats.accepted);
    for (int i = 0; i < 7; ++i) CHECK(std::abs(from_other.y[i] - s.y[i]) <= 1e-10);
  }
}

TEST_CASE("elements of index 1 beside index 2: laws, and a gradient along the constraints") {
  options o{.rtol = 1e-6, .atol = 1e-6, .save = {.ts = {0.0, 0.01, 0.6}}};
  check_index_laws(radau_iia5{}, pendulum_in_wind{}, o, 1.2, 1e-12);
  check_index_laws(radau_iia9{}, pendulum_in_wind{}, o, 1.2, 1e-12);

  auto q = problem_of(pendulum_in_wind{});
  o = {.rtol = 1e-11, .atol = 1e-11, .save = {.t0 = true, .ts = {0.3}}};
  auto s = solve(q, radau_iia5{}, o, events(wind_turns{}), recursive_checkpoint{.slots = 2});
  cotangents<vec<double, 7>> w;
  w.y = vec<double, 7>{1, 0.5, -0.3, 0.7, 0, 2, 1};
  w.ys = {vec<double, 7>{0, 0, 0, 0, 0, 1, 2}, vec<double, 7>{0, 0, 0, 0, 0, 0, 1}};
  const auto g = s.pullback(w);
  CHECK(g.y0[5] == 0);
  CHECK(g.y0[6] == 0);
  const auto value = [&](const auto& z) {
    const auto found = solve(z, radau_iia5{}, o, events(wind_turns{}));
    return dot(*w.y, found.y) + dot(w.ys[0], found.ys[0]) + dot(w.ys[1], found.ys[1]);
  };
  for (int i = 0; i < 2; ++i) {
    auto above = q, below = q;
    above.p[i] += 1e-4, below.p[i] -= 1e-4;
    CHECK(g.p[i] == doctest::Approx((value(above) - value(below)) / 2e-4).epsilon(1e-5));
  }
}

TEST_CASE("elements of index 1 beside index 2: a Hessian product is symmetric") {
  const auto q = problem_of(pendulum_in_wind{}, 0.4);
  const options o{.fixed_step = 0.02, .save = {.t0 = true}};
  const auto loss = [](const auto& y, const auto& ys) { return y[5] * y[0] + ys[0][6] * y[3]; };
  using inputs = tangents<vec<double, 7>, vec<double, 2>>;
  const inputs u{.y0 = {0, 0, 0, 0.4, 0, 1, 1}, .p = {0.3, -0.2}};
  const inputs v{.y0 = {0, 0, 0, -0.1, 0, 3, 1}, .p = {0.5, 0.6}};
  const auto along = [](const auto& h, const inputs& x) {
    return dot(h.product->y0, x.y0) + dot(h.product->p, x.p);
  };
  const auto of_u = hessian_vector_product(q, radau_iia5{}, o, loss, u);
  const auto of_v = hessian_vector_product(q, radau_iia5{}, o, loss, v);
  CHECK(along(of_u, v) == doctest::Approx(along(of_v, u)).epsilon(1e-9));
}

TEST_CASE("water_tube begins with any guess of its coefficients") {
  const water_tube f;
  const problem q{f, f.y0(), f.t0, 3600.0, f.parameters()};
  auto other = q;
  for (int i = 18; i < 36; ++i) other.y0[i] = 0.03 + 0.001 * i;
  const options o{.rtol = 1e-6, .atol = 1e-6};
  const auto s = solve(q, radau_iia5{}, o), from_other = solve(other, radau_iia5{}, o);
  REQUIRE(s.status == status::success);
  REQUIRE(from_other.status == status::success);
  for (int i = 0; i < 36; ++i) CHECK(std::abs(from_other.y[i] - s.y[i]) <= 1e-12);
}

}  // namespace
}  // namespace revode
