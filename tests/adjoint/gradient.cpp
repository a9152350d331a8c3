// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/decay.hpp>
#include <revode/problems/rotation.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// y' = cos(t) y, or mirrored in time.
struct swing {
  double sign = 1;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = sign * (p[0] * cos(sign * t) * y[0]);
  }
};

struct fourth_power {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y&, const P& p, Y& dy) const {
    dy[0] = p[0] * (t * t * t * t);
  }
};

double relative(double a, double b) { return std::abs(a - b) / std::abs(b); }

}  // namespace

TEST_CASE("equal RK4 steps of a decay: the derivative of R(z)^n in every input") {
  const double p = 0.7, y0 = 1.5, t0 = 0.25, t1 = 2.25;
  const int n = 20;
  const problem q{decay{}, vec{y0}, t0, t1, vec{p}};
  auto s = solve(q, rk4{}, {.fixed_step = (t1 - t0) / n}, recursive_checkpoint{.slots = 3});
  const auto g = s.pullback(vec{2.0});

  const double h = (t1 - t0) / n, z = -p * h;
  const double r = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
  const double dr = 1 + z * (1 + z / 2 * (1 + z / 3));
  const double through_z = 2 * y0 * n * std::pow(r, n - 1) * dr;
  CHECK(relative(s.y[0], y0 * std::pow(r, n)) < 1e-14);
  CHECK(relative(g.y0[0], 2 * std::pow(r, n)) < 1e-14);
  CHECK(relative(g.p[0], through_z * -h) < 1e-13);
  CHECK(relative(g.t1, through_z * -p / n) < 1e-13);
  CHECK(relative(g.t0, through_z * p / n) < 1e-13);
}

TEST_CASE("a rotation: the integrals of the matrix exponential") {
  const double t = 3;
  const problem q{rotation{}, vec{1., 0.}, 0., t, vec{0., -1., 1., 0.}};
  auto s = solve(q, tsit5{}, {.rtol = 1e-12, .atol = 1e-12}, recursive_checkpoint{});
  const auto g = s.pullback(vec{1., 0.});

  CHECK(std::abs(g.y0[0] - std::cos(t)) < 1e-9);
  CHECK(std::abs(g.y0[1] + std::sin(t)) < 1e-9);
  CHECK(std::abs(g.p[0] - (t * std::cos(t) + std::sin(t)) / 2) < 1e-9);
  CHECK(std::abs(g.p[1] - t * std::sin(t) / 2) < 1e-9);
  CHECK(std::abs(g.p[2] + t * std::sin(t) / 2) < 1e-9);
  CHECK(std::abs(g.p[3] - (t * std::cos(t) - std::sin(t)) / 2) < 1e-9);
  CHECK(std::abs(g.t1 + std::sin(t)) < 1e-7);  // the last step alone moves with t1
  CHECK(std::abs(g.t0 - std::sin(t)) < 1e-7);
}

TEST_CASE("a field of time alone: the ends move with the field's values there") {
  // Tsit5 integrates t^4 exactly, whatever its steps
  const problem q{fourth_power{}, vec{1.0}, 0.5, 2.0, vec{3.0}};
  for (const double h : {0.0, 0.3}) {
    auto s = solve(q, tsit5{}, {.fixed_step = h}, recursive_checkpoint{.slots = 2});
    const auto g = s.pullback(vec{1.0});
    CHECK(relative(s.y[0], 1 + 3 * (std::pow(2, 5) - std::pow(0.5, 5)) / 5) < 1e-14);
    CHECK(g.y0[0] == 1);
    CHECK(relative(g.p[0], (std::pow(2, 5) - std::pow(0.5, 5)) / 5) < 1e-13);
    CHECK(relative(g.t1, 3 * 16) < 1e-12);
    CHECK(relative(g.t0, -3 * std::pow(0.5, 4)) < 1e-11);
  }
}

TEST_CASE("cotangents of the save points add up, and their times have derivatives") {
  const double p = 0.5;
  const problem q{decay{}, vec{1.0}, 0., 2., vec{p}};
  const std::vector<double> ts{0, 0.3, 0.3, 1.1, 2};
  const options o{.rtol = 1e-11, .atol = 1e-11, .save = {.t0 = true, .ts = ts, .t1 = true}};
  auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 2});
  const std::vector<vec<double, 1>> w{{10}, {1}, {2}, {-3}, {4}, {5}, {-6}};
  const auto g = s.pullback({.y = vec{7.0}, .ys = w});

  double y0 = 10 + (7 - 6) * std::exp(-p * 2), rate = -2 * (7 - 6) * std::exp(-p * 2);
  for (std::size_t k = 0; k < ts.size(); ++k) {
    const double weight = w[k + 1][0], y = std::exp(-p * ts[k]);
    y0 += weight * y;
    rate += -ts[k] * weight * y;
    CAPTURE(k);
    CHECK(std::abs(g.ts[k] - weight * -p * y) < 1e-6);
  }
  CHECK(std::abs(g.y0[0] - y0) < 1e-9);
  CHECK(std::abs(g.p[0] - rate) < 1e-9);
  // fixed times see t1 move only through y(t1), and t0 through everything but y(t0)
  CHECK(std::abs(g.t1 - (7 - 6) * -p * std::exp(-p * 2)) < 1e-6);
  CHECK(std::abs(g.t0 - p * (y0 - 10)) < 1e-6);
}

TEST_CASE("t0 == t1: no step, and the field along the cotangent") {
  const problem q{decay{}, vec{2.0}, 1., 1., vec{0.5}};
  auto s = solve(q, tsit5{}, {.save = {.t0 = true, .ts = {1, 1}, .t1 = true}},
                 recursive_checkpoint{.slots = 1});
  const auto g = s.pullback(vec{3.0});
  CHECK(g.y0[0] == 3);
  CHECK(g.p[0] == 0);
  CHECK(g.t1 == 3 * -1.0);
  CHECK(g.t0 == -3 * -1.0);
  CHECK(g.reverse.replayed_steps == 0);
  CHECK(g.reverse.pulled_steps == 0);

  const auto all = s.pullback({.y = vec{3.0}, .ys = {{10}, {20}, {30}, {40}}});
  CHECK(all.y0[0] == 3 + 10 + 20 + 30 + 40);
  CHECK(all.t1 == (3 + 40) * -1.0);
  CHECK(all.ts == std::vector{-20.0, -30.0});
  CHECK(all.t0 == 3 + 40 + 20 + 30);
}

TEST_CASE("backwards in time the gradient is that of the mirrored problem, bit for bit") {
  for (const double h : {0.0, 0.25}) {
    const problem back{swing{1}, vec{1.0}, 0.5, -3.0, vec{0.8}};
    const problem ahead{swing{-1}, vec{1.0}, -0.5, 3.0, vec{0.8}};
    const std::vector<vec<double, 1>> w{{1}, {-2}};
    auto a = solve(back, tsit5{}, {.fixed_step = h, .save = {.ts = {0.1, -2.2}}},
                   recursive_checkpoint{.slots = 3});
    auto b = solve(ahead, tsit5{}, {.fixed_step = h, .save = {.ts = {-0.1, 2.2}}},
                   recursive_checkpoint{.slots = 3});
    const auto ga = a.pullback({.y = vec{1.0}, .ys = w});
    const auto gb = b.pullback({.y = vec{1.0}, .ys = w});
    CHECK(ga.y0 == gb.y0);
    CHECK(ga.p == gb.p);
    CHECK(ga.t0 == -gb.t0);
    CHECK(ga.t1 == -gb.t1);
    CHECK(ga.ts == std::vector{-gb.ts[0], -gb.ts[1]});
  }
}

TEST_CASE("a float gradient stays float") {
  const problem q{decay{}, vec{1.0f}, 0., 1., vec{0.5f}};
  auto s = solve(q, tsit5{}, {.rtol = 1e-5, .atol = 1e-5}, recursive_checkpoint{});
  const auto g = s.pullback(vec{1.0f});
  static_assert(std::is_same_v<decltype(g.p), vec<float, 1>>);
  CHECK(std::abs(g.p[0] + std::exp(-0.5f)) < 2e-6f);
}

TEST_CASE("no cotangent, no gradient; the next pullback is not disturbed by it") {
  const problem q{decay{}, vec{1.0}, 0., 1., vec{0.5}};
  auto s = solve(q, tsit5{}, {.save = {.ts = {0.5}}}, recursive_checkpoint{.slots = 2});
  const auto none = s.pullback(cotangents<vec<double, 1>>{});
  CHECK(none.y0[0] == 0);
  CHECK(none.p[0] == 0);
  CHECK(none.t1 == 0);
  auto fresh = solve(q, tsit5{}, {.save = {.ts = {0.5}}}, recursive_checkpoint{.slots = 2});
  CHECK(s.pullback(vec{1.0}).p == fresh.pullback(vec{1.0}).p);
}

}  // namespace revode
