// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <oracles/moving_grid.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/decay.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "events_at_hand.hpp"

namespace revode {
namespace {

using at_hand::dose, at_hand::parameters, at_hand::scaling, at_hand::state;

/// y0' = y1 cos t, y1' = −p0 sin y0 − p1 y1 + t, and 2 more of it behind t = 2; NaN where y1 is too
/// large.
struct driven {
  double breaks = HUGE_VAL;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = y[1] * cos(t);
    dy[1] = -(p[0] * sin(y[0])) - p[1] * y[1] + t;
    if (t >= 2) dy[1] = dy[1] + 2;
    if (y[1] > breaks) dy[1] = dy[1] * std::nan("");
  }
  void vjp(double t, const state& y, const parameters& p, const state& w, double& gt, state& gy,
           parameters& gp) const {
    gt += w[1] - w[0] * y[1] * std::sin(t);
    gy[0] -= w[1] * p[0] * std::cos(y[0]);
    gy[1] += w[0] * std::cos(t) - w[1] * p[1];
    gp[0] -= w[1] * std::sin(y[0]);
    gp[1] -= w[1] * y[1];
  }
};
struct kick : at_hand::kick {
  bool on;
  explicit kick(bool happens) : on(happens) {}
  template <class T, class Y, class P>
  T condition(const T& t, const Y& y, const P& p) const {
    return on ? at_hand::kick::condition(t, y, p) : T(1);
  }
};
/// The crossing of the same surface ends the solve, or is nothing but a time.
template <bool Ends>
struct level {
  double at;
  static constexpr bool terminal = Ends;
  template <class T, class Y, class P>
  T condition(const T& t, const Y& y, const P& p) const {
    return y[0] * y[1] - p[1] * t - at;
  }
};
struct fence {
  double most;
  template <class T, class Y, class P>
  bool inside(const T&, const Y& y, const P&) const {
    return y[1] <= most;
  }
};

/// One type of everything: what is off never happens.
struct chosen {
  bool kicked = false;
  std::vector<double> times{};
  double seen = HUGE_VAL, ends = HUGE_VAL, fenced = HUGE_VAL;
};
auto list_of(const chosen& c) {
  return events(kick{c.kicked}, dose{}, scaling{c.times}, level<false>{c.seen}, level<true>{c.ends},
                level<false>{c.seen}, fence{c.fenced});
}
const parameters no_dose{1.5, 0.2, 10}, dosed{1.5, 0.2, 0.8};

/// By duals on the frozen grid, to 1e-12, every input of the solve.
law_result by_duals(const parameters& p, const options& o, const chosen& c = {}, double t1 = 3.1,
                    double breaks = HUGE_VAL) {
  const problem q{driven{breaks}, state{0.4, 1.0}, 0.1, t1, p};
  return moving_grid_law(q, tsit5{}, o, list_of(c), recursive_checkpoint{.slots = 5});
}
auto run(const parameters& p, const options& o, const chosen& c = {}, double breaks = HUGE_VAL) {
  const problem q{driven{breaks}, state{0.4, 1.0}, 0.1, 3.1, p};
  return solve(q, tsit5{}, o, list_of(c));
}
void check(const law_result& r) {
  CAPTURE(r.what);
  CAPTURE(r.worst);
  CHECK(r.holds);
}
double relative(double a, double b) { return std::abs(a - b) / std::abs(b); }

}  // namespace

// The rows of "what is differentiated" (adjoint/README.md), one case each. Rows that have theirs
// elsewhere:
//   multistep ends      tests/contract/bdf12.cpp "BDF: the derivatives by t0 and t1 move along …"
//   Newton's iterates   tests/solvers/implicit_fields.hpp, semantics_implicit.heavy.cpp
//   Rosenbrock          tests/solvers/rosenbrock_laws.cpp, rosenbrock_budgets.cpp "J held still: …"
//   noise               tests/loop/trees.cpp "an integer of the carry keys the noise …",
//                       tests/interop/random123.cpp "a scan with dropout …"
//   complex states      tests/solve/complex_field.cpp "a cotangent is dL/dRe + i dL/dIm: …"
//   frozen leaves       tests/loop/arguments.cpp, tests/loop/memory.cpp
//   bounces, doses, terminal and simultaneous events in closed form: tests/adjoint/events.cpp

TEST_CASE("y0 and p: duals on the frozen grid, and R(z)^n in closed form") {
  check(by_duals(no_dose, {.rtol = 1e-5}));
  check(by_duals(no_dose, {.fixed_step = 0.26}));
}

TEST_CASE("grid times: all constant but t0, t1 and stops; those of equal steps move with t0, t1") {
  // equal steps 0 … 1/2 … 1 of y' = −p y, and a stop at 0.3: y = R(−p 0.3) R(−p 0.2) R(−p 0.5)
  const double p = 1.3, stop = 0.3;
  const problem q{decay{}, vec{1.0}, 0., 1., vec{p}};
  auto s = solve(q, rk4{}, {.fixed_step = 0.5, .stops = {stop}}, recursive_checkpoint{});
  const auto g = s.pullback(vec{1.0});
  using D = dual<double, 4>;
  const D t0 = D::input(0, 0), t1 = D::input(1, 1), at = D::input(stop, 2), rate = D::input(p, 3);
  const auto r = [&](const D& h) {
    const D z = -(rate * h);
    return 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
  };
  const D middle = t0 + (t1 - t0) / 2;
  const D y = r(at - t0) * r(middle - at) * r(t1 - middle);
  CHECK(relative(s.y[0], y.value) < 1e-15);
  CHECK(relative(g.t0, y.d[0]) < 1e-13);
  CHECK(relative(g.t1, y.d[1]) < 1e-13);
  CHECK(relative(g.stops[0], y.d[2]) < 1e-11);
  CHECK(relative(g.p[0], y.d[3]) < 1e-13);
  // the controller's grid
  check(by_duals(no_dose, {.rtol = 1e-3, .stops = {0.7, 1.9}, .discontinuities = {2}}));
}

TEST_CASE("t0 and t1: without a step along the field; backwards in time") {
  const problem q{driven{}, state{0.4, 1.0}, 0.1, 0.1, no_dose};
  auto s = solve(q, tsit5{}, {}, list_of({}), recursive_checkpoint{});
  const auto g = s.pullback(state{2, 3});
  state f{};
  q.f(q.t0, q.y0, q.p, f);
  CHECK(g.t1 == 2 * f[0] + 3 * f[1]);
  CHECK(g.t0 == -g.t1);
  check(by_duals(no_dose, {.rtol = 1e-5}, {.kicked = true, .times = {-0.3}}, -1.5));
}

TEST_CASE("save times: the interpolant's derivative, at ends of steps too") {
  for (const double h : {0.3, 0.0}) {
    const options o{.rtol = 1e-4,
                    .fixed_step = h,
                    .save = {.t0 = true, .ts = {0.1, 0.5, 0.7, 2.345, 3.1}, .t1 = true}};
    check(by_duals(no_dose, o));
  }
}

TEST_CASE("a fixed step: N equal steps, N a constant; a first step of the user's: a constant") {
  for (const int n : {7, 10}) {
    const problem q{decay{}, vec{1.5}, 0.25, 2.25, vec{0.7}};
    auto s = solve(q, rk4{}, {.fixed_step = 2.0 / n}, recursive_checkpoint{});
    const auto g = s.pullback(vec{2.0});
    const double h = 2.0 / n, z = -0.7 * h, r = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
    const double slope = 2 * 1.5 * n * std::pow(r, n - 1) * (1 + z * (1 + z / 2 * (1 + z / 3)));
    CHECK(s.stats.accepted == n);
    CHECK(relative(g.t1, slope * -0.7 / n) < 1e-13);
    CHECK(relative(g.t0, slope * 0.7 / n) < 1e-13);
  }
  check(by_duals(no_dose, {.rtol = 1e-3, .first_step = 0.4}));
}

TEST_CASE("located events: the root on the step's interpolant, the jump, simultaneous, terminal") {
  const options o{.rtol = 1e-5, .save = {.t0 = true, .ts = {0.5, 1.3, 2.6}, .t1 = true}};
  for (const double h : {0.26, 0.0}) {
    options with = o;
    with.fixed_step = h;
    with.stops = {0.7, 1.9};
    with.discontinuities = {2};
    CHECK(run(dosed, with, {.kicked = true, .seen = 0.43}).events.size() >= 4);
    check(by_duals(dosed, with, {.kicked = true, .times = {0.3, 1.4}, .seen = 0.43}));
  }
  const auto seen = run(no_dose, {}, {.seen = 0.43});  // two at every time
  REQUIRE(seen.events.size() >= 2);
  CHECK(seen.events[0].t == seen.events[1].t);
  CHECK(run(no_dose, {}, {.ends = 0.25}).status == status::terminal_event);
  check(by_duals(no_dose, {.rtol = 1e-4}, {.ends = 0.25}));
  check(by_duals(no_dose, {.fixed_step = 0.2}, {.seen = 0.25, .ends = 0.25}));
}

TEST_CASE("timed events: at t0, at t1, at one time, by parameters; those that never occur have 0") {
  const problem q{driven{}, state{0.4, 1.0}, 0.1, 3.1, dosed};
  const std::vector<double> times{-4, 0.1, 1.4, 1.4, 3.1, 9};
  for (const double h : {0.3, 0.0})
    check(by_duals(dosed, {.rtol = 1e-4, .fixed_step = h}, {.times = times}));
  auto s = solve(q, tsit5{}, {}, list_of({.times = times}), recursive_checkpoint{});
  const auto g = s.pullback(state{1, 1});
  REQUIRE(g.times.size() == 7);
  REQUIRE(g.times[2].size() == 6);
  CHECK(g.times[2].front() == 0);
  CHECK(g.times[2].back() == 0);
  CHECK(g.times[2][3] != 0);
  CHECK(g.times[0].empty());
  // the whole list, behind a terminal event or outside
  for (const auto& never : {std::vector<double>{-4, 9}, std::vector<double>{3}}) {
    auto none = solve(q, tsit5{}, {.stops = {3.05}}, list_of({.times = never, .ends = 0.25}),
                      recursive_checkpoint{});
    const auto zero = none.pullback(state{1, 1});
    CHECK(zero.times[2] == std::vector<double>(never.size(), 0.0));
    CHECK(zero.stops == std::vector{0.0});
  }
}

TEST_CASE("step size, estimate, controller and automatic first step are constant") {
  for (const double rtol : {1e-1, 1e-2, 1e-6}) check(by_duals(no_dose, {.rtol = rtol}));
}

TEST_CASE("what the field keeps to itself has no derivative, by type") {
  const double p = 0.7;
  const auto kept = [p](const auto&, const auto& y, const auto&, auto& dy) { dy[0] = -(p * y[0]); };
  auto s =
      solve(problem{kept, vec{1.5}, 0., 1.}, rk4{}, {.fixed_step = 0.1}, recursive_checkpoint{});
  const auto g = s.pullback(vec{1.0});
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(g.p)>, vec<double, 0>>);
  const double z = -p * 0.1, r = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
  CHECK(relative(g.y0[0], std::pow(r, 10)) < 1e-14);
}

TEST_CASE("rejected attempts: a NaN in one, and a domain that rejects, leave the gradient alone") {
  const options o{.rtol = 1e-4, .first_step = 2.5};
  double most = 1;
  for (const auto& y : run(no_dose, {.save = {.every = 1}}).ys) most = std::fmax(most, y[1]);
  const double breaks = 1.02 * most;
  CHECK(run(no_dose, o, {}, breaks).stats.rejected > 0);
  check(by_duals(no_dose, o, {}, 3.1, breaks));
  CHECK(run(no_dose, o, {.fenced = breaks}).stats.rejected > 0);
  check(by_duals(no_dose, o, {.fenced = breaks}));
}

}  // namespace revode
