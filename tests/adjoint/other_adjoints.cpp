// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/adjoint/reversible.hpp>
#include <revode/adjoint/steady_state.hpp>
#include <revode/adjoint/value_and_checked_gradient.hpp>
#include <revode/problems/decay.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

struct pendulum_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = y[1];
    dy[1] = -(p[0] * sin(y[0])) - p[1] * y[1] + cos(t);
  }
};
const problem<pendulum_field, vec<double, 2>, vec<double, 2>> pendulum_problem{
    pendulum_field{}, {0.4, 1}, 0.3, 4.3, {1.5, 0.1}};

using scalar_problem = problem<decay, vec<double, 1>, vec<double, 1>>;

/// y₀' = p₀ − y₀², y₁' = y₀ − p₁ y₁: at rest in (√p₀, √p₀ / p₁), and in −√p₀.
struct to_root {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] - y[0] * y[0];
    dy[1] = y[0] - p[1] * y[1];
  }
};
/// Two species and their sum, which is conserved.
struct exchange {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[1] * y[1] - p[0] * y[0];
    dy[1] = p[0] * y[0] - p[1] * y[1];
  }
};
/// y' = −p (y − 1), at rest in its initial value.
struct relaxation {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (1 - y[0]);
  }
};

double relative(double a, double b) { return std::abs(a - b) / std::abs(b); }

template <class Run>
std::string refusal(Run&& run) {
  try {
    run();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no refusal";
}

}  // namespace

TEST_CASE("reversible: the gradient of recursive_checkpoint to rounding, without its states") {
  const auto& q = pendulum_problem;
  for (const double h : {0.01, 0.0}) {
    const options o{.rtol = 1e-4,
                    .atol = 1e-6,
                    .fixed_step = h,
                    .save = {.t0 = true, .ts = {0.3, 1.234, 2.5}, .t1 = true}};
    const cotangents<vec<double, 2>> w{.y = vec{1., -2.},
                                       .ys = {{1, 2}, {3, 1}, {0.5, 1}, {-1, 2}, {1, 1}}};
    auto s = solve(q, reversible_heun{}, o, reversible{.segment = 50});
    const auto g = s.pullback(w);
    const auto exact = solve(q, reversible_heun{}, o, recursive_checkpoint{}).pullback(w);
    const index n = s.stats.accepted;
    REQUIRE(g.status == status::success);
    CHECK(n > 300);
    for (int i = 0; i < 2; ++i) {
      CHECK(relative(g.y0[i], exact.y0[i]) < 1e-11);
      CHECK(relative(g.p[i], exact.p[i]) < 1e-11);
    }
    CHECK(relative(g.t0, exact.t0) < 1e-11);
    CHECK(relative(g.t1, exact.t1) < 1e-11);
    for (std::size_t k = 0; k < 3; ++k) CHECK(relative(g.ts[k], exact.ts[k]) < 1e-11);
    CHECK(g.reconstruction_error > 0);  // to rounding
    CHECK(g.reconstruction_error < 1e-6);
    CHECK(g.reverse.pulled_steps == n);
    CHECK(g.reverse.field_evaluations < n + 20);  // one a step, and those of dense output
    CHECK(g.reverse.peak_states == 0);
    CHECK(g.reverse.log_bytes <= 8 * (2 * (n + (h > 0 ? -n : 0)) + 2 * (n / 50 + 1)));
    CHECK(s.pullback(w).p == g.p);
  }
}

TEST_CASE("reversible says when the way back was lost: a decay whose inverse grows") {
  // Run backwards, ŷ − y of a decay grows by e^(p t): from 1e-16 to more than a tolerance.
  const scalar_problem q{decay{}, {1}, 0, 60, {1}};
  const options o{.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.1};
  const auto g = solve(q, reversible_heun{}, o, reversible{}).pullback(vec{1.0});
  CHECK(g.status != status::success);
  CHECK(g.reconstruction_error > 1);
  CHECK(std::isnan(g.p[0]));
  CHECK(std::isnan(g.y0[0]));
  CHECK(g.reverse.pulled_steps < 600);  // given up at the end of a segment
}

TEST_CASE("the hash of a state sees a change of every element in proportion") {
  const tolerance tol{1e-6, 1e-9};
  const vec<double, 3> x{1, -2, 3};
  const double whole = state_hash::of(x, tol).sum;
  for (int i = 0; i < 3; ++i) {
    double before = 0;
    for (const double by : {1e-6, 1e-3}) {
      vec<double, 3> moved = x;
      moved[i] += by;
      const double change = std::abs(state_hash::of(moved, tol).sum - whole);
      CHECK(change > by / 100);
      CHECK(change <= by * (1 + 1e-9));
      if (before > 0) CHECK(relative(change, 1000 * before) < 1e-6);
      before = change;
    }
  }
}

TEST_CASE("steady_state: the root's derivatives, by marching and by Newton alone") {
  const problem<to_root, vec<double, 2>, vec<double, 2>> q{to_root{}, {1, 0}, 0, 1e3, {4, 0.5}};
  const problem<to_root, vec<double, 2>, vec<double, 2>> other{
      to_root{}, {-1.5, 0}, 0, 1, {4, 0.5}};
  for (const bool march : {true, false}) {
    auto s = solve(q, tsit5{}, {}, steady_state{.march = march});
    REQUIRE(s.status == status::success);
    CHECK(relative(s.y[0], 2) < 1e-14);
    CHECK(relative(s.y[1], 4) < 1e-14);
    CHECK(s.residual < 1e-14);
    CHECK((s.t > 5) == march);
    CHECK(s.t < 100);  // far from t1
    CHECK(s.condition > 8);
    CHECK(s.condition < 20);
    const auto g = s.pullback(vec{3.0, 5.0});
    // y₀ = √p₀, y₁ = √p₀ / p₁
    CHECK(relative(g.p[0], 3 * 0.25 + 5 * 0.25 / 0.5) < 1e-14);
    CHECK(relative(g.p[1], 5 * -2 / 0.25) < 1e-14);
    CHECK(g.y0 == vec{0.0, 0.0});
    CHECK(g.t1 == 0);
    CHECK(g.linear_residual < 1e-15);
    CHECK(g.reverse.vjp_evaluations == 1);
  }
  auto unstable = solve(other, tsit5{}, {}, steady_state{.march = false});
  REQUIRE(unstable.status == status::success);
  CHECK(relative(unstable.y[0], -2) < 1e-14);
  CHECK(relative(unstable.pullback(vec{1.0, 0.0}).p[0], -0.25) < 1e-14);
}

TEST_CASE("a loss of the steady state, and of a solve that fails") {
  const problem<to_root, vec<double, 2>, vec<double, 2>> q{to_root{}, {1, 0}, 0, 1e3, {4, 0.5}};
  const auto loss = [](const auto& y) { return y[0] * y[1]; };
  const auto r = value_and_gradient(q, tsit5{}, {}, loss, steady_state{});
  CHECK(relative(*r.value, 8) < 1e-14);
  CHECK(relative(r.gradient->p[0], 1 / 0.5) < 1e-14);  // of p₀ / p₁
  CHECK(relative(r.gradient->p[1], -4 / 0.25) < 1e-14);
  CHECK_FALSE(value_and_gradient(q, tsit5{}, {.max_steps = 1}, loss, steady_state{}).gradient);
}

TEST_CASE("steady_state: what has no isolated root ends with a status") {
  const problem<exchange, vec<double, 2>, vec<double, 2>> conserved{
      exchange{}, {1, 0}, 0, 1e3, {0.3, 0.7}};
  auto singular = solve(conserved, tsit5{}, {}, steady_state{});
  CHECK(singular.status == status::linear_solve_failure);
  CHECK(refusal([&] {
          singular.pullback(vec{1.0, 0.0});
        }) ==
        "no gradient of a solve that ended with status linear_solve_failure (a linear system was "
        "singular) look at solution::status first?");

  const problem<to_root, vec<double, 2>, vec<double, 2>> none{to_root{}, {1, 0}, 0, 1, {-4, 1}};
  const auto lost = solve(none, tsit5{}, {}, steady_state{.march = false});
  CHECK(lost.status != status::success);
  CHECK(solve(none, tsit5{}, {.max_steps = 2}, steady_state{}).status == status::max_steps);
}

TEST_CASE("control_gradient_error: no error in y, and yet a derivative to the tolerance") {
  const problem<relaxation, vec<double, 1>, vec<double, 1>> q{relaxation{}, {1}, 0, 20, {1}};
  const options o{.rtol = 1e-8, .atol = 1e-8, .save = {.t0 = true, .ts = {1, 2}, .t1 = true}};
  const tangents<vec<double, 1>, vec<double, 1>> along{
      .y0 = vec{1.0}, .p = vec{5.0}, .t0 = 1, .t1 = 1, .ts = {1, 2}};
  const auto free = solve(q, tsit5{}, o, along);
  const auto s = solve(q, tsit5{}, o, control_gradient_error{along});
  CHECK(s.status == status::success);
  CHECK(free.y[0] == 1);
  CHECK(s.y[0] == 1);
  REQUIRE(s.ys_dot.size() == 4);
  for (std::size_t k = 1; k < 3; ++k)
    CHECK(std::abs(s.ys_dot[k][0] - std::exp(-o.save.ts[k - 1])) < 1e-7);
  CHECK(std::abs(s.y_dot[0] - std::exp(-20)) < 1e-7);
  CHECK(std::abs(free.y_dot[0] - std::exp(-20)) > 1e-2);  // exact for its few steps, and useless
  CHECK(s.stats.accepted > 3 * free.stats.accepted);
  options each = o;  // a tangent has the tolerances of its element
  each.norm.atol = {1e-8};
  CHECK(solve(q, tsit5{}, each, control_gradient_error{along}).stats.accepted == s.stats.accepted);
}

TEST_CASE("control_gradient_error: along its steps the derivative of the solution, ends included") {
  const scalar_problem q{decay{}, {2}, 0.5, 2.5, {0.7}};
  const options o{.rtol = 1e-10, .atol = 1e-10, .save = {.ts = {1.1}, .t1 = true}};
  const tangents<vec<double, 1>, vec<double, 1>> along{
      .y0 = vec{0.3}, .p = vec{-2.0}, .t0 = 0.7, .t1 = 1.9, .ts = {-0.4}};
  const auto s = solve(q, tsit5{}, o, control_gradient_error{along});
  const auto slope = [&](double t, double t_dot) {
    const double e = std::exp(-0.7 * (t - 0.5));
    return 0.3 * e + 2 * e * (2 * (t - 0.5) - 0.7 * (t_dot - 0.7));
  };
  CHECK(std::abs(s.y_dot[0] - slope(2.5, 1.9)) < 1e-8);
  CHECK(std::abs(s.ys_dot[0][0] - slope(1.1, -0.4)) < 1e-8);
  CHECK(std::abs(s.ys_dot[1][0] - slope(2.5, 1.9)) < 1e-8);
}

TEST_CASE("misuse of reversible and steady_state, word by word") {
  const scalar_problem q{decay{}, {1}, 0, 1, {1}};
  const tangents<vec<double, 1>, vec<double, 1>> moving{.y0 = {}, .p = {}, .stops = {1}};
  CHECK(refusal([&] { solve(q, tsit5{}, {.stops = {0.5}}, control_gradient_error{moving}); }) ==
        "control_gradient_error with a stop or discontinuity that moves (they stand still for it) "
        "leave tangents::stops at 0, or push the tangents alone?");
  const options o{.fixed_step = 0.1};
  CHECK(refusal([&] { solve(q, reversible_heun{}, o, reversible{.segment = 0}); }) ==
        "reversible with segment = 0 (steps between two hashes) give segment >= 1?");
  CHECK(refusal([&] { solve(q, reversible_heun{}, o, reversible{.limit = -1}); }) ==
        "reversible with limit = -1.000000 tolerances (steps are undone to rounding) give a "
        "positive limit?");
  const problem<to_root, vec<double, 2>, vec<double, 2>> r{to_root{}, {1, 0}, 0, 1, {4, 1}};
  CHECK(refusal([&] { solve(r, tsit5{}, {.save = {.t1 = true}}, steady_state{}); }) ==
        "steady_state with save points (there is one state, the steady one) leave options::save "
        "empty?");
  CHECK(refusal([&] { solve(r, tsit5{}, {.stops = {0.5}}, steady_state{}); }) ==
        "steady_state with stops or discontinuities (it does not restart its steps there) leave "
        "them out, or use recursive_checkpoint?");
  CHECK(refusal([&] { solve(r, tsit5{}, {}, steady_state{.rtol = 0, .atol = 0}); }) ==
        "steady_state with rtol=0.000000, atol=0.000000 (Newton ends with a correction below them) "
        "give at least one > 0?");
  CHECK(refusal([&] { solve(r, tsit5{}, {}, steady_state{.iterations = 0}); }) ==
        "steady_state with iterations = 0 (the residual is known after one) give iterations >= 1?");
}

}  // namespace revode
