// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <any/problems.hpp>
#include <any/same_bits.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/revode.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {
namespace {

double off(const any_gradient& a, const any_gradient& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.y0.size(); ++i)
    most = std::max(most, std::abs(a.y0[i] - b.y0[i]) / (1 + std::abs(b.y0[i])));
  for (std::size_t i = 0; i < a.p.size(); ++i)
    most = std::max(most, std::abs(a.p[i] - b.p[i]) / (1 + std::abs(b.p[i])));
  return std::max(most, std::abs(a.t1 - b.t1) / (1 + std::abs(b.t1)));
}

const any_cotangents weights{.y = any_state{1.0, -2.0}};

TEST_CASE("gradients by name have the templates' bits, for every memory and schedule") {
  const erased_problem named = make_problem("lotka_volterra");
  const problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> q{
      named.f, named.y0, named.t0, named.t1, named.p};
  auto expected = solve(q, tsit5{}, options{}, recursive_checkpoint{});
  const auto bar = expected.pullback(Eigen::VectorXd{{1.0, -2.0}});
  const any_state y0(bar.y0.begin(), bar.y0.end()), p(bar.p.begin(), bar.p.end());
  const any_problem same = named_problem("lotka_volterra");
  for (const auto& [kind, called] : schedule_names) {
    const std::string_view name = called;  // clang 14 captures no binding
    CAPTURE(name);
    recursive_checkpoint adjoint{.schedule = kind};
    if (kind != schedule_kind::store_all && kind != schedule_kind::store_states) adjoint.slots = 8;
    if (kind == schedule_kind::two_tier) adjoint.slow_slots = 4;
    const auto g = solve(same, "tsit5", options{}, adjoint).pullback(weights);
    CHECK(g.status == status::success);
    CHECK(g.reverse.schedule == name);
    CHECK(same_bits(g.y0, y0));
    CHECK(same_bits(g.p, p));
    CHECK(g.t1 == bar.t1);
  }
}

TEST_CASE("a solution outlives its problem, and is pulled again") {
  const auto s = [] {
    return solve(of(predators_with_vjp()), "tsit5", options{}, recursive_checkpoint{.slots = 3});
  }();
  const auto first = s.pullback(weights), second = s.pullback(weights);
  CHECK(same_bits(first.p, second.p));
}

TEST_CASE("each kind of callback gives the same gradient, by every method that can") {
  for (const std::string& name : any_method_names()) {
    if (takes_halves(name) || takes_parts(name)) continue;
    if (name == "automatic") continue;  // of other methods for other derivatives
    CAPTURE(name);
    options o;
    o.fixed_step = 0.05;
    const auto by = [&](const any_callbacks& c) {
      return solve(of(c), name, o, recursive_checkpoint{}).pullback(weights);
    };
    const auto differences = by(predators_by_differences());
    CHECK(differences.status == status::success);
    any_gradient exact;
    bool refused = false;
    try {
      exact = by(predators_with_vjp());
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    const bool rosenbrock = name.starts_with("ros") || name.find("rodas") != name.npos;
    CHECK(refused == rosenbrock);
    if (refused) continue;
    CHECK(off(by(predators_with_jvp()), exact) < 1e-12);
    CHECK(off(differences, exact) < 1e-6);
  }
}

TEST_CASE("symplectic methods take the halves of a separable field of callbacks") {
  const any_problem q{
      .f = any_callbacks{.f = [](double, auto y, auto, auto dy) { dy[0] = y[1], dy[1] = -y[0]; },
                         .vjp = [](double, auto, auto, auto w, double&, auto gy,
                                   auto) { gy[0] -= w[1], gy[1] += w[0]; }},
      .y0 = {1, 0}};
  for (const std::string& name : any_method_names()) {
    if (!takes_halves(name)) continue;
    CAPTURE(name);
    const auto s = solve(q, name, options{.fixed_step = 0.01}, recursive_checkpoint{.slots = 6});
    CHECK(s.y[0] == doctest::Approx(std::cos(1.0)).epsilon(1e-4));
    const auto g = s.pullback({.y = any_state{1, 0}});
    CHECK(g.y0[0] == doctest::Approx(std::cos(1.0)).epsilon(1e-4));
    CHECK(g.y0[1] == doctest::Approx(std::sin(1.0)).epsilon(1e-4));
  }
}

TEST_CASE("the time of a terminal event has its derivative") {
  // y' = -p y falls to c at t = ln(y0/c)/p
  const any_problem q{
      .f = any_callbacks{.f = [](double, auto y, auto p, auto dy) { dy[0] = -p[0] * y[0]; },
                         .vjp =
                             [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
                               gy[0] -= p[0] * w[0];
                               gp[0] -= y[0] * w[0];
                             }},
      .y0 = {1.0},
      .p = {0.5},
      .events = {any_event_callbacks{
          .name = "low",
          .condition = [](double, auto y, auto) { return y[0] - 0.7; },
          .terminal = true,
          .condition_gradient = [](double, auto, auto, double&, auto gy, auto) { gy[0] += 1; }}}};
  const auto s = solve(q, "tsit5", options{.rtol = 1e-10, .atol = 1e-12}, recursive_checkpoint{});
  REQUIRE(s.status == status::terminal_event);
  CHECK(s.t == doctest::Approx(-std::log(0.7) / 0.5).epsilon(1e-9));
  const auto g = s.pullback({.events = {1.0}});
  CHECK(g.p[0] == doctest::Approx(std::log(0.7) / 0.25).epsilon(1e-8));
  CHECK(g.y0[0] == doctest::Approx(1 / 0.5).epsilon(1e-8));
}

TEST_CASE("second derivatives by differences give Rosenbrock methods their gradients") {
  any_problem typed = of(predators_alone());
  typed.f = std::make_shared<const erased_field>(predators{});
  for (const char* name : {"rosenbrock23", "rodas5p"}) {
    CAPTURE(name);
    const auto of_callbacks =
        solve(of(predators_by_differences()), name, options{.rtol = 1e-5}, recursive_checkpoint{})
            .pullback(weights);
    const auto exact =
        solve(typed, name, options{.rtol = 1e-5}, recursive_checkpoint{}).pullback(weights);
    CHECK(off(of_callbacks, exact) < 1e-5);
  }
}

TEST_CASE("the other adjoints, by name") {
  const any_problem q = of(predators_with_vjp());
  const options o{.rtol = 1e-9, .atol = 1e-12};
  const auto exact = solve(q, "tsit5", o, recursive_checkpoint{}).pullback(weights);
  for (const std::string& name : any_adjoint_names()) {
    CAPTURE(name);
    const bool reverses = name == "reversible";
    options loose = o;
    if (reverses) loose = {.rtol = 1e-6};
    const auto g = solve(q, reverses ? "reversible_heun" : "tsit5", loose, any_adjoint{name})
                       .pullback(weights);
    CHECK(g.status == status::success);
    CHECK(off(g, exact) < (reverses ? 1e-2 : 1e-6));
  }
}

struct typed_harvest {
  static constexpr const char* name = "harvest";
  static constexpr auto direction = crossing::rising;
  auto condition(const auto&, const auto& y, const auto& p) const { return y[1] - 3 * p[3]; }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[1] = 0.5 * p[1] * y[1];
  }
};

TEST_CASE("gradients go through events whose derivatives are there") {
  any_problem q = of(predators_with_vjp());
  q.y0 = {5.0, 1.5};
  any_event_callbacks harvest{
      .name = "harvest",
      .condition = [](double, auto y, auto p) { return y[1] - 3 * p[3]; },
      .jump = [](double, auto y, auto p, auto y_new) { y_new[1] = 0.5 * p[1] * y[1]; },
      .direction = crossing::rising,
      .condition_gradient =
          [](double, auto, auto, double&, auto gy, auto gp) {
            gy[1] += 1;
            gp[3] -= 3;
          },
      .jump_vjp =
          [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
            gy[0] += w[0];
            gy[1] += 0.5 * p[1] * w[1];
            gp[1] += 0.5 * y[1] * w[1];
          }};
  any_problem typed = q;
  typed.f = std::make_shared<const erased_field>(predators{});
  typed.events.push_back(std::make_shared<const erased_event>(typed_harvest{}));
  q.events.push_back(harvest);
  const auto s = solve(q, "tsit5", options{}, recursive_checkpoint{.slots = 4});
  const auto t = solve(typed, "tsit5", options{}, recursive_checkpoint{.slots = 4});
  REQUIRE(s.events.size() == t.events.size());
  REQUIRE(s.events.size() >= 1);
  CHECK(off(s.pullback(weights), t.pullback(weights)) < 1e-11);

  harvest.jump_vjp = {};
  q.events = {any_event(harvest)};
  CHECK_THROWS_WITH_AS(solve(q, "tsit5", {}, recursive_checkpoint{}),
                       "a gradient through event 'harvest' (the derivatives of its condition or "
                       "jump are not known) give condition_gradient, and jump_vjp where it has a "
                       "jump?",
                       std::invalid_argument);
}

TEST_CASE("gradients that cannot be had are refused before any work") {
  const auto says = [](auto&& call, const char* text) {
    CHECK_THROWS_WITH_AS(call(), text, std::invalid_argument);
  };
  const recursive_checkpoint adjoint{};
  says([&] { solve(of(predators_alone()), "tsit5", {}, adjoint); },
       "a gradient of callbacks without vjp and jvp (their derivatives are not known) give one of "
       "them, or by_finite_differences?");
  says([&] { solve(of(predators_with_vjp()), "rodas5p", {}, adjoint); },
       "a gradient by method rodas5p of callbacks (it needs second derivatives of the field) take "
       "kvaerno5 or radau_iia5, a typed field, or by_finite_differences?");
  says([&] { solve(of(predators_with_vjp()), "bosh3", {}, any_adjoint{"gauss"}); },
       "adjoint gauss with method bosh3 (it is compiled for tsit5) choose one of these, or "
       "recursive_checkpoint?");
  says([&] { solve(of(predators_with_vjp()), "bosh3", {}, any_adjoint{"gaus"}); },
       "unknown adjoint 'gaus', or one without events (see any_adjoint_names()) take "
       "recursive_checkpoint?");
  any_problem observed = of(predators_with_vjp());
  observed.after_step = [](double, auto) { return false; };
  says([&] { solve(observed, "tsit5", {}, adjoint); },
       "a gradient of a solve that after_step sees (it would be called again by replays) solve "
       "without it?");
}

}  // namespace
}  // namespace revode
