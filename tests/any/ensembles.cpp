// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <any/problems.hpp>
#include <revode/io/restart.hpp>

namespace revode {
namespace {

double squares(const any_solution& s, any_cotangents& bar) {
  bar.y = any_state{2 * s.y[0], 2 * s.y[1]};
  return s.y[0] * s.y[0] + s.y[1] * s.y[1];
}

std::vector<any_point> many() {
  std::vector<any_point> points;
  for (int k = 0; k < 37; ++k) {
    points.push_back({.y0 = {1.0 + 0.05 * k, 1.5}});
    points.push_back({.p = {1.5 + 0.01 * k, 1.0, 3.0, 1.0}});
  }
  points.push_back({});
  return points;
}

TEST_CASE("an ensemble has the bits of its solves, on however many threads") {
  const any_problem q = of(predators_with_vjp());
  const std::vector<any_point> points = many();
  const options o{.rtol = 1e-8};
  for (const int threads : {0, 1, 3, 200}) {
    CAPTURE(threads);
    const auto solved = solve_each(q, "tsit5", o, points, threads);
    const auto pulled =
        value_and_gradient_each(q, "tsit5", o, points, squares, {.slots = 4}, threads);
    REQUIRE(solved.size() == points.size());
    REQUIRE(pulled.size() == points.size());
    for (std::size_t i = 0; i < points.size(); i += 7) {
      any_problem one = q;
      if (!points[i].y0.empty()) one.y0 = points[i].y0;
      if (!points[i].p.empty()) one.p = points[i].p;
      const auto r = value_and_gradient(one, "tsit5", o, squares, {.slots = 4});
      CHECK(solved[i].y == r.solution.y);
      CHECK(pulled[i].value == r.value);
      REQUIRE(pulled[i].gradient);
      CHECK(pulled[i].gradient->p == r.gradient->p);
      CHECK(pulled[i].gradient->y0 == r.gradient->y0);
    }
  }
  CHECK(solve_each(q, "tsit5", o, {}).empty());
}

TEST_CASE("what one point throws passes on, and no other is begun") {
  any_problem q = of(predators_alone());
  const auto inner = predators_alone().f;
  q.f = any_callbacks{.f = [inner](double t, auto y, auto p, auto dy) {
    if (p[0] > 1.7) throw std::runtime_error("too many");
    inner(t, y, p, dy);
  }};
  CHECK_THROWS_WITH_AS(solve_each(q, "tsit5", {}, many()), "too many", std::runtime_error);
  std::vector<any_point> points(1000);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].p = {i == 7 ? 2.0 : 1.0, 1, 1, 1};
  std::atomic<int> calls{0};  // by two threads at once
  q.f = any_callbacks{.f = [&](double, auto y, auto p, auto dy) {
    ++calls;
    if (p[0] > 1.7) throw std::runtime_error("too many");
    std::copy(y.begin(), y.end(), dy.begin());
  }};
  CHECK_THROWS_WITH_AS(solve_each(q, "tsit5", {}, points, 2), "too many", std::runtime_error);
  calls = 0;
  solve_each(q, "tsit5", {}, std::span(points).first(1));
  const int of_one = calls.exchange(0);
  CHECK_THROWS_WITH_AS(solve_each(q, "tsit5", {}, points, 1), "too many", std::runtime_error);
  CHECK(calls == 7 * of_one + 1);
  for (const std::size_t i : {400u, 20u}) points[i].y0 = {std::nan(""), 1};
  points[7].p = {};
  for (const int threads : {1, 3})
    CHECK_THROWS_WITH_AS(
        solve_each(q, "tsit5", {}, points, threads),
        "point 20: y0[0] = nan (a solve starts from numbers) give that element a value?",
        std::invalid_argument);
  CHECK_THROWS_WITH_AS(solve_each(q, "tsit5", {}, many(), -1),
                       "threads = -1 (a number of threads is not negative) give one >= 0?",
                       std::invalid_argument);
}

TEST_CASE("a file keeps the solves of one thread, and no threads'") {
  const any_problem q = of(predators_alone());
  options o;
  const std::string file = "points_" + std::to_string(std::random_device{}()) + ".kept";
  for (int again = 0; again < 2; ++again) {
    o.restart = kept_in({.file = file});
    CHECK(solve_each(q, "tsit5", o, many(), 1)[3].y == solve_each(q, "tsit5", {}, many())[3].y);
  }
  CHECK_THROWS_WITH_AS(solve_each(q, "tsit5", o, many()),
                       "options::restart in solves on threads (a file keeps solves one after "
                       "another, in their order) give threads = 1, or leave it out?",
                       std::invalid_argument);
  for (const char* end : {"", ".old"}) std::remove((file + end).c_str());
}

TEST_CASE("forward and reverse agree, and several losses are as many pullbacks") {
  const any_problem q = of(predators_with_vjp());
  const any_tangents along{.y0 = {0.3, -0.2}, .p = {0.1, 0.2, -0.3, 0.4}, .t0 = 0.5, .t1 = -0.7};
  for (const char* name : {"tsit5", "kvaerno5", "radau_iia5", "rkc", "reversible_heun"}) {
    CAPTURE(name);
    const any_pushed_solution s = solve(q, name, options{.rtol = 1e-4}, along);
    REQUIRE(s.tangent_status == status::success);
    const auto d = solve(q, name, options{.rtol = 1e-4}, recursive_checkpoint{});
    const std::vector<any_cotangents> losses{{.y = any_state{1.0, 0.0}},
                                             {.y = any_state{0.0, 1.0}}};
    const auto bars = d.gradients(losses);
    REQUIRE(bars.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      const any_gradient& g = bars[i];
      CHECK(g.p == d.pullback(losses[i]).p);
      double pulled = g.t0 * along.t0 + g.t1 * along.t1;
      for (std::size_t j = 0; j < 2; ++j) pulled += g.y0[j] * along.y0[j];
      for (std::size_t j = 0; j < 4; ++j) pulled += g.p[j] * along.p[j];
      CHECK(pulled == doctest::Approx(s.y_dot[i]).epsilon(1e-10));
    }
  }
  any_problem never = q;
  const auto r = value_and_gradient(never, "tsit5", options{.max_steps = 3}, squares);
  CHECK(r.solution.status == status::max_steps);
  CHECK_FALSE(r.value);
  CHECK_FALSE(r.gradient);
}

}  // namespace
}  // namespace revode
