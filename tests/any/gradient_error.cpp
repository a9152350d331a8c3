// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include <any/problems.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/revode.hpp>

namespace revode {
namespace {

const any_loss by_name = [](const any_solution& s, any_cotangents& bar) {
  bar.y = any_state{1, s.y[1]};
  return s.y[0] + s.y[1] * s.y[1] / 2;
};
const auto by_type = [](const auto& y) { return y[0] + y[1] * y[1] / 2; };

any_state listed(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

struct both {
  erased_problem named = make_problem("lotka_volterra");
  problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> typed{named.f, named.y0, named.t0,
                                                                       named.t1, named.p};
  any_problem q = named_problem("lotka_volterra");
};

template <class A, class B>
void same_error(const A& a, const B& b) {
  CHECK(*a.value == *b.value);
  CHECK(a.gradient->status == b.gradient->status);
  CHECK(a.gradient->p == listed(b.gradient->p));
  REQUIRE(a.gradient->error);
  CHECK(a.gradient->error->y0 == listed(b.gradient->error->y0));
  CHECK(a.gradient->error->p == listed(b.gradient->error->p));
  CHECK(a.gradient->error->t1 == b.gradient->error->t1);
  CHECK(a.gradient->error->relative == b.gradient->error->relative);
}

TEST_CASE("the error of a gradient by name is that of the templates, of every adjoint") {
  const both of;
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const auto a = value_and_checked_gradient(of.q, "tsit5", o, by_name, {.slots = 6});
  const auto b =
      value_and_checked_gradient(of.typed, tsit5{}, o, by_type, recursive_checkpoint{.slots = 6});
  same_error(a, b);
  CHECK(a.gradient->error->loss == doctest::Approx(b.gradient->error->loss).epsilon(1e-9));
  CHECK(a.gradient->error->looser.accepted == b.gradient->error->looser.accepted);
  same_error(value_and_checked_gradient(of.q, "tsit5", o, by_name, any_adjoint{"gauss"}),
             value_and_checked_gradient(of.typed, tsit5{}, o, by_type, gauss{}));
  const auto strict =
      value_and_checked_gradient(of.q, "tsit5", o, by_name, recursive_checkpoint{}, 1e-9);
  CHECK(strict.gradient->status == status::gradient_not_resolved);
  CHECK(strict.gradient->p == a.gradient->p);
}

TEST_CASE("tolerances that the error of a gradient chooses, by name") {
  const both of;
  const options o{.rtol = 1e-3, .atol = 1e-3};
  const auto a = resolved_value_and_gradient(of.q, "tsit5", o, by_name, 1e-5);
  same_error(a, resolved_value_and_gradient(of.typed, tsit5{}, o, by_type, 1e-5));
  CHECK(a.gradient->error->relative <= 0.5e-5);
}

TEST_CASE("a second solve with other events: the loss is not asked, the gradient not resolved") {
  any_problem q = of(predators_with_vjp());
  bool pulled = false;
  int losses = 0;
  q.events = {
      any_event_callbacks{.condition = [&](double t, auto, auto) { return pulled ? 1 : t - 1; },
                          .condition_gradient =
                              [&](double, auto, auto, double& gt, auto, auto) {
                                gt += 1;
                                pulled = true;
                              }}};
  const any_loss at_event = [&](const any_solution& s, any_cotangents& bar) {
    ++losses;
    bar.events = {1};
    return s.events.at(0).t;
  };
  const auto r = value_and_checked_gradient(q, "tsit5", {}, at_event);
  CHECK(*r.value == doctest::Approx(1).epsilon(1e-12));
  CHECK(losses == 1);
  CHECK(r.gradient->status == status::gradient_not_resolved);
  CHECK(r.gradient->error->relative == std::numeric_limits<double>::infinity());
}

TEST_CASE("what the error of a gradient by name refuses") {
  const any_problem q = named_problem("lotka_volterra");
  CHECK_THROWS_WITH_AS(
      value_and_checked_gradient(q, "tsit5", {}, by_name, recursive_checkpoint{}, -1.0),
      "with_error with unresolved = -1.000000 (a share of the gradient's norm) "
      "give one >= 0?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(resolved_value_and_gradient(q, "tsit5", {}, by_name, 2.0),
                       "gradient_rtol = 2.000000 (a share of the gradient's norm) give one from "
                       "1e-12 to 1?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(any_method("tsit6").order(),
                       "unknown method 'tsit6' (it is not among any_method_names()) did you mean "
                       "'tsit5'?",
                       std::invalid_argument);
  CHECK(any_method("rodas5p").order() == 5);
}

}  // namespace
}  // namespace revode
