// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../contract/stormer_verlet.hpp"

#include <revode/ad/dual.hpp>
#include <revode/adjoint/tangent/tangent_pack.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

// One type of everything, compiled once: two balls (height, speed) or four decays, and each event
// may be on or off.
using state = vec<double, 4>;
using parameters = vec<double, 3>;
const double gravity = 9.81, restitution = 0.8;

struct flow {
  bool falling;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 4; i += 2) {
      dy[i] = falling ? y[i + 1] : -p[0] * y[i];
      dy[i + 1] = falling ? -p[0] : -p[0] * y[i + 1];
    }
  }
  void jvp(double, const state& y, const parameters& p, double, const state& dy,
           const parameters& dp, state& out) const {
    for (int i = 0; i < 4; i += 2) {
      out[i] = falling ? dy[i + 1] : -p[0] * dy[i] - dp[0] * y[i];
      out[i + 1] = falling ? -dp[0] : -p[0] * dy[i + 1] - dp[0] * y[i + 1];
    }
  }
  void vjp(double, const state& y, const parameters& p, const state& w, double&, state& gy,
           parameters& gp) const {
    for (int i = 0; i < 4; i += 2) {
      if (falling) {
        gy[i + 1] += w[i];
        gp[0] -= w[i + 1];
      } else {
        for (int k = i; k < i + 2; ++k) {
          gy[k] -= p[0] * w[k];
          gp[0] -= y[k] * w[k];
        }
      }
    }
  }
};
template <int I>
struct bounce_of {
  bool on;
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return on ? y[2 * I] : T(1);
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[2 * I + 1] = -p[1] * y[2 * I + 1];
  }
};
/// y0 grows by p2 at the time p1, or at times of a list.
struct dose {
  bool on;
  template <class P>
  auto time(const P& p) const {
    return on ? p[1] : p[1] - 100;
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[0] = y[0] + p[2];
  }
};
struct doses {
  std::vector<double> times;
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[0] = y[0] + p[2];
  }
};
/// The end: y0 has fallen to p1.
struct fallen {
  bool on;
  static constexpr bool terminal = true;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P& p) const {
    return on ? y[0] - p[1] : T(1);
  }
};
struct chosen {
  bool bounces = false, timed = false;
  std::vector<double> times{};
  bool terminal = false;
};
auto list_of(const chosen& c) {
  return events(bounce_of<1>{c.bounces}, bounce_of<0>{c.bounces}, dose{c.timed}, doses{c.times},
                fallen{c.terminal});
}

/// Height, speed and the sum of all bounces' times at t = until of a ball thrown from y0 with v0,
/// and their derivatives by (y0, v0, gravity, restitution).
struct flight {
  dual<double, 4> height, speed, times;
  int bounces = 0;
};
flight thrown(double height, double speed, double until) {
  using D = dual<double, 4>;
  const D y0 = D::input(height, 0), v0 = D::input(speed, 1), g = D::input(gravity, 2),
          r = D::input(restitution, 3);
  D t = (v0 + sqrt(v0 * v0 + 2 * g * y0)) / g, v = r * (g * t - v0);
  flight f{y0, v0, t, 1};
  for (; t.value + 2 * v.value / gravity < until; ++f.bounces) {
    t = t + 2 * v / g;
    v = v * r;
    f.times = f.times + t;
  }
  const D left = until - t;
  f.height = v * left - 0.5 * g * left * left;
  f.speed = v - g * left;
  return f;
}
auto near(double x) { return doctest::Approx(x).epsilon(1e-9); }

}  // namespace

TEST_CASE("the gradient through many bounces is that of the closed form") {
  for (const double until : {1.0, 3.0, 4.0}) {
    // the second ball lies deep below, and keeps falling
    const problem q{flow{true}, state{1, 0.3, -1, 0}, 0.0, until, vec{gravity, restitution, 0.}};
    const auto list = list_of({.bounces = true});
    const flight f = thrown(1, 0.3, until);
    auto s = solve(q, tsit5{}, {}, list, recursive_checkpoint{.slots = 4});
    REQUIRE(static_cast<int>(s.events.size()) == f.bounces);
    const double weight = 0.25;
    const auto g = s.pullback(
        {.y = state{1, 0.5, 0, 0}, .events = std::vector<double>(s.events.size(), weight)});
    for (int i = 0; i < 4; ++i) {
      const double expected = f.height.d[i] + 0.5 * f.speed.d[i] + weight * f.times.d[i];
      CHECK((i < 2 ? g.y0[i] : g.p[i - 2]) == near(expected));
    }
    const tangents<state, parameters> along{
        .y0 = {1, -2, 0, 0}, .p = {0.5, 3, 0}, .t0 = 0.7, .t1 = -0.3};
    const auto pushed = solve(q, tsit5{}, {}, list, along);
    double forward = pushed.y_dot[0] + 0.5 * pushed.y_dot[1];
    for (const double t_dot : pushed.events_dot) forward += weight * t_dot;
    const double back = dot(g.y0, along.y0) + dot(g.p, along.p) + 0.7 * g.t0 - 0.3 * g.t1;
    CHECK(forward == doctest::Approx(back).epsilon(1e-12));
  }
}

TEST_CASE("simultaneous events of things that know nothing of each other: each its derivative") {
  const problem q{flow{true}, state{1, 0.3, 1, 0.3}, 0.0, 2.0, vec{gravity, restitution, 0.}};
  const flight f = thrown(1, 0.3, 2.0);
  auto s = solve(q, tsit5{}, {}, list_of({.bounces = true}), recursive_checkpoint{});
  REQUIRE(static_cast<int>(s.events.size()) == 2 * f.bounces);
  for (std::size_t k = 0; k < s.events.size(); ++k)
    CHECK(s.events[k].which == static_cast<int>(k % 2));
  const auto g = s.pullback(state{1, 0, 0, 1});
  const double expected[] = {f.height.d[0], f.height.d[1], f.speed.d[0], f.speed.d[1]};
  for (int i = 0; i < 4; ++i) CHECK(g.y0[i] == near(expected[i]));
  for (int i = 0; i < 2; ++i) CHECK(g.p[i] == near(f.height.d[2 + i] + f.speed.d[2 + i]));
}

TEST_CASE("a dose: the derivatives by its time, its size and all else") {
  // y = y0 e^(-k (t1 - t0)) + b e^(-k (t1 - a))
  const double k = 0.7, a = 1.25, b = 0.5;
  const problem q{flow{false}, state{1, 1, 1, 1}, 0.0, 3.0, vec{k, a, b}};
  const options o{.rtol = 1e-11, .atol = 1e-13, .stops = {0.3, 1.7}};
  auto s = solve(q, tsit5{}, o, list_of({.timed = true}), recursive_checkpoint{});
  const auto g = s.pullback(state{1, 0, 0, 0});
  const double first = std::exp(-3 * k), second = std::exp(-k * (3 - a));
  CHECK(g.y0[0] == near(first));
  CHECK(g.p[0] == near(-3 * first - (3 - a) * b * second));
  CHECK(g.p[1] == near(b * k * second));
  CHECK(g.p[2] == near(second));
  CHECK(g.t1 == near(-k * (first + b * second)));
  CHECK(g.t0 == near(k * first));
  for (const double by_stop : g.stops) CHECK(std::abs(by_stop) < 1e-9);

  auto thrice = solve(q, tsit5{}, o, list_of({.times = {2, 0, 3}}), recursive_checkpoint{});
  const auto of_times = thrice.pullback(state{1, 0, 0, 0}).events;  // in order of time
  REQUIRE(of_times.size() == 3);
  CHECK(of_times[0] == near(b * k * first));
  CHECK(of_times[1] == near(b * k * std::exp(-k)));
  CHECK(of_times[2] == near(b * k));
}

TEST_CASE("a terminal event's time and state: t1 counts no more, t0 moves the whole") {
  const double k = 0.7, level = 0.3;
  const problem q{flow{false}, state{2, 1, 1, 1}, 0.0, 9.0, vec{k, level, 0.}};
  auto s = solve(q, tsit5{}, {.rtol = 1e-11, .atol = 1e-13}, list_of({.terminal = true}),
                 recursive_checkpoint{.slots = 3});
  CHECK(s.status == status::terminal_event);
  // t* = log(2/level)/k, y1(t*) = level y10/y00
  const auto g = s.pullback({.y = state{0, 1, 0, 0}, .events = {1}});
  CHECK(g.y0[0] == near(1 / (2 * k) - level / 4));
  CHECK(g.y0[1] == near(level / 2));
  CHECK(g.p[0] == near(-std::log(2 / level) / (k * k)));
  CHECK(g.p[1] == near(-1 / (level * k) + 0.5));
  CHECK(g.t0 == near(1));
  CHECK(std::abs(g.t1) < 1e-9);
}

TEST_CASE("a loss of the end's time and state, and several tangents at once") {
  const double k = 0.7, level = 0.3;
  const problem q{flow{false}, state{2, 1, 1, 1}, 0.0, 9.0, vec{k, level, 0.5}};
  const options o{.rtol = 1e-11, .atol = 1e-13, .stops = {0.4}};
  const auto list = list_of({.times = {8.5}, .terminal = true});
  const auto loss = [](const auto& y, const auto&, const auto& times) { return times[0] * y[1]; };
  const auto r = value_and_gradient(q, tsit5{}, o, list, loss);
  const double at = std::log(2 / level) / k;
  REQUIRE(r.gradient);
  CHECK(*r.value == near(at * level / 2));
  CHECK(r.gradient->y0[0] == near(level / (4 * k) - at * level / 4));
  CHECK(r.gradient->y0[1] == near(at * level / 2));
  CHECK(r.gradient->p[0] == near(-at / k * level / 2));
  CHECK(r.gradient->times[3] == std::vector{0.0});  // behind the end

  using along = tangents<state, parameters>;
  const along a{.y0 = {1, 0, 0.5, 0}, .p = {0.1, -2, 0}, .t0 = 0.4, .stops = {0.3}},
      b{.y0 = {0, 1, -1, 0}, .p = {1, 1, 1}, .times = {{}, {}, {}, {2}, {}}};
  const auto both = solve(q, tsit5{}, o, list, std::array{a, b});
  for (std::size_t i = 0; i < 2; ++i) {
    const auto alone = solve(q, tsit5{}, o, list, i == 0 ? a : b);
    CHECK(both.y_dot[i] == alone.y_dot);
    CHECK(both.events_dot[0][i] == alone.events_dot[0]);
  }
}

TEST_CASE("misuse of derivatives through events is refused in words") {
  const problem q{flow{false}, state{1, 1, 1, 1}, 0.0, 3.0, vec{0.7, 1.25, 0.5}};
  const auto list = list_of({.timed = true});
  auto s = solve(q, tsit5{}, {}, list, recursive_checkpoint{});
  CHECK_THROWS_WITH_AS(s.pullback({.y = state{}, .events = {1, 2}}),
                       "2 cotangents for 1 events (one belongs to each) give as many, or none?",
                       std::invalid_argument);
  const tangents<state, parameters> along{.y0 = {}, .p = {}, .stops = {1, 2}};
  CHECK_THROWS_WITH_AS(solve(q, tsit5{}, {.stops = {1}}, list, along),
                       "2 tangents for 1 stops and discontinuities (one belongs to each) give as "
                       "many, or none?",
                       std::invalid_argument);
  const tangents<state, parameters> odd{.y0 = {}, .p = {}, .times = {{1}}};
  CHECK_THROWS_WITH_AS(
      solve(q, tsit5{}, {}, list, odd),
      "tangents of event times that are not those of the events (times[k] has one for each time "
      "in the list of event k) give as many, or none?",
      std::invalid_argument);
  using verlet = contract::stormer_verlet;
  CHECK_THROWS_WITH_AS(
      (validate_cuts<verlet, system<flow, state, parameters>, state>({}, {.stops = {1}}, false)),
      "derivatives with method stormer_verlet through stops or events (it cannot rebuild the state "
      "at the end of a step from its tape) leave them out, or choose a method such as tsit5?",
      std::invalid_argument);
}

}  // namespace revode
