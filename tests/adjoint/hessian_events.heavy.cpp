// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>

#include "hessian_laws.hpp"

#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {

using namespace hessian_laws;

namespace {
const auto q = problem_of(at_hand::driven{});
}

TEST_CASE("Hessians through events of every kind: duals over duals on the moving grid") {
  by_duals_of_duals(tsit5{}, 1e-10);
}

TEST_CASE("a Hessian through events: one for every number of slots, symmetric, of the gradient") {
  const auto times = [](const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  };
  const auto product = [&](const auto& u, const auto& a) {
    return dot(u.y0, a.y0) + dot(u.p, a.p) + u.t0 * a.t0 + u.t1 * a.t1 + times(u.ts, a.ts) +
           times(u.stops, a.stops) + times(u.times[2], a.times[2]);
  };
  const auto same_bits = [](const auto& a, const auto& b) {
    return a.y0 == b.y0 && a.p == b.p && a.t0 == b.t0 && a.t1 == b.t1 && a.ts == b.ts &&
           a.stops == b.stops && a.events == b.events && a.times == b.times;
  };
  tangents<state, parameters> other{.y0 = {-1, 0.2}, .p = {0.3, -0.6, 1}, .t0 = -0.2, .t1 = 1};
  other.ts = {1, -0.4, 0.3};
  other.stops = {-0.3, 1, 0.4};
  other.times = {{}, {}, {1, 0.2, -0.7, 0.3}};
  for (const double h : {0.26, 0.0}) {
    const options o = through_all(h);
    const auto along = [&](const tangents<state, parameters>& v, index slots) {
      return hessian_vector_product(q, tsit5{}, o, list, loss_of_all, v, slots);
    };
    const auto g = value_and_gradient(q, tsit5{}, o, list, loss_of_all);
    const auto one = along(everywhere, 1), all = along(other, 100);
    CHECK(*one.value == *g.value);
    for (const index slots : {2, 4, 100}) {
      const auto some = along(everywhere, slots);
      CHECK(same_bits(*some.product, *one.product));
      CHECK(same_bits(*some.gradient, *one.gradient));
    }
    for (const auto& v : {everywhere, other}) {
      const double given = product(v, *one.gradient), expected = product(v, *g.gradient);
      CHECK(given == doctest::Approx(expected).epsilon(1e-12));
    }
    const double vhu = product(everywhere, *all.product);
    CHECK(product(other, *one.product) == doctest::Approx(vhu).epsilon(1e-11));
  }
}

TEST_CASE("what a Hessian along moving times refuses, before any work") {
  const tangents<state, parameters> along{.y0 = {1, 0}, .p = {0, 0, 0}};
  CHECK_THROWS_WITH_AS(
      hessian_vector_product(q, reversible_heun{}, {}, list, loss_of_all, along),
      "a Hessian along moving times by method reversible_heun (its state is more than y, and holds "
      "slopes that move with the steps) choose a method such as tsit5?",
      std::invalid_argument);
  problem still = q;
  still.t1 = still.t0;
  tangents<state, parameters> moved = along;
  moved.t1 = 1;
  CHECK_THROWS_WITH_AS(hessian_vector_product(still, tsit5{}, {}, list, loss_of_all, moved),
                       "a Hessian along moving times without steps (t0 = t1 = 0.100000) give t1 "
                       "apart from t0?",
                       std::invalid_argument);
}

}  // namespace revode
