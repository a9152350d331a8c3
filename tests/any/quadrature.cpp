// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include <any/chain.hpp>
#include <any/problems.hpp>
#include <any/same_bits.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// (y0 − 1)² + p3 y1 t, and its derivative.
struct effort {
  auto operator()(const auto& t, const auto& y, const auto& p) const {
    return (y[0] - 1) * (y[0] - 1) + p[3] * y[1] * t;
  }
  void vjp(const auto& t, const auto& y, const auto& p, const auto& w, auto& gt, auto&& gy,
           auto&& gp) const {
    gt += w * p[3] * y[1];
    gy[0] += w * 2 * (y[0] - 1);
    gy[1] += w * p[3] * t;
    gp[3] += w * y[1] * t;
  }
};
any_callbacks effort_by_callbacks() {
  return {.f = [](double t, auto y, auto p, auto dq) { dq[0] = effort{}(t, y, p); },
          .vjp = [](double t, auto y, auto p, auto w, double& gt, auto gy,
                    auto gp) { effort{}.vjp(t, y, p, w[0], gt, gy, gp); }};
}

TEST_CASE("a running cost by callbacks has the templates' bits, in the norm and outside") {
  const erased_problem named = make_problem("lotka_volterra");
  const problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> q{
      named.f, named.y0, named.t0, named.t1, named.p};
  const any_problem same = named_problem("lotka_volterra");
  const auto square = [](const auto& y) { return y[0] * y[0]; };
  const any_loss by_name = [](const any_solution& s, any_cotangents& bar) {
    CHECK(s.y.size() == 2);
    bar.y = any_state{2 * s.y[0], 0};
    return s.y[0] * s.y[0];
  };
  for (const bool outside : {false, true}) {
    CAPTURE(outside);
    const auto expected = value_and_gradient(
        q, tsit5{}, options{}, loss_with_running_cost{square, effort{}, outside}, {.slots = 6});
    const auto r = value_and_gradient(
        same, "tsit5", options{},
        any_loss_with_running_cost{by_name, effort_by_callbacks(), outside}, {.slots = 6});
    REQUIRE(r.value);
    CHECK(*r.value == *expected.value);
    CHECK(same_bits(r.solution.y, expected.solution.y));
    CHECK(r.solution.stats.accepted == expected.solution.stats.accepted);
    CHECK(same_bits(r.gradient->y0, expected.gradient->y0));
    CHECK(same_bits(r.gradient->p, expected.gradient->p));
    CHECK(r.gradient->t0 == expected.gradient->t0);
    CHECK(r.gradient->t1 == expected.gradient->t1);
  }
}

/// c y' = −p y, with c of a mass matrix; and y itself as an integrand.
any_callbacks decay(double c) {
  any_callbacks f{.f = [](double, auto y, auto p, auto dy) { dy[0] = -p[0] * y[0]; },
                  .vjp =
                      [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
                        gy[0] -= p[0] * w[0];
                        gp[0] -= y[0] * w[0];
                      },
                  .by_finite_differences = true};
  if (c != 1) f.mass = {c};
  return f;
}
any_callbacks the_state() {
  return {.f = [](double, auto y, auto, auto dq) { dq[0] = y[0]; },
          .vjp = [](double, auto, auto, auto w, double&, auto gy, auto) { gy[0] += w[0]; },
          .by_finite_differences = true};
}
const options accurate{.rtol = 1e-9, .atol = 1e-12};

TEST_CASE("integrals go with implicit methods, mass matrices and both kinds of derivative") {
  for (const double c : {1.0, 2.0}) {
    CAPTURE(c);
    const any_problem q{.f = decay(c), .y0 = {1}, .p = {0.5}};
    any_callbacks pushed = the_state();
    pushed.vjp = nullptr;
    pushed.jvp = [](double, auto, auto, double, auto dy, auto, auto out) { out[0] = dy[0]; };
    const auto by = [&](const any_callbacks& g, const char* method) {
      return solve(with_quadrature(q, g, {3.0}), method, accurate, recursive_checkpoint{});
    };
    for (const char* method : {"tsit5", "rodas5p", "kvaerno5", "radau_iia5"}) {
      if (c != 1 && !(method[0] == 'r')) continue;
      CAPTURE(method);
      const auto s = by(the_state(), method);
      REQUIRE(s.status == status::success);
      const double end = std::exp(-0.5 / c);  // q = 3 + c (1 − y(1))/p
      CHECK(s.y[1] == doctest::Approx(3 + c * (1 - s.y[0]) / 0.5).epsilon(1e-13));
      const auto g = s.pullback({.y = any_state{0, 1}});
      CHECK(g.y0[0] == doctest::Approx(c * (1 - end) / 0.5).epsilon(1e-7));
      CHECK(g.y0[1] == doctest::Approx(1).epsilon(1e-13));
      CHECK(g.p[0] == doctest::Approx(end / 0.5 - c * (1 - end) / 0.25).epsilon(1e-7));
      const auto by_jvp = by(pushed, method).pullback({.y = any_state{0, 1}});
      CHECK(by_jvp.p[0] == doctest::Approx(g.p[0]).epsilon(1e-12));
    }
  }
}

/// y is set to 1 where it falls to a half.
any_event refill(bool terminal) {
  return any_event_callbacks{
      .name = "refill",
      .condition = [](double, auto y, auto) { return y[0] - 0.5; },
      .jump =
          [](double, auto y, auto, auto y_new) {
            CHECK(y.size() == 1);
            y_new[0] = 1;
          },
      .direction = crossing::falling,
      .terminal = terminal,
      .condition_gradient = [](double, auto, auto, double&, auto gy, auto) { gy[0] += 1; },
      .jump_vjp = [](double, auto, auto, auto, double&, auto, auto) {}};
}

TEST_CASE("events see y alone, and the integral goes on through them") {
  any_problem q{.f = decay(1), .y0 = {1}, .t1 = 4, .p = {0.5}, .events = {refill(false)}};
  const auto s =
      solve(with_quadrature(q, the_state()), "tsit5", accurate, recursive_checkpoint{.slots = 4});
  REQUIRE(s.events.size() == 2);
  // p ∫ y = 1 − y(t1) + what was filled in; y(t1) = e^(−p t1) · 4 with two refills
  CHECK(s.y[1] == doctest::Approx((1 - s.y[0] + 2 * 0.5) / 0.5).epsilon(1e-9));
  const auto g = s.pullback({.y = any_state{0, 1}});
  const double end = 4 * std::exp(-2.0);
  CHECK(g.p[0] == doctest::Approx(4 * end / 0.5 - (2 - end) / 0.25).epsilon(1e-7));

  q.events = {refill(true)};
  int steps = 0;
  q.after_step = [&](double, std::span<const double> y) { return steps += y.size() == 1, false; };
  const auto stopped = solve(with_quadrature(q, the_state()), "tsit5", accurate);
  CHECK(stopped.status == status::terminal_event);
  CHECK(stopped.y[1] == doctest::Approx(0.5 / 0.5).epsilon(1e-8));
  CHECK(steps == stopped.stats.accepted);
}

int g_of_c(double t, const double* y, const double* p, double* dq, void*) {
  dq[0] = effort{}(t, y, p);
  dq[1] = y[1];
  return 0;
}
int vjp_of_g(double t, const double* y, const double* p, const double* w, double* gt, double* gy,
             double* gp, void*) {
  effort{}.vjp(t, y, p, w[0], *gt, gy, gp);
  gy[1] += w[1];
  return 0;
}

TEST_CASE("C gets the bits of C++, of two integrals beside a named problem") {
  any_callbacks both = effort_by_callbacks();
  both.f = [](double t, auto y, auto p, auto dq) {
    g_of_c(t, y.data(), p.data(), dq.data(), nullptr);
  };
  both.vjp = [](double t, auto y, auto p, auto w, double& gt, auto gy, auto gp) {
    vjp_of_g(t, y.data(), p.data(), w.data(), &gt, gy.data(), gp.data(), nullptr);
  };
  const auto expected = solve(with_quadrature(named_problem("lotka_volterra"), both, {0.0, 2.0}),
                              "tsit5", options{}, recursive_checkpoint{});
  const auto bar = expected.pullback({.y = any_state{1, 0, 1, -1}});
  revode_problem* q = nullptr;
  revode_solution* s = nullptr;
  const double q0[] = {0, 2}, w[] = {1, 0, 1, -1};
  REQUIRE(revode_problem_named("lotka_volterra", &q) == REVODE_OK);
  REQUIRE(revode_problem_set_quadrature(q, 2, q0, g_of_c, vjp_of_g, nullptr) == REVODE_OK);
  REQUIRE(revode_solve_differentiable(q, "tsit5", nullptr, nullptr, &s) == REVODE_OK);
  double y[4], of_y0[4], of_p[4];
  REQUIRE(revode_solution_y(s, y) == REVODE_OK);
  CHECK(std::memcmp(y, expected.y.data(), sizeof y) == 0);
  revode_gradient g = REVODE_GRADIENT;
  g.y0 = of_y0;
  g.p = of_p;
  REQUIRE(revode_solution_pullback(s, w, nullptr, nullptr, &g) == REVODE_OK);
  CHECK(std::memcmp(of_y0, bar.y0.data(), sizeof of_y0) == 0);
  CHECK(std::memcmp(of_p, bar.p.data(), sizeof of_p) == 0);
  revode_solution_free(s);

  REQUIRE(revode_problem_set_quadrature(q, 0, nullptr, nullptr, nullptr, nullptr) == REVODE_OK);
  REQUIRE(revode_solve(q, "tsit5", nullptr, &s) == REVODE_OK);
  double plain[2];
  REQUIRE(revode_solution_y(s, plain) == REVODE_OK);
  CHECK(std::isfinite(plain[0] + plain[1]));
  CHECK(revode_problem_set_quadrature(q, -1, nullptr, g_of_c, nullptr, nullptr) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "a quadrature of -1 integrals (there are none or some) pass 0?");
  revode_solution_free(s);
  revode_problem_free(q);
}

TEST_CASE("integrands that cannot be taken are refused before any work") {
  const auto says = [](auto&& call, const char* text) {
    CHECK_THROWS_WITH_AS(call(), text, std::invalid_argument);
  };
  const any_problem q{.f = decay(1), .y0 = {1}, .p = {0.5}};
  any_callbacks g;
  says([&] { with_quadrature(q, g); },
       "a quadrature without an integrand (any_callbacks::f is empty) give it one?");
  g.f = the_state().f;
  says([&] { solve(with_quadrature(q, g), "tsit5", {}, recursive_checkpoint{}); },
       "a gradient of callbacks without vjp and jvp (their derivatives are not known) give one of "
       "them, or by_finite_differences?");
  CHECK(solve(with_quadrature(q, g), "tsit5", {}).y.size() == 2);
  for (const any_state& y0 : {any_state{1}, any_state{1, 0, 0}}) {
    const std::string text = "a state of " + std::to_string(y0.size()) +
                             " numbers (the problem has 1 and then 1 integrals) give both in y0?";
    says(
        [&] { solve_each(with_quadrature(q, g), "tsit5", {}, std::vector<any_point>{{.y0 = y0}}); },
        text.c_str());
  }
  g.by_finite_differences = true;
  says([&] { with_quadrature(q, g); },
       "an integrand by differences alone (they are those of its vjp) give it a vjp or jvp "
       "besides?");
  g = the_state();
  g.mass = {1};
  says([&] { with_quadrature(q, g); },
       "an integrand with a mass matrix (its integrals are those of q' = g) leave it out?");
  says([&] { with_quadrature(any_problem{}, the_state()); },
       "a problem without a field (any_problem::f is empty) give it one, or named_problem?");
}

TEST_CASE("a quadrature over a field in parts, by IMEX methods") {
  const any_callbacks square{.f = [](double, auto y, auto, auto dq) { dq[0] = y[0] * y[0]; },
                             .vjp = [](double, auto y, auto, auto w, double&, auto gy,
                                       auto) { gy[0] += 2 * y[0] * w[0]; }};
  const any_problem q = with_quadrature(named_problem("burgers_1d:17"), square);
  const auto pulled = [&](const char* method) {
    const auto s =
        solve(q, method, options{.rtol = 1e-8, .atol = 1e-8}, recursive_checkpoint{.slots = 5});
    any_cotangents w{.y = any_state(s.y.size(), 0.0)};
    w.y->back() = 1;
    return std::pair{s.y.back(), s.pullback(w)};
  };
  const auto [value, g] = pulled("kencarp5_imex");
  const auto [expected, expected_g] = pulled("vern9");
  CHECK(std::abs(value - expected) < 1e-9);
  CHECK(std::abs(g.p[0] - expected_g.p[0]) < 1e-8);
  CHECK(std::abs(g.y0[0] - expected_g.y0[0]) < 1e-8);
  const any_problem whole = with_quadrature(named_problem("lorenz"), square);
  CHECK_THROWS_WITH_AS(solve(whole, "kencarp5_imex", {}),
                       "a field without parts for a method of both (it has no implicit_part and "
                       "explicit_part, or a mass matrix) take a "
                       "method of the whole, esdirk547?",
                       std::invalid_argument);
}

TEST_CASE("a running cost by name goes with the pattern of the state, or one of both") {
  const auto names = any_algebra_names();
  if (std::find(names.begin(), names.end(), "klu") == names.end()) return;
  const auto pattern_of = [](int more) {  // `more` full rows behind the chain's
    chain_pattern of(12);
    std::vector<int> starts{0}, rows;
    for (std::size_t j = 0; j < static_cast<std::size_t>(12 + more); ++j) {
      if (j < 12)
        rows.insert(rows.end(), &of.rows[0] + of.starts[j], &of.rows[0] + of.starts[j + 1]);
      for (int i = 12; i < 12 + more; ++i) rows.push_back(i);
      starts.push_back(static_cast<int>(rows.size()));
    }
    return any_pattern(starts, rows);
  };
  const any_problem q = of_chain(chain_with_vjp());
  const any_callbacks product{
      .f = [](double, auto y, auto p, auto dq) { dq[0] = p[1] * y[0] * y[7]; },
      .vjp =
          [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
            gy[0] += w[0] * p[1] * y[7];
            gy[7] += w[0] * p[1] * y[0];
            if (!gp.empty()) gp[1] += w[0] * y[0] * y[7];
          }};
  const auto by = [&](const any_method& m) {
    return value_and_gradient(q, m, options{.rtol = 1e-8, .atol = 1e-10},
                              any_loss_with_running_cost{{}, product}, {.slots = 4});
  };
  const auto dense = by("radau_iia5");
  for (const int more : {0, 1}) {
    const auto sparse = by(any_method("radau_iia5", {.name = "klu", .pattern = pattern_of(more)}));
    REQUIRE(sparse.value);
    CHECK(*sparse.value == doctest::Approx(*dense.value).epsilon(1e-6));
    for (std::size_t i = 0; i < 12; ++i)
      CHECK(sparse.gradient->y0[i] == doctest::Approx(dense.gradient->y0[i]).epsilon(1e-5));
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(sparse.gradient->p[i] == doctest::Approx(dense.gradient->p[i]).epsilon(1e-5));
  }
}

}  // namespace
}  // namespace revode
