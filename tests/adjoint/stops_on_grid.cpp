// SPDX-License-Identifier: Apache-2.0
// Stops, discontinuities and events where a step of a fixed grid ends, but for rounding: no step of rounding's length is
// made of it, over which second derivatives by times would be rounding, too.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/stormer_verlet.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

struct pendulum {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = y[1];
    dy[1] = -p[0] * sin(y[0]);
  }
};
const auto loss = [](const auto& y) { return y[0] * y[0] + y[1]; };

/// Occurs where t is this, for the located search.
struct at_time {
  static constexpr bool passes = true;
  double when;
  auto condition(const auto& t, const auto&, const auto&) const { return t - when; }
  void jump(const auto&, const auto&, const auto& p, auto& y) const { y[1] = y[1] + 0.1 * p[0]; }
};

TEST_CASE_TEMPLATE("a grid of tenths with stops at tenths has its own number of steps", M, tsit5,
                   radau_iia5, stormer_verlet) {
  for (const bool back : {false, true}) {
    const problem q{pendulum{}, vec{0.6, 0.3}, back ? 1.0 : 0.0, back ? 0.0 : 1.0, vec{1.3}};
    options o{.fixed_step = 0.1};
    const auto plain = value_and_gradient(q, M{}, o, loss);
    for (int k = 1; k < 10; ++k) o.stops.push_back((back ? 10 - k : k) / 10.0);
    for (const auto kind : {schedule_kind::store_all, schedule_kind::binomial}) {
      auto s = solve(q, M{}, o, recursive_checkpoint{.slots = 3, .schedule = kind});
      CHECK(s.stats.accepted == 10);
      const auto g = s.pullback(vec{2 * s.y[0], 1.0});
      CHECK(g.p[0] == doctest::Approx(plain.gradient->p[0]).epsilon(1e-12));
      CHECK(g.y0[0] == doctest::Approx(plain.gradient->y0[0]).epsilon(1e-12));
    }
    o.discontinuities = o.stops;
    CHECK(solve(q, M{}, o).stats.accepted == 10);
  }
}

TEST_CASE("what an event leaves of a step is none where that is rounding") {
  const problem q{pendulum{}, vec{0.6, 0.3}, 0.0, 1.0, vec{1.3}};
  for (const double off : {-1e-12, 0.0, 1e-12}) {
    const auto s = solve(q, tsit5{}, {.fixed_step = 0.1}, events(at_time{0.3 + off}));
    CHECK(s.events.size() == 1);
    CHECK(s.stats.accepted == (off > 0 ? 11 : 10));
  }
  CHECK(solve(q, tsit5{}, {.fixed_step = 0.1}, events(at_time{0.33})).stats.accepted == 11);
  CHECK(solve(q, tsit5{}, {.fixed_step = 0.1, .stops = {0.3 + 1e-7}}).stats.accepted == 11);
}

TEST_CASE_TEMPLATE("second derivatives by t1 beside a discontinuity on the grid", M, tsit5, rk4,
                   radau_iia5, stormer_verlet) {
  const problem q{pendulum{}, vec{0.6, 0.3}, 1.5, 0.0, vec{1.0}};
  tangents<vec<double, 2>, vec<double, 1>> along{.y0 = vec{0.0, 0.0}, .p = vec{0.0}};
  along.t1 = 1;
  const auto product = [&](double where) {
    const options o{.fixed_step = 0.01, .discontinuities = {where}};
    return *hessian_vector_product(q, M{}, o, loss, along).product;
  };
  const auto on = product(0.4), beside = product(0.405);
  CHECK(on.t1 == doctest::Approx(beside.t1).epsilon(1e-2));
  CHECK(on.t1 == doctest::Approx(-on.t0 - on.stops[0]).epsilon(1e-9));
}

}  // namespace
}  // namespace revode
