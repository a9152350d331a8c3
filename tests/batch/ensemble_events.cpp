// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/batch/ensemble_events.hpp>
#include <revode/solvers/tsit5.hpp>

#include "event_checks.hpp"
#include "lanes.hpp"

namespace revode {
namespace {

using body = vec<double, 2>;

struct falling {  // y = (height, speed), p = (gravity, restitution)
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    if (t > 0.5 && p[1] < 0) throw std::runtime_error("a lane that throws");
    dy[0] = y[1];
    dy[1] = -p[0];
  }
};
struct bounce {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[1] = -p[1] * y[1];
  }
};
struct kick {  // at times of its own
  std::vector<double> times;
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P&, Y& y_new) const {
    y_new[1] = y[1] + 1;
  }
};
struct carried {  // falls to the height, stays there and weighs nothing
  static constexpr auto direction = crossing::falling;
  double height;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0] - height;
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y&, const P&, Y& y_new, P& p_new) const {
    y_new[1] = 0;
    p_new[0] = 0;
  }
};
struct out_of_sight {
  static constexpr bool terminal = true;
  template <class T, class Y, class P>
  T condition(const T& t, const Y& y, const P& p) const {
    if (t > 1.5 && p[0] > 9.7) return T(std::numeric_limits<double>::quiet_NaN());
    return y[0] - 1.22;
  }
};

ensemble<falling, body, body> balls(index lanes) {
  ensemble<falling, body, body> e{.t1 = {2.5}, .p = {}};
  for (index l = 0; l < lanes; ++l) {
    const double x = static_cast<double>(l) / static_cast<double>(lanes);
    e.y0.push_back({1 + 0.2 * x, 0.0});
    e.p.push_back({9.81 - x, 0.6 + 0.3 * x});
    e.save_ts.push_back({0.3 + x, 1.2 + x});
    e.cost.push_back(x);
  }
  return e;
}
auto happenings(index lanes) {
  std::vector<decltype(events(bounce{}, kick{}, out_of_sight{}))> each;
  for (index l = 0; l < lanes; ++l)
    each.push_back(events(bounce{}, kick{{0.1 * static_cast<double>(l % 7), 1.0}}, out_of_sight{}));
  return each;
}

void as_in_single_solves(int samples) {
  CAPTURE(samples);
  const index lanes = 30;
  const options o{.event_samples = samples};
  const auto e = balls(lanes);
  const auto each = happenings(lanes);
  const auto s = solve(e, tsit5{}, o, each, place{});
  index ended_early = 0, bounces = 0;
  for (index l = 0; l < lanes; ++l) {
    CAPTURE(l);
    CHECK(same_as_alone(s, l,
                        solve(problem_of(e, l), tsit5{}, options_of(e, o, l), of_lane(each, l))));
    ended_early += s.status[static_cast<std::size_t>(l)] == status::terminal_event;
    for (const auto& at : s.events[static_cast<std::size_t>(l)]) bounces += at.which == 0;
  }
  CHECK(ended_early > 0);
  CHECK(s.status[1] == status::event_not_resolved);  // its condition is no number
  CHECK(s.t[1] <= 1.5);
  CHECK(s.t[5] > 1.5);
  CHECK(ended_early < lanes);
  CHECK(bounces > 2 * lanes);
}
TEST_CASE("ensemble events: bounces, kicks at times of each lane, and ends, as in a single solve") {
  for (const int samples : {options{}.event_samples, 1, 7}) as_in_single_solves(samples);
}

TEST_CASE("ensemble events: one list for all; a lane that throws ends alone") {
  auto e = balls(10);
  e.p[4][1] = -1;
  const auto list = events(bounce{}, kick{{0.2}}, out_of_sight{});
  std::vector<body> ends(10);
  CHECK_THROWS_AS(for_each_lane_alone(
                      e, {},
                      [&](index l, const auto& q, const options& of) {
                        ends[static_cast<std::size_t>(l)] = solve(q, tsit5{}, of, list).y;
                      },
                      place{}),
                  std::runtime_error);
  CHECK_THROWS_AS(solve(e, tsit5{}, {}, list, place{}), std::runtime_error);
  e.p[4][1] = 0.7;
  const auto s = solve(e, tsit5{}, {}, list, place{});
  for (std::size_t l = 0; l < 10; ++l) CHECK((ends[l] == s.y[l]) == (l != 4));
}

TEST_CASE("ensemble events: options that lanes side by side are without") {
  const auto e = balls(12);
  const auto each = happenings(12);
  const options o{.min_step = 1e-6,
                  .step_rounding = rounding::bits24,
                  .stops = {0.7},
                  .discontinuities = {0.9},
                  .save = {.t0 = true, .t1 = true, .every = 4}};
  auto points = e;
  points.save_ts.clear();
  const auto s = solve(points, tsit5{}, o, each, place{});
  for (index l = 0; l < 12; ++l)
    CHECK(same_as_alone(s, l, solve(problem_of(points, l), tsit5{}, o, of_lane(each, l))));
}

TEST_CASE("ensemble events: bounces that accumulate and bodies at rest, as in a single solve") {
  ensemble<falling, body, body> e{.t1 = {30.0}, .p = {}};
  std::vector<decltype(events(bounce{}, carried{}))> each;
  for (index l = 0; l < 24; ++l) {
    e.y0.push_back({1 + 0.01 * static_cast<double>(l % 5), 0.0});
    e.p.push_back({9.81, l % 8 == 0 ? 0.0 : 0.1 * static_cast<double>(l % 10)});
    each.push_back(events(bounce{}, carried{l % 4 == 0 ? 0.5 : -1e9}));
  }
  const auto s = solve(e, tsit5{}, {}, each, place{});
  index carried_on = 0;
  for (index l = 0; l < 24; ++l) {
    const auto at = static_cast<std::size_t>(l);
    CHECK(same_as_alone(s, l,
                        solve(problem_of(e, l), tsit5{}, options_of(e, {}, l), of_lane(each, l))));
    carried_on += s.status[at] == status::success;
    CHECK((s.status[at] == status::success || s.status[at] == status::event_not_resolved));
    CHECK(s.y[at][0] > -1e-12);
  }
  CHECK(carried_on == 6);  // at 1/2 their weight is taken off, and they stay there
}

struct touch {  // the surface of bounce, from either side and without a jump
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
};
TEST_CASE(
    "ensemble events: two on one surface evaluate the field there once, as in a single solve") {
  ensemble<falling, body, body> e{.t1 = {2.0}, .p = {}};
  for (index l = 0; l < 9; ++l) {
    e.y0.push_back({0, 3 + 0.1 * static_cast<double>(l)});  // thrown from the surface
    e.p.push_back({9.81, 0.8});
  }
  const auto list = events(bounce{}, touch{});
  const auto s = solve(e, tsit5{}, {}, list, place{});
  for (index l = 0; l < 9; ++l) {
    CAPTURE(l);
    const auto alone = solve(problem_of(e, l), tsit5{}, options_of(e, {}, l), list);
    CHECK(same_as_alone(s, l, alone));
    CHECK(alone.events.size() >= 4);
    CHECK(alone.events[0].t == alone.events[1].t);
  }
}

TEST_CASE("ensemble events: misuse has a text") {
  const auto e = balls(5);
  CHECK(misuse_of([&] { solve(e, tsit5{}, {}, happenings(3), place{}); }) ==
        "events with 3 elements in an ensemble of 5 lanes (each lane has its own, or all share "
        "one) give 5 of them, or 1?");
  auto each = happenings(5);
  std::get<1>(each[2].each).times[0] = std::numeric_limits<double>::infinity();
  CHECK(misuse_of([&] { solve(e, tsit5{}, {}, each, place{}); }).starts_with("lane 2: "));
}

}  // namespace
}  // namespace revode
