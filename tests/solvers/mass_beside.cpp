// SPDX-License-Identifier: Apache-2.0
// A mass matrix beside what else a solve may have: events behind which the start is made consistent again,
// second derivatives, running costs.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/adjoint/value_and_gradient.hpp>
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

/// At t0 it takes place at y0 as given, of which z is a guess.
struct mixing_at_start {
  template <class P>
  auto time(const P& p) const {
    return 0.0 * p[0];
  }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[0] = p[0] * y[0] + 0.01 * y[1];
  }
};

TEST_CASE("an event at t0 sees y0 as it was given") {
  driven at = q;
  at.t1 = 1.2;
  const options o{.rtol = 1e-9, .atol = 1e-9};
  const auto value = [&](const driven& z) {
    const auto s = solve(z, rodas5p{}, o, events(mixing_at_start{}));
    return s.y[0] + 2 * s.y[1];
  };
  auto s = solve(at, rodas5p{}, o, events(mixing_at_start{}), recursive_checkpoint{});
  const auto g = s.pullback(vec{1.0, 2.0});
  for (int i = 0; i < 2; ++i) {
    CHECK(g.y0[i] == doctest::Approx(difference(at, 1e-4, value, [i](driven& z, double e) {
                       z.y0[i] += e;
                     })).epsilon(1e-6));
    CHECK(g.p[i] == doctest::Approx(difference(at, 1e-4, value, [i](driven& z, double e) {
                      z.p[i] += e;
                    })).epsilon(1e-6));
  }
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
