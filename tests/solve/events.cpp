// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../contract/stormer_verlet.hpp"
#include "event_models.hpp"

#include <revode/solve/solve.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

const double gravity = 9.81, restitution = 0.8, pi = std::acos(-1.0);

problem<falling_ball, vec<double, 2>, vec<double, 2>> ball(double until) {
  return {falling_ball{}, {1, 0}, 0, until, {gravity, restitution}};
}

/// When the ball dropped from 1 touches the ground for the n-th time, from 0 on.
double touch(int n) {
  const double first = std::sqrt(2 / gravity), share = std::pow(restitution, n);
  return first * (1 + 2 * restitution * (1 - share) / (1 - restitution));
}

/// The condition is NaN behind t = 0.5, or always.
struct broken_condition {
  double until;
  template <class T, class Y, class P>
  T condition(const T& t, const Y& y, const P&) const {
    return t > until ? y[0] * std::nan("") : y[0] + 5;
  }
};
/// A jump back onto the surface through which the solution goes.
struct thrown_back {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0] - 0.5;
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y&, const P&, Y& y_new) const {
    y_new[0] = 0.5 + 1e-17;
  }
};
struct reset {
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0] - 0.5;
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y&, const P&, Y& y_new, P& p_new) const {
    y_new[0] = 1;
    p_new[0] = 2 * p_new[0];
  }
};

}  // namespace

TEST_CASE("a ball bounces when it should, and a bounce costs one step") {
  const auto s = solve(ball(3), tsit5{}, {}, events(bounce{}));

  CHECK(s.status == status::success);
  REQUIRE(s.events.size() == 6);
  for (std::size_t n = 0; n < 6; ++n) {
    CHECK(s.events[n].t == doctest::Approx(touch(static_cast<int>(n))).epsilon(1e-13));
    CHECK(s.events[n].which == 0);
    CHECK(s.events[n].step == s.events[0].step + static_cast<index>(n));
  }
  const double left = 3 - touch(5), speed = std::pow(restitution, 6) * std::sqrt(2 * gravity);
  CHECK(s.y[0] == doctest::Approx(speed * left - gravity * left * left / 2).epsilon(1e-11));
  CHECK(s.y[1] == doctest::Approx(speed - gravity * left).epsilon(1e-11));
}

TEST_CASE("bounces that accumulate end the solve where they do") {
  const auto s = solve(ball(30), tsit5{}, {}, events(bounce{}));

  CHECK(s.status == status::event_not_resolved);
  CHECK(s.t == doctest::Approx(touch(10'000)).epsilon(1e-10));
  CHECK(s.stats.accepted < 300);
  CHECK(std::abs(s.y[0]) < 1e-12);
}

TEST_CASE("directions, and a start on the surface is no occurrence") {
  // sin t on [0, 10]: 0 at 0, falls through 0 at pi and 3 pi, rises at 2 pi
  const problem q{turning{}, vec{0.0, 1.0}, 0.0, 10.0};
  const options o{.rtol = 1e-10, .atol = 1e-10};
  const auto s = solve(q, tsit5{}, o,
                       events(zero_of_first<crossing::rising>{}, zero_of_first<crossing::falling>{},
                              zero_of_first<crossing::both>{}));
  const std::vector<int> which{1, 2, 0, 2, 1, 2};  // at one time in listed order
  REQUIRE(s.events.size() == 6);
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(s.events[k].which == which[k]);
    CHECK(s.events[k].t == doctest::Approx(pi * static_cast<double>(k / 2 + 1)).epsilon(1e-9));
  }
  // backwards, and events that change nothing change the solution by rounding alone
  const problem back{turning{}, vec{0.0, 1.0}, 0.0, -10.0};
  CHECK(solve(back, tsit5{}, o, events(zero_of_first<crossing::rising>{})).events.size() == 2);
  CHECK(s.y[0] == doctest::Approx(solve(q, tsit5{}, o).y[0]).epsilon(1e-9));
}

TEST_CASE("two roots between two samples are not seen, one in a sample shows both") {
  // above 0 from 0.3 to 0.4
  const problem q{falling_ball{}, vec{-0.06 * gravity, 0.35 * gravity}, 0.0, 1.0,
                  vec{gravity, 0.0}};
  const auto seen = [&](int samples) {
    return solve(q, rk4{}, {.fixed_step = 1, .event_samples = samples},
                 events(zero_of_first<crossing::both>{}))
        .events;
  };
  CHECK(seen(1).empty());
  CHECK(seen(4).empty());
  REQUIRE(seen(3).size() == 2);
  CHECK(seen(3)[0].t == doctest::Approx(0.3).epsilon(1e-14));
  CHECK(seen(3)[1].t == doctest::Approx(0.4).epsilon(1e-14));
}

TEST_CASE("a dose comes at its time, a terminal event ends the solve at its root") {
  const problem q{decaying{}, vec{1.0}, 0.0, 3.0, vec{0.7, 1.25, 0.5}};
  const options o{.rtol = 1e-10, .atol = 1e-12, .save = {.ts = {1.25, 2}, .t1 = true}};
  const auto s = solve(q, tsit5{}, o, events(dose{}));
  CHECK(s.y[0] == doctest::Approx(std::exp(-2.1) + 0.5 * std::exp(-0.7 * 1.75)).epsilon(1e-9));
  REQUIRE(s.events.size() == 1);
  CHECK(s.events[0].t == 1.25);
  CHECK(s.ys[0][0] == doctest::Approx(std::exp(-0.7 * 1.25)).epsilon(1e-9));  // the state before

  const problem short_of{decaying{}, vec{1.0}, 0.0, 3.0, vec{0.7, 0.3, 0.5}};
  const auto e = solve(short_of, tsit5{}, o, events(fallen{}));
  CHECK(e.status == status::terminal_event);
  CHECK(e.t == doctest::Approx(std::log(1 / 0.3) / 0.7).epsilon(1e-9));
  CHECK(e.y[0] == doctest::Approx(0.3).epsilon(1e-13));
  CHECK(e.ts == std::vector{1.25, e.t});  // 2 was not reached
}

TEST_CASE("events at t0 and t1 occur, those outside do not") {
  const auto at = [](double t) {
    const problem q{decaying{}, vec{1.0}, 0.0, 3.0, vec{0.7, t, 0.5}};
    return solve(q, tsit5{}, {.rtol = 1e-10, .save = {.t0 = true}}, events(dose{}));
  };
  CHECK(at(0).y[0] == doctest::Approx(1.5 * std::exp(-2.1)).epsilon(1e-8));
  CHECK(at(0).events[0].step == -1);
  CHECK(at(0).ys[0][0] == 1);
  CHECK(at(3).y[0] == doctest::Approx(std::exp(-2.1) + 0.5).epsilon(1e-8));
  CHECK(at(3).status == status::success);
  CHECK(at(3.5).events.empty());
  CHECK(at(-1).events.empty());
}

TEST_CASE("parameters that jump are others from there on") {
  // each time y falls to 1/2 it starts at 1 again and decays twice as fast
  const problem q{decaying{}, vec{1.0}, 0.0, 1.9 * std::log(2), vec{1.0, 0.0, 0.0}};
  const auto s = solve(q, tsit5{}, {.rtol = 1e-10, .atol = 1e-10}, events(reset{}));
  REQUIRE(s.events.size() == 4);  // at ln 2 (1, 3/2, 7/4, 15/8), then at 16 times the rate
  CHECK(s.events[3].t == doctest::Approx(std::log(2) * 15 / 8).epsilon(1e-9));
  CHECK(s.y[0] == doctest::Approx(std::exp(-16 * std::log(2) * (1.9 - 1.875))).epsilon(1e-8));
  CHECK(q.p[0] == 1);
}

TEST_CASE("events that cannot be resolved end with a status, never a hang") {
  const problem q{decaying{}, vec{1.0}, 0.0, 3.0, vec{0.7, 0.0, 0.0}};
  const auto late = solve(q, tsit5{}, {}, events(broken_condition{0.5}));
  CHECK(late.status == status::event_not_resolved);
  CHECK(late.t <= 0.5);
  const auto never = solve(q, tsit5{}, {}, events(broken_condition{-1}));
  CHECK(never.status == status::event_not_resolved);
  CHECK(never.t == 0);
  const auto back = solve(q, tsit5{}, {}, events(thrown_back{}));
  CHECK(back.status == status::event_not_resolved);
  CHECK(back.events.size() == 1);
  CHECK(back.y[0] == 0.5);
}

TEST_CASE("misuse of events is refused in words") {
  const problem q{decaying{}, vec{1.0}, 0.0, 3.0, vec{0.7, std::nan(""), 0.5}};
  CHECK_THROWS_WITH_AS(solve(q, tsit5{}, {}, events(dose{})),
                       "event 0 at time nan (a time is finite) give another one?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      solve(ball(1), contract::stormer_verlet{}, {.fixed_step = 0.1}, events(bounce{})),
      "method stormer_verlet with located events (it has no dense output to find them on) "
      "choose a method such as tsit5?",
      std::invalid_argument);
}

}  // namespace revode
