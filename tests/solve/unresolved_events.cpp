// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "event_models.hpp"

#include <revode/solve/solve.hpp>
#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/dopri5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

// Events that recur at once, and jumps that do not lead away from their surface: never a solution on
// the wrong side of it.

namespace revode {
namespace {

const double gravity = 9.81;

/// When the bounces of a ball dropped from 1 accumulate.
double last_touch(double restitution) {
  return std::sqrt(2 / gravity) * (1 + 2 * restitution / (1 - restitution));
}
template <class T = double>
problem<falling_ball, vec<T, 2>, vec<T, 2>> ball(double restitution, double t0 = 0, double t1 = 30,
                                                 double height = 1) {
  const auto r = static_cast<T>(restitution), g = static_cast<T>(gravity);
  return {falling_ball{}, {static_cast<T>(height), 0}, t0, t1, {g, r}};
}
template <class M>
int below_the_floor(const M& m) {
  int wrong = 0;
  for (const double r : {0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.8, 0.9}) {
    const auto s = solve(ball(r), m, {}, events(bounce{}));
    const bool right = s.status == status::event_not_resolved && std::abs(s.y[0]) < 1e-13 &&
                       std::abs(s.t - last_touch(r)) < 1e-9 && s.stats.accepted < 400;
    CHECK_MESSAGE(right, name(s.status), " at ", s.t, " for restitution ", r, ", y = ", s.y[0]);
    wrong += !right;
  }
  return wrong;
}

/// The floor at a height of its own, seen from above or from both sides.
template <crossing Direction>
struct bounce_at : bounce {
  static constexpr auto direction = Direction;
  double floor;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0] - T(floor);
  }
};
/// On a floor that shakes.
struct bounce_on_shaking {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  T condition(const T& t, const Y& y, const P&) const {
    using std::sin;
    return y[0] - T(0.01) * sin(7 * t);
  }
  template <class T, class Y, class P>
  void jump(const T& t, const Y& y, const P& p, Y& y_new) const {
    using std::cos;
    const T floor = T(0.07) * cos(7 * t);
    y_new[1] = floor - p[1] * (y[1] - floor);
  }
};
/// Each bounce makes the next one weaker.
struct weakening : bounce {
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new, P& p_new) const {
    y_new[1] = -p[1] * y[1];
    p_new[1] = 0.9 * p[1];
  }
};
/// The ball stays, and the floor carries it: its field is another one from there on.
struct lies_down : bounce {
  template <class T, class Y, class P>
  void jump(const T&, const Y&, const P&, Y& y_new, P& p_new) const {
    y_new[1] = 0;
    p_new[0] = 0;
  }
};
struct lands : bounce {
  static constexpr bool terminal = true;
};
/// It passes the height 1/2 and is slowed down; Kick: it says that it goes on through.
template <bool Kick>
struct brake {
  static constexpr bool passes = Kick;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0] - 0.5;
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P&, Y& y_new) const {
    y_new[1] = 0.5 * y[1];
  }
};
/// Passing the height 1/2 changes gravity alone.
struct lighter_below {
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0] - 0.5;
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y&, const P&, Y&, P& p_new) const {
    p_new[0] = 1;
  }
};
/// At a time, the ball is light or heavy.
struct gravity_at {
  std::vector<double> times;
  double value;
  template <class T, class Y, class P>
  void jump(const T&, const Y&, const P&, Y&, P& p_new) const {
    p_new[0] = value;
  }
};

/// y = (x, z, x', z'); a wall a x + b z = 0.
struct thrown {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = 0;
    dy[3] = -p[0];
  }
};
struct wall {
  static constexpr auto direction = crossing::falling;
  double a, b;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return T(a) * y[0] + T(b) * y[1];
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    const T push = (1 + p[1]) * (T(a) * y[2] + T(b) * y[3]);
    y_new[2] = y[2] - push * T(a);
    y_new[3] = y[3] - push * T(b);
  }
};

}  // namespace

TEST_CASE("bounces that accumulate end where they do, for every restitution and method") {
  CHECK(below_the_floor(bosh3{}) == 0);
  CHECK(below_the_floor(tsit5{}) == 0);
  CHECK(below_the_floor(dopri5{}) == 0);
  CHECK(below_the_floor(rodas5p{}) == 0);
}

TEST_CASE("so they do backwards, late, at time 0, in float, and on floors that are high or shake") {
  for (const double r : {0.0, 0.2, 0.5, 0.8}) {
    CAPTURE(r);
    const auto unresolved = [](const auto& q, const auto& event, double floor, double near,
                               const options& o = {}) {
      const auto s = solve(q, tsit5{}, o, events(event));
      CHECK(s.status == status::event_not_resolved);
      CHECK(std::abs(static_cast<double>(s.y[0]) - floor) < near);
      CHECK(s.stats.accepted < 400);
      return s.t - q.t0;
    };
    const double end = last_touch(r);
    CHECK(unresolved(ball(r, 0, -30), bounce{}, 0, 1e-13) == doctest::Approx(-end));
    CHECK(unresolved(ball(r, 1e6, 1e6 + 30), bounce{}, 0, 1e-9) == doctest::Approx(end));
    CHECK(unresolved(ball(r, -end, 30), bounce{}, 0, 1e-13) == doctest::Approx(end));
    CHECK(unresolved(ball<float>(r), bounce{}, 0, 1e-6) == doctest::Approx(end).epsilon(1e-4));
    CHECK(unresolved(ball(r), bounce{}, 0, 1e-13, {.fixed_step = 0.25}) == doctest::Approx(end));
    const bounce_at<crossing::falling> high{{}, 1000};
    CHECK(unresolved(ball(r, 0, 30, 1001), high, 1000, 1e-9) == doctest::Approx(end).epsilon(1e-5));
    const bounce_at<crossing::falling> ten{{}, 10};
    CHECK(unresolved(ball<float>(r, 0, 30, 11), ten, 10, 1e-4, {.rtol = 1e-4, .atol = 1e-5}) ==
          doctest::Approx(end).epsilon(1e-2));
    const bounce_at<crossing::both> both{{}, 0};
    CHECK(unresolved(ball(r), both, 0, 1e-13) == doctest::Approx(end));
    unresolved(ball(r), bounce_on_shaking{}, 0, 0.01 + 1e-9);
  }
}

TEST_CASE("restitution above 1 that falls below it, and corners of two walls") {
  const auto s = solve(ball(1.3), tsit5{}, {}, events(weakening{}));
  CHECK(s.status == status::event_not_resolved);
  CHECK(std::abs(s.y[0]) < 1e-13);

  const problem in_corner{thrown{}, vec{1.0, 1.0, -1.0, 0.0}, 0.0, 30.0, vec{gravity, 0.5}};
  const auto c = solve(in_corner, tsit5{}, {}, events(wall{0, 1}, wall{1, 0}));
  CHECK(c.status == status::event_not_resolved);
  CHECK(c.y[0] > 0);
  CHECK(std::abs(c.y[1]) < 1e-13);
  const problem in_valley{thrown{}, vec{0.1, 1.0, 0.3, 0.0}, 0.0, 30.0, vec{gravity, 0.5}};
  const auto v = solve(in_valley, tsit5{}, {}, events(wall{0.6, 0.8}, wall{-0.6, 0.8}));
  CHECK(v.status == status::event_not_resolved);
  CHECK(0.8 * v.y[1] - 0.6 * std::abs(v.y[0]) > -1e-13);
  // both walls at one time: no corner is left out
  const double down = std::sqrt(2 / gravity);
  const problem at_once{thrown{}, vec{down, 1.0, -1.0, 0.0}, 0.0, 2.0, vec{gravity, 1.0}};
  const auto o = solve(at_once, tsit5{}, {}, events(wall{0, 1}, wall{1, 0}));
  CHECK(o.status == status::success);
  CHECK(o.y[0] == doctest::Approx(2 - down));
  CHECK(o.y[1] > 0);
}

TEST_CASE("a body at rest: not resolved, unless it is the end or its field is another one") {
  const auto rest = ball(0.0);
  CHECK(solve(rest, tsit5{}, {}, events(bounce{})).status == status::event_not_resolved);
  const auto end = solve(rest, tsit5{}, {}, events(lands{}));
  CHECK(end.status == status::terminal_event);
  CHECK(end.t == doctest::Approx(last_touch(0)).epsilon(1e-13));
  const auto lying = solve(rest, tsit5{}, {}, events(lies_down{}));
  CHECK(lying.status == status::success);
  CHECK(lying.t == 30);
  CHECK(std::abs(lying.y[0]) < 1e-13);
  CHECK(lying.y[1] == 0);
  // lifted at t = 2 it leaves the floor, and comes back; heavy again at t = 2 it would fall through it
  const auto lifted = solve(rest, tsit5{}, {}, events(lies_down{}, gravity_at{{2}, -1}));
  CHECK(lifted.y[0] == doctest::Approx(0.5 * 28 * 28));
  const auto heavy = solve(rest, tsit5{}, {}, events(lies_down{}, gravity_at{{2}, 1}));
  CHECK(heavy.status == status::event_not_resolved);
  CHECK(heavy.t >= 2);
  CHECK(std::abs(heavy.y[0]) < 1e-13);
}

TEST_CASE("a jump that leaves the state heading through the surface says so, or is not resolved") {
  const auto q = ball(0.0, 0, 0.5);
  const auto held = solve(q, tsit5{}, {}, events(brake<false>{}));
  CHECK(held.status == status::event_not_resolved);
  CHECK(held.t == doctest::Approx(std::sqrt(1 / gravity)));
  CHECK(held.events.size() == 1);
  const auto kicked = solve(q, tsit5{}, {}, events(brake<true>{}));
  CHECK(kicked.status == status::success);
  const double at = std::sqrt(1 / gravity), left = 0.5 - at;
  CHECK(kicked.y[0] ==
        doctest::Approx(0.5 - 0.5 * gravity * at * left - gravity * left * left / 2));
  // nor is a jump of parameters alone meant to lead away
  CHECK(solve(q, tsit5{}, {}, events(lighter_below{})).status == status::success);
}

}  // namespace revode
