// SPDX-License-Identifier: Apache-2.0
// A mass matrix beside what else a solve may have: events behind which the start is made consistent again,
// second derivatives, running costs.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solve/dense_output.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "mass_laws.hpp"

namespace revode {
namespace {

using driven = problem<semi_explicit, vec<double, 2>, vec<double, 2>>;
const driven q{semi_explicit{}, {0.4, 3}, 0.0, 1.9, {0.7, 1.3}};

/// y falls to p₁/2 of itself at 0.6; z follows.
struct fall {
  static constexpr auto direction = crossing::rising;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0] - 0.6; }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[0] = 0.5 * p[1] * y[0];
  }
};

/// The derivative of value(problem) by what `move` moves, from both sides.
template <class Value, class Move>
double difference(const driven& at, double step, const Value& value, const Move& move) {
  driven above = at, below = at;
  move(above, step);
  move(below, -step);
  return (value(above) - value(below)) / (2 * step);
}

template <class M>
void check_events(const M& m, double step, double bound) {
  CAPTURE(std::string(M::name));
  options o{.rtol = 1e-10, .atol = 1e-10};
  o.save.ts = {0.5, 1.5};
  const auto value = [&](const driven& z) {
    const auto s = solve(z, m, o, events(fall{}));
    double sum = s.y[0] + 2 * s.y[1] + s.ys[1][1];
    for (const auto& e : s.events) sum += 0.3 * e.t;
    return sum;
  };
  auto s = solve(q, m, o, events(fall{}), recursive_checkpoint{.slots = 2});
  REQUIRE(s.events.size() == 6);
  cotangents<vec<double, 2>> w;
  w.y = vec{1.0, 2.0};
  w.ys = {vec{0.0, 0.0}, vec{0.0, 1.0}};
  w.events.assign(s.events.size(), 0.3);
  const auto g = s.pullback(w);
  const auto check = [&](double found, const auto& move) {
    const double expected = difference(q, step, value, move);
    CHECK(std::abs(found - expected) <= bound * (1 + std::abs(expected)));
  };
  check(g.y0[0], [](driven& z, double e) { z.y0[0] += e; });
  check(g.p[0], [](driven& z, double e) { z.p[0] += e; });
  check(g.p[1], [](driven& z, double e) { z.p[1] += e; });
  check(g.t0, [](driven& z, double e) { z.t0 += e; });
  check(g.t1, [](driven& z, double e) { z.t1 += e; });
  CHECK(std::abs(g.y0[1]) <= 1e-13);
}

TEST_CASE("behind an event the state is made consistent, with its derivative") {
  check_events(rodas5p{}, 1e-4, 1e-6);
  check_events(bdf5{}, 1e-3, 1e-4);
}

/// At t0 it takes place at the consistent state, whatever y0 guesses of z.
struct mixing_at_start {
  template <class P>
  auto time(const P& p) const {
    return 0.0 * p[0];
  }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[0] = p[0] * y[0] + 0.01 * y[1];
  }
};

/// What is seen at t0, by events and save points, one of which moves with it, and at the end.
template <class M, class Events>
void check_seen_at_start(const M& m, const Events& seen, double t1) {
  CAPTURE(std::string(M::name));
  CAPTURE(t1);
  driven at = q;
  at.t1 = t1;
  options o{.rtol = 1e-10, .atol = 1e-10, .save = {.t0 = true}};
  const auto run = [&](const driven& z) {
    o.save.ts = {z.t0};
    return solve(z, m, o, seen, recursive_checkpoint{.slots = 2});
  };
  const auto value = [&](const driven& z) {
    const auto s = run(z);
    return s.y[0] + 2 * s.y[1] + 0.3 * s.ys[0][0] + 0.7 * s.ys[0][1] + 0.2 * s.ys[1][1];
  };
  auto s = run(at);
  REQUIRE(s.ys.size() == 2);
  for (const auto& y : s.ys)
    CHECK(y[1] == doctest::Approx(semi_explicit::algebraic(0.0, y[0], at.p)).epsilon(1e-14));
  auto dense = solve(at, m, o, seen, dense_output{});
  CHECK(dense(0.0) == s.ys[0]);
  CHECK(dense.at({0.0}).front() == s.ys[0]);
  cotangents<vec<double, 2>> w;
  w.y = vec{1.0, 2.0};
  w.ys = {vec{0.3, 0.7}, vec{0.0, 0.2}};
  const auto g = s.pullback(w);
  const auto check = [&](double found, const auto& move) {
    const double expected = difference(at, 1e-4, value, move);
    CHECK(std::abs(found - expected) <= 1e-6 * (1 + std::abs(expected)));
  };
  for (int i = 0; i < 2; ++i) {
    check(g.y0[i], [i](driven& z, double e) { z.y0[i] += e; });
    check(g.p[i], [i](driven& z, double e) { z.p[i] += e; });
  }
  o.save.ts = {0.0};
  const tangents<vec<double, 2>, vec<double, 2>> v{
      .y0 = {0.4, 0.9}, .p = {-0.6, 0.8}, .t0 = 0.7, .ts = {0.2}};
  const auto pushed = solve(at, m, o, seen, v);
  double forwards = dot(vec{1.0, 2.0}, pushed.y_dot);
  for (std::size_t k = 0; k < 2; ++k) forwards += dot(w.ys[k], pushed.ys_dot[k]);
  const double back = dot(g.y0, v.y0) + dot(g.p, v.p) + 0.7 * g.t0 + 0.2 * g.ts[0];
  CHECK(forwards == doctest::Approx(back).epsilon(1e-11));
  if constexpr (std::is_same_v<Events, no_events>)
    check(g.t0 + g.ts[0], [](driven& z, double e) { z.t0 += e; });
}

TEST_CASE("what is seen at t0 is the consistent state, with its derivative") {
  for (const double t1 : {1.2, 0.0}) {
    check_seen_at_start(rodas5p{}, no_events{}, t1);
    check_seen_at_start(bdf5{}, no_events{}, t1);
    check_seen_at_start(radau_iia5{}, no_events{}, t1);
  }
  check_seen_at_start(rodas5p{}, events(mixing_at_start{}), 1.2);
  check_seen_at_start(bdf5{}, events(mixing_at_start{}), 1.2);
}

TEST_CASE("second derivatives go through the consistent start") {
  check_mass_hessian(radau_iia5{});  // of Rosenbrock methods: mass_laws.heavy.cpp
}

TEST_CASE("a running cost of algebraic variables is integrated beside them") {
  driven at = q;
  at.t1 = 1.2;
  const options o{.rtol = 1e-9, .atol = 1e-9};
  const loss_with_running_cost loss{
      [](const auto& y) { return y[1]; },
      [](const auto& t, const auto& y, const auto& p) { return y[1] * y[1] * p[0] + t; }};
  const auto value = [&](const driven& z) {
    return *value_and_gradient(z, rodas5p{}, o, loss).value;
  };
  const auto g = *value_and_gradient(at, rodas5p{}, o, loss).gradient;
  for (int i = 0; i < 2; ++i)
    CHECK(g.p[i] == doctest::Approx(difference(at, 1e-4, value, [i](driven& z, double e) {
                      z.p[i] += e;
                    })).epsilon(1e-6));
}

}  // namespace
}  // namespace revode
