// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/decay.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using state = vec<double, 3>;
using lorenz_problem = problem<lorenz, state, state>;
const lorenz_problem chaotic{lorenz{}, {1, 0, 0}, 0.1, 2.1, lorenz{}.parameters()};
const save_at points{.t0 = true, .ts = {0.1, 0.35, 1.7, 2.1}, .t1 = true};
const tangents<state, state> direction{
    .y0 = {0.3, -1, 2}, .p = {1, 0.5, -0.7}, .t0 = 0.4, .t1 = -1.3, .ts = {1, -2, 0.5, 3}};
const cotangents<state> weight{
    .y = state{1, 2, -1},
    .ys = {{1, 0, 2}, {0.5, 1, 1}, {-1, 2, 0}, {3, 1, -1}, {1, 1, 1}, {0, -2, 1}}};

double norm(const gradient<state, state>& g) {
  double sum = dot(g.y0, g.y0) + dot(g.p, g.p) + g.t0 * g.t0 + g.t1 * g.t1;
  for (const double t : g.ts) sum += t * t;
  return std::sqrt(sum);
}

/// |<w, Jv> − <Jᵀw, v>| ≤ 2e-13 (|w| |Jv| + |Jᵀw| |v|)
template <class M>
void dot_product_law(const options& o) {
  const auto f = solve(chaotic, M{}, o, direction);
  auto s = solve(chaotic, M{}, o, recursive_checkpoint{.slots = 4});
  const auto g = s.pullback(weight);
  REQUIRE(f.ys_dot.size() == weight.ys.size());
  CHECK(f.y == s.y);
  CHECK(f.ys == s.ys);

  double forward = dot(*weight.y, f.y_dot), ww = dot(*weight.y, *weight.y);
  double jv = dot(f.y_dot, f.y_dot);
  for (std::size_t k = 0; k < weight.ys.size(); ++k) {
    forward += dot(weight.ys[k], f.ys_dot[k]);
    ww += dot(weight.ys[k], weight.ys[k]);
    jv += dot(f.ys_dot[k], f.ys_dot[k]);
  }
  double backward =
      dot(g.y0, direction.y0) + dot(g.p, direction.p) + g.t0 * direction.t0 + g.t1 * direction.t1;
  double vv = dot(direction.y0, direction.y0) + dot(direction.p, direction.p) +
              direction.t0 * direction.t0 + direction.t1 * direction.t1;
  for (std::size_t k = 0; k < g.ts.size(); ++k) {
    backward += g.ts[k] * direction.ts[k];
    vv += direction.ts[k] * direction.ts[k];
  }
  CHECK(std::abs(forward - backward) <= 2e-13 * (std::sqrt(ww * jv) + norm(g) * std::sqrt(vv)));
}

/// The final state of equal steps as a function of everything.
template <class M>
double moved(int which, double by) {
  lorenz_problem q = chaotic;
  if (which < 3)
    q.y0[which] += by;
  else if (which < 6)
    q.p[which - 3] += by;
  else
    (which == 6 ? q.t0 : q.t1) += by;
  return dot(solve(q, M{}, {.fixed_step = 2.0 / 64.5}).y, *weight.y);
}

}  // namespace

TEST_CASE("push is the transpose of pull, save points and times included") {
  SUBCASE("tsit5") { dot_product_law<tsit5>({.rtol = 1e-7, .save = points}); }
  SUBCASE("dop853") { dot_product_law<dop853>({.rtol = 1e-7, .save = points}); }
  SUBCASE("rk4") { dot_product_law<rk4>({.fixed_step = 0.0131, .save = points}); }
  SUBCASE("tsit5, equal steps") { dot_product_law<tsit5>({.fixed_step = 0.0131, .save = points}); }
}

TEST_CASE("one direction at a time gives the gradient to 1e-12") {
  const options o{.rtol = 1e-8};
  auto s = solve(chaotic, tsit5{}, o, recursive_checkpoint{});
  const auto g = s.pullback(*weight.y);
  double y0 = 0, p = 0;
  for (int i = 0; i < 3; ++i) {
    tangents<state, state> along{};
    along.y0[i] = 1;
    y0 = std::fmax(y0, std::abs(dot(solve(chaotic, tsit5{}, o, along).y_dot, *weight.y) - g.y0[i]));
    along = {};
    along.p[i] = 1;
    p = std::fmax(p, std::abs(dot(solve(chaotic, tsit5{}, o, along).y_dot, *weight.y) - g.p[i]));
  }
  CHECK(y0 <= 1e-12 * std::sqrt(dot(g.y0, g.y0)));
  CHECK(p <= 1e-12 * std::sqrt(dot(g.p, g.p)));
}

TEST_CASE("differences on a fixed number of equal steps agree in every input") {
  auto s = solve(chaotic, tsit5{}, {.fixed_step = 2.0 / 64.5}, recursive_checkpoint{.slots = 5});
  const auto g = s.pullback(*weight.y);
  const double exact[] = {g.y0[0], g.y0[1], g.y0[2], g.p[0], g.p[1], g.p[2], g.t0, g.t1};
  double scale = 0;
  for (const double x : exact) scale = std::fmax(scale, std::abs(x));
  for (int i = 0; i < 8; ++i) {
    const double difference = (moved<tsit5>(i, 1e-5) - moved<tsit5>(i, -1e-5)) / 2e-5;
    CAPTURE(i);
    CHECK(std::abs(difference - exact[i]) < 1e-7 * scale);
  }
}

TEST_CASE("the tangent of a decay is the derivative of an exponential") {
  const problem q{decay{}, vec{2.0}, 0., 1., vec{0.5}};
  const options o{.rtol = 1e-11, .atol = 1e-11, .save = {.ts = {0.25}}};
  const auto s = solve(q, tsit5{}, o, {.y0 = vec{1.0}, .p = vec{3.0}, .ts = {4}});
  CHECK(std::abs(s.y_dot[0] - (1 - 2 * 3) * std::exp(-0.5)) < 1e-9);
  CHECK(std::abs(s.ys_dot[0][0] - (1 - 2 * 3 * 0.25 - 2 * 4 * 0.5) * std::exp(-0.125)) < 1e-6);
}

TEST_CASE("t0 == t1: tangents of the ends move the solution along the field") {
  const problem q{decay{}, vec{2.0}, 1., 1., vec{0.5}};
  const auto s = solve(q, tsit5{}, {.save = {.t0 = true, .ts = {1}, .t1 = true}},
                       {.y0 = vec{1.0}, .p = vec{9.0}, .t0 = 10, .t1 = 3, .ts = {4}});
  CHECK(s.y_dot[0] == 1 - (3 - 10));
  CHECK(s.ys_dot[0][0] == 1);
  CHECK(s.ys_dot[1][0] == 1 - (4 - 10));
  CHECK(s.ys_dot[2][0] == s.y_dot[0]);
}

TEST_CASE("a solve that ends early keeps the tangents reached") {
  const auto breaks = [](const auto& t, const auto& y, const auto&, auto& dy) {
    dy[0] = y[0];
    if (!(t < 1)) dy[0] = dy[0] * std::nan("");
  };
  const options o{.rtol = 1e-9, .save = {.t0 = true, .ts = {0, 0.5, 1.5}, .t1 = true}};
  const auto late = solve(problem{breaks, vec{1.0}, 0., 2.}, tsit5{}, o,
                          {.y0 = vec{2.0}, .p = {}, .t0 = 0, .t1 = 1});
  CHECK(late.status == status::non_finite_field);
  CHECK(late.y_dot[0] == doctest::Approx(2 * std::exp(1)).epsilon(1e-7));
  CHECK(late.ys_dot.size() == late.ys.size());
  CHECK(late.ys_dot[2][0] == doctest::Approx(2 * std::exp(0.5)).epsilon(1e-7));

  const auto never = solve(problem{breaks, vec{1.0}, 1., 2.}, tsit5{},
                           {.save = {.t0 = true, .ts = {1, 1.5}, .t1 = true}},
                           {.y0 = vec{2.0}, .p = {}, .t0 = 1, .t1 = 1});
  CHECK(never.y_dot[0] == 2);
  CHECK(never.ys_dot == std::vector(2, vec{2.0}));
}

}  // namespace revode
