// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <any/problems.hpp>
#include <any/same_bits.hpp>
#include <revode/any.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/revode.hpp>
#include <revode/solve/dense_output.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode {
namespace {

problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> typed(const erased_problem& q) {
  return {q.f, q.y0, q.t0, q.t1, q.p};
}

TEST_CASE("a solve by name has the bits of the templates, its save points and counts too") {
  const erased_problem named = make_problem("lotka_volterra");
  options o{.rtol = 1e-7};
  o.save.ts = {0.5, 1.25};
  const auto expected = solve(typed(named), tsit5{}, o);
  for (const any_method& m : {any_method("tsit5"), any_method(tsit5{})}) {
    const any_solution s = solve(named_problem("lotka_volterra"), m, o);
    CHECK(s.status == status::success);
    CHECK(same_bits(s.y, expected.y));
    REQUIRE(s.ys.size() == 2);
    CHECK(same_bits(s.ys[1], expected.ys[1]));
    CHECK(s.ts == expected.ts);
    CHECK(s.stats.accepted == expected.stats.accepted);
    CHECK(s.stats.field_evaluations == expected.stats.field_evaluations);
  }
}

TEST_CASE("dense output and its derivative are those of the templates") {
  const erased_problem named = make_problem("lotka_volterra");
  const auto q = typed(named);
  auto expected = solve(q, tsit5{}, options{}, dense_output{});
  const any_dense_solution s =
      solve(named_problem("lotka_volterra"), "tsit5", options{}, dense_output{});
  CHECK(same_bits(s(0.7), expected(0.7)));
  CHECK(same_bits(s.derivative(0.7), expected.derivative(0.7)));
  CHECK(same_bits(s.at({0.1, 0.2})[1], expected(0.2)));
  CHECK_THROWS_WITH_AS(s(1e9),
                       "dense output at t = 1e+09 (the solution covers 0 to 10) ask within, or "
                       "solve farther?",
                       std::invalid_argument);
}

TEST_CASE("callbacks solve as the field that they are") {
  const any_problem q = of(predators_alone());
  const erased_field field{predators{}};
  const Eigen::VectorXd y0{{1.0, 1.5}}, p{{1.5, 1.0, 3.0, 1.0}};
  const problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> t{field, y0, 0.0, 3.0, p};
  CHECK(same_bits(solve(q, "dop853", options{}).y, solve(t, dop853{}, options{}).y));
}

TEST_CASE("every method solves callbacks of each kind of derivative") {
  const auto accurate = solve(of(predators_alone()), "vern9", options{.rtol = 1e-12});
  for (const std::string& name : any_method_names()) {
    if (takes_halves(name) || takes_parts(name)) continue;
    CAPTURE(name);
    options o{.rtol = 1e-6, .atol = 1e-9};
    o.fixed_step = 1e-3;
    for (const any_callbacks& c :
         {predators_with_vjp(), predators_with_jvp(), predators_by_differences()}) {
      const any_solution s = solve(of(c), name, o);
      CHECK(s.status == status::success);
      CHECK(s.y[0] == doctest::Approx(accurate.y[0]).epsilon(1e-2));
      CHECK(s.y[1] == doctest::Approx(accurate.y[1]).epsilon(1e-2));
    }
  }
  CHECK(solve(of(predators_with_jacobian()), "kvaerno5", options{}).y[0] ==
        doctest::Approx(accurate.y[0]).epsilon(1e-4));
}

TEST_CASE("the automatic method is what tolerance and derivatives allow") {
  const auto same = [](const any_problem& q, const char* method, double rtol) {
    const options o{.rtol = rtol, .atol = 1e-9};
    CAPTURE(method);
    CHECK(solve(q, "automatic", o).y == solve(q, method, o).y);
  };
  any_problem stiff = named_problem("rober");
  stiff.t1 = 100;
  same(stiff, "tsit5_rodas5p", 1e-6);
  same(stiff, "vern7_rodas5p", 1e-10);
  same(named_problem("bouncing_ball"), "tsit5_rodas5p", 1e-6);
  same(of(predators_alone()), "tsit5", 1e-6);
  same(of(predators_alone()), "vern7", 1e-10);
  same(of(predators_with_vjp()), "tsit5_rodas5p", 1e-6);
  CHECK(any_method("automatic").order() == 5);
  const auto pulled = [&](const char* method) {
    return solve(of(predators_with_vjp()), method, options{}, recursive_checkpoint{}).y;
  };
  CHECK(pulled("automatic") == pulled("radau_iia5"));
}

struct two {
  [[maybe_unused]] static constexpr const char* name = "two";
  auto condition(const auto&, const auto& y, const auto&) const { return y[1] - 2; }
};
struct harvest {
  [[maybe_unused]] static constexpr const char* name = "harvest";
  static constexpr auto direction = crossing::rising;
  auto condition(const auto&, const auto& y, const auto&) const { return y[1] - 3; }
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const { y_new[1] = 0.5 * y[1]; }
};

TEST_CASE("events by callbacks are those of types, and an observer stops a solve") {
  any_problem q = of(predators_alone());
  q.events.push_back(any_event_callbacks{
      .name = "two", .condition = [](double, auto y, auto) { return y[1] - 2; }});
  q.events.push_back(
      any_event_callbacks{.name = "harvest",
                          .condition = [](double, auto y, auto) { return y[1] - 3; },
                          .jump = [](double, auto y, auto, auto y_new) { y_new[1] = 0.5 * y[1]; },
                          .direction = crossing::rising});
  q.y0 = {5.0, 1.5};
  const erased_field field{predators{}};
  const Eigen::VectorXd y0{{5.0, 1.5}}, p{{1.5, 1.0, 3.0, 1.0}};
  const problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> t{field, y0, 0.0, 3.0, p};
  for (const std::string name : {"tsit5", "radau_iia5"}) {
    CAPTURE(name);
    if (name == "radau_iia5") q.f = predators_with_jacobian();
    const any_solution s = solve(q, name, options{});
    const auto expected = name == "tsit5"
                              ? solve(t, tsit5{}, options{}, events(two{}, harvest{}))
                              : solve(t, radau_iia5{}, options{}, events(two{}, harvest{}));
    REQUIRE(s.events.size() == expected.events.size());
    REQUIRE(s.events.size() > 1);
    for (std::size_t i = 0; i < s.events.size(); ++i) {
      CHECK(s.events[i].which == expected.events[i].which);
      CHECK(s.events[i].t == doctest::Approx(expected.events[i].t).epsilon(1e-9));
    }
  }
  q.events.clear();
  q.after_step = [steps = 0](double, auto) mutable { return ++steps == 5; };
  const any_solution stopped = solve(q, "tsit5", options{});
  CHECK(stopped.status == status::stopped_by_callback);
  CHECK(stopped.stats.accepted == 5);
}

TEST_CASE("misuse is told in words, before any work") {
  const any_problem q = of(predators_alone());
  const auto says = [](auto&& call, const char* text) {
    CHECK_THROWS_WITH_AS(call(), text, std::invalid_argument);
  };
  says([&] { solve(q, "tsit6", {}); },
       "unknown method 'tsit6' (it is not among any_method_names()) did you mean 'tsit5'?");
  says([&] { solve(q, "kencarp4_imex", {}); },
       "method kencarp4_imex for a field without parts (it takes the implicit one by Newton's "
       "iteration and the other "
       "explicitly) give it both, or take esdirk547?");
  says([&] { solve(any_problem{}, "tsit5", {}); },
       "a problem without a field (any_problem::f is empty) give it one, or named_problem?");
  says([&] { any_field(any_callbacks{}); },
       "a field without f (any_callbacks::f is empty) give it the right-hand side?");
  says([&] { any_field(std::shared_ptr<const erased_field>{}); },
       "a field that is null (there is nothing to call) pass one that was made?");
  says([&] { any_event(std::shared_ptr<const erased_event>{}); },
       "an event that is null (it has no condition) pass one that was made?");
  says(
      [&] {
        any_state dy;
        any_field{}(0, {1.0}, {}, dy);
      },
      "a call of no field (any_field is empty) give it callbacks?");
  says([&] { solve(q, "radau_iia5", {}); },
       "method radau_iia5 on callbacks without a Jacobian (its stages are implicit) give jacobian, "
       "jvp or vjp, or by_finite_differences?");
  says([&] { solve(of(predators_with_jacobian()), "rodas5p", {}); },
       "method rodas5p on callbacks without vjp and jvp (it needs the derivative in t besides the "
       "Jacobian) give one of them, or choose kvaerno5?");
  says([&] { any_event(any_event_callbacks{.name = "two"}); },
       "event 'two' without a condition (it occurs where that passes through 0) give one?");
  says([&] { named_problem("lorentz"); },
       "unknown problem 'lorentz' (not in the list of named problems) did you mean 'lorenz'?");
}

}  // namespace
}  // namespace revode
