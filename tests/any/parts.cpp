// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <any/problems.hpp>
#include <any/same_bits.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/solve/adapters.hpp>

namespace revode {
namespace {

/// A fast relaxation to y0 = y1², and a slow, forced one, with their derivatives: a state of two, three parameters.
struct fast {
  void operator()(const auto&, const auto& y, const auto& p, auto&& dy) const {
    dy[0] = p[0] * (y[1] * y[1] - y[0]);
    dy[1] = 0 * y[1];
  }
  void vjp(const auto&, const auto& y, const auto& p, const auto& w, auto&, auto&& gy,
           auto&& gp) const {
    gy[0] -= p[0] * w[0];
    gy[1] += 2 * p[0] * y[1] * w[0];
    if (gp.size() > 0) gp[0] += (y[1] * y[1] - y[0]) * w[0];
  }
  void jvp(const auto&, const auto& y, const auto& p, const auto&, const auto& v, const auto& u,
           auto&& out) const {
    out[0] = p[0] * (2 * y[1] * v[1] - v[0]);
    if (u.size() > 0) out[0] = out[0] + u[0] * (y[1] * y[1] - y[0]);
    out[1] = 0 * v[1];
  }
};
struct slow {
  void operator()(const auto& t, const auto& y, const auto& p, auto&& dy) const {
    dy[0] = p[2] * t;
    dy[1] = -y[0] - p[1] * y[1];
  }
  void vjp(const auto& t, const auto& y, const auto& p, const auto& w, auto& gt, auto&& gy,
           auto&& gp) const {
    gt += p[2] * w[0];
    gy[0] -= w[1];
    gy[1] -= p[1] * w[1];
    if (gp.size() == 0) return;
    gp[1] -= y[1] * w[1];
    gp[2] += t * w[0];
  }
  void jvp(const auto& t, const auto& y, const auto& p, const auto& s, const auto& v, const auto& u,
           auto&& out) const {
    out[0] = p[2] * s;
    out[1] = -v[0] - p[1] * v[1];
    if (u.size() == 0) return;
    out[0] = out[0] + u[2] * t;
    out[1] = out[1] - u[1] * y[1];
  }
};

template <class F>
any_callbacks alone() {
  return {.f = [](double t, auto y, auto p, auto dy) { F{}(t, y, p, dy); }};
}
template <class F>
any_callbacks with_products() {
  any_callbacks c = alone<F>();
  c.vjp = [](double t, auto y, auto p, auto w, double& gt, auto gy, auto gp) {
    F{}.vjp(t, y, p, w, gt, gy, gp);
  };
  c.jvp = [](double t, auto y, auto p, double s, auto v, auto u, auto out) {
    F{}.jvp(t, y, p, s, v, u, out);
  };
  return c;
}
any_problem posed(any_field f) {
  return {.f = std::move(f), .y0 = {0.2, 1.0}, .t1 = 2, .p = {200.0, 0.5, 0.3}};
}
const options accurate{.rtol = 1e-7, .atol = 1e-9};

TEST_CASE("callbacks in parts: the bits of a typed sum, by methods of both and of the sum") {
  const any_problem typed =
      posed(any_field(std::make_shared<const erased_field>(from_parts(fast{}, slow{}))));
  const any_problem by_callbacks = posed({with_products<fast>(), with_products<slow>()});
  for (const char* method : {"kencarp3_imex", "kencarp4_imex", "kencarp47_imex", "kencarp5_imex",
                             "tsit5", "esdirk547", "radau_iia5", "bdf5"}) {
    CAPTURE(method);
    for (const index slots : {3, 1000}) {
      const auto expected = solve(typed, method, accurate, recursive_checkpoint{.slots = slots});
      const auto d = solve(by_callbacks, method, accurate, recursive_checkpoint{.slots = slots});
      REQUIRE(d.status == status::success);
      CHECK(same_bits(d.y, expected.y));
      CHECK(d.stats.accepted == expected.stats.accepted);
      const any_cotangents w{.y = any_state{1.0, -2.0}};
      const any_gradient g = d.pullback(w), of_typed = expected.pullback(w);
      CHECK(same_bits(g.y0, of_typed.y0));
      CHECK(same_bits(g.p, of_typed.p));
      CHECK(g.t1 == of_typed.t1);
    }
  }
}

TEST_CASE("methods of both parts and of the sum agree") {
  const any_problem q = posed({with_products<fast>(), with_products<slow>()});
  const auto exact = solve(q, "vern9", {.rtol = 1e-12, .atol = 1e-13}, recursive_checkpoint{});
  const any_cotangents w{.y = any_state{1.0, 1.0}};
  const any_gradient expected = exact.pullback(w);
  const auto d = solve(q, "kencarp5_imex", accurate, recursive_checkpoint{.slots = 4});
  const any_gradient g = d.pullback(w);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(d.y[i] == doctest::Approx(exact.y[i]).epsilon(1e-5));
    CHECK(g.y0[i] == doctest::Approx(expected.y0[i]).epsilon(1e-4));
  }
  for (std::size_t i = 0; i < 3; ++i) CHECK(g.p[i] == doctest::Approx(expected.p[i]).epsilon(1e-4));
}

TEST_CASE("a solve by both parts asks for the implicit one's Jacobian alone") {
  any_callbacks stiff = alone<fast>();
  stiff.jacobian = [](double, auto y, auto p, auto jac) {
    jac[0] = -p[0];
    jac[1] = 2 * p[0] * y[1];
  };
  const any_problem q = posed({stiff, alone<slow>()});
  const auto s = solve(q, "kencarp5_imex", accurate);
  CHECK(s.status == status::success);
  const auto products =
      solve(posed({with_products<fast>(), with_products<slow>()}), "kencarp5_imex", accurate);
  CHECK(s.y[0] == doctest::Approx(products.y[0]).epsilon(1e-9));

  const auto says = [](auto&& call, const char* text) {
    CHECK_THROWS_WITH_AS(call(), text, std::invalid_argument);
  };
  says([&] { solve(q, "esdirk547", accurate); },
       "method esdirk547 on callbacks without a Jacobian (its stages are implicit) give jacobian, "
       "jvp or vjp, or by_finite_differences?");
  says([&] { solve(q, "kencarp5_imex", accurate, recursive_checkpoint{}); },
       "a gradient of callbacks without vjp and jvp (their derivatives are not known) give one of "
       "them, or by_finite_differences?");
  says(
      [] {
        solve(posed({alone<fast>(), with_products<slow>()}), "kencarp3_imex", {});
      },
      "method kencarp3_imex on callbacks without a Jacobian (its stages are implicit) give "
      "jacobian, jvp or vjp, or by_finite_differences?");
  stiff.mass = {1, 0, 0, 0};
  says([&] { any_field(stiff, alone<slow>()); },
       "a part with a mass matrix (parts are those of y' = f) leave it out, or give one field?");
  says([&] { any_field(alone<fast>(), any_callbacks{}); },
       "a field without f (any_callbacks::f is empty) give it the right-hand side?");
}

TEST_CASE("parts go through events, integrals, ensembles and differences") {
  any_problem q = posed({with_products<fast>(), with_products<slow>()});
  q.events.emplace_back(any_event_callbacks{
      .name = "kick",
      .condition = [](double, auto y, auto) { return y[1] - 0.6; },
      .jump = [](double, auto y, auto, auto y_new) { y_new[1] = 0.5 * y[1] + 0.25 * y[0]; },
      .condition_gradient = [](double, auto, auto, double&, auto gy, auto) { gy[1] += 1; },
      .jump_vjp =
          [](double, auto, auto, auto w, double&, auto gy, auto) {
            gy[0] += w[0] + 0.25 * w[1];
            gy[1] += 0.5 * w[1];
          }});
  const any_problem longer =
      with_quadrature(q, {.f = [](double, auto y, auto, auto dq) { dq[0] = y[0] * y[1]; },
                          .vjp =
                              [](double, auto y, auto, auto w, double&, auto gy, auto) {
                                gy[0] += w[0] * y[1];
                                gy[1] += w[0] * y[0];
                              }});
  const auto pulled = [&](const char* method, const options& o, index slots) {
    const auto d = solve(longer, method, o, recursive_checkpoint{.slots = slots});
    REQUIRE(d.status == status::success);
    CHECK(d.events.size() == 1);
    return std::pair{any_state(d.y), d.pullback({.y = any_state{0.0, 1.0, 1.0}})};
  };
  const auto [y, g] = pulled("kencarp5_imex", accurate, 3);
  const auto [y_all, g_all] = pulled("kencarp5_imex", accurate, 1000);
  const auto [exact, g_exact] = pulled("vern9", {.rtol = 1e-12, .atol = 1e-13}, 1000);
  CHECK(same_bits(y, y_all));
  CHECK(same_bits(g.p, g_all.p));
  CHECK(y[2] == doctest::Approx(exact[2]).epsilon(1e-6));
  for (std::size_t i = 0; i < 3; ++i) CHECK(g.p[i] == doctest::Approx(g_exact.p[i]).epsilon(1e-4));

  // A call of a field leaves nothing that copies of it share: threads have the bits of single solves.
  any_state dy;
  longer.f(0, {0.2, 1.0, 0.0}, longer.p, dy);
  CHECK(dy[2] == 0.2);
  std::vector<any_point> points;
  for (int i = 0; i < 12; ++i) points.push_back({.y0 = {0.1 * i, 1.0, 0.0}, .p = {}});
  const auto each = solve_each(longer, "kencarp4_imex", accurate, points, 4);
  for (std::size_t i = 0; i < points.size(); ++i) {
    any_problem one = longer;
    one.y0 = points[i].y0;
    CHECK(same_bits(each[i].y, solve(one, "kencarp4_imex", accurate).y));
  }

  any_callbacks stiff = alone<fast>(), gentle = alone<slow>();
  stiff.by_finite_differences = gentle.by_finite_differences = true;
  const auto near =
      solve(posed({stiff, gentle}), "kencarp4_imex", accurate, recursive_checkpoint{});
  const auto by_products = solve(posed({with_products<fast>(), with_products<slow>()}),
                                 "kencarp4_imex", accurate, recursive_checkpoint{});
  const any_cotangents w{.y = any_state{1.0, 1.0}};
  CHECK(near.pullback(w).p[1] == doctest::Approx(by_products.pullback(w).p[1]).epsilon(1e-4));
}

template <class F>
int value_for_c(double t, const double* y, const double* p, double* dy, void*) {
  F{}(t, y, p, dy);
  return 0;
}
struct three {
  double* numbers;
  std::size_t size() const { return 3; }
  double& operator[](std::size_t i) const { return numbers[i]; }
};
template <class F>
int vjp_for_c(double t, const double* y, const double* p, const double* w, double* gt, double* gy,
              double* gp, void*) {
  F{}.vjp(t, y, p, w, *gt, gy, three{gp});
  return 0;
}

TEST_CASE("parts in C: the bits of C++") {
  any_callbacks f = with_products<fast>(), g = with_products<slow>();
  f.jvp = g.jvp = nullptr;
  any_problem expected = posed({f, g});
  revode_problem* q = nullptr;
  REQUIRE(revode_problem_new(2, expected.y0.data(), 3, expected.p.data(), 0, 2, value_for_c<fast>,
                             nullptr, &q) == REVODE_OK);
  REQUIRE(revode_problem_set_explicit_part(q, value_for_c<slow>, vjp_for_c<slow>, nullptr,
                                           nullptr) == REVODE_OK);
  REQUIRE(revode_problem_set_vjp(q, vjp_for_c<fast>) == REVODE_OK);
  revode_solution* s = nullptr;
  REQUIRE(revode_solve_differentiable(q, "kencarp5_imex", nullptr, nullptr, &s) == REVODE_OK);
  any_state y(2), of_y0(2), of_p(3), w{1.0, 0.0};
  revode_solution_y(s, y.data());
  revode_gradient bar = REVODE_GRADIENT;
  bar.y0 = of_y0.data();
  bar.p = of_p.data();
  REQUIRE(revode_solution_pullback(s, w.data(), nullptr, nullptr, &bar) == REVODE_OK);
  revode_solution_free(s);
  const auto d = solve(expected, "kencarp5_imex", {}, recursive_checkpoint{});
  CHECK(same_bits(y, d.y));
  CHECK(same_bits(of_p, d.pullback({.y = w}).p));

  const double mass[] = {1, 0, 0, 0};
  CHECK(revode_problem_set_mass(q, mass) == REVODE_MISUSE);
  CHECK(revode_last_error() ==
        std::string("a part with a mass matrix (parts are those of y' = f) leave it out, or give "
                    "one field?"));
  REQUIRE(revode_problem_set_explicit_part(q, nullptr, nullptr, nullptr, nullptr) == REVODE_OK);
  CHECK(revode_solve(q, "kencarp5_imex", nullptr, &s) == REVODE_MISUSE);
  CHECK(revode_problem_set_mass(q, mass) == REVODE_OK);
  revode_problem_free(q);
  REQUIRE(revode_problem_named("lorenz", &q) == REVODE_OK);
  CHECK(revode_problem_set_explicit_part(q, value_for_c<slow>, nullptr, nullptr, nullptr) ==
        REVODE_MISUSE);
  CHECK(revode_last_error() == std::string("an explicit part of a named problem (its field is its "
                                           "own) set none?"));
  revode_problem_free(q);
}

}  // namespace
}  // namespace revode
