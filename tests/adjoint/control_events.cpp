// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/problems/bouncing_ball.hpp>
#include <revode/solvers/tsit5.hpp>

#include "events_at_hand.hpp"

namespace revode {
namespace {

using namespace at_hand;
using two = vec<double, 2>;

const problem<driven, state, parameters> all_moves{driven{}, {0.5, 1.2}, 0, 4, {1.3, 0.2, 1.1}};
const tangents<state, parameters> way{.y0 = {0.7, -1.1}, .p = {0.4, 0.9, -0.6}};

/// The solve and its tangents by tsit5 at 1e-6, against those of tight steps.
template <class Events>
void compare(const Events& list, options o) {
  options tight = o;
  tight.rtol = tight.atol = 1e-12;
  o.rtol = o.atol = 1e-6;
  const auto right = solve(all_moves, tsit5{}, tight, list, way);
  const auto s = solve(all_moves, tsit5{}, o, list, control_gradient_error{way});
  REQUIRE(s.status == right.status);
  REQUIRE(s.events.size() == right.events.size());
  REQUIRE(s.events_dot.size() == right.events.size());
  for (std::size_t k = 0; k < s.events.size(); ++k) {
    CHECK(s.events[k].which == right.events[k].which);
    CHECK(std::abs(s.events[k].t - right.events[k].t) < 1e-5);
    CHECK(std::abs(s.events_dot[k] - right.events_dot[k]) < 1e-5);
  }
  REQUIRE(s.ys_dot.size() == right.ys_dot.size());
  for (int i = 0; i < 2; ++i) {
    CHECK(std::abs(s.y_dot[i] - right.y_dot[i]) < 1e-5);
    for (std::size_t j = 0; j < s.ys_dot.size(); ++j)
      CHECK(std::abs(s.ys_dot[j][i] - right.ys_dot[j][i]) < 1e-5);
  }
  const auto loss = [](const auto& y, const auto& ys, const auto& times) {
    return y[0] + 2 * y[1] + ys[1][0] * ys[2][1] + times[0] * times.back();
  };
  const auto exact = value_and_gradient(all_moves, tsit5{}, tight, list, loss);
  const auto r = value_and_gradient(all_moves, tsit5{}, o, list, loss, control_gradient_error{way});
  REQUIRE(r.gradient->status == status::success);
  CHECK(r.gradient->reverse.pulled_steps == r.solution.stats.accepted);
  CHECK(r.gradient->reverse.log_bytes >= 8 * r.solution.stats.accepted);
  CHECK(std::abs(*r.value - *exact.value) < 1e-5);
  const auto along = [](const auto& g) { return dot(g.y0, way.y0) + dot(g.p, way.p); };
  CHECK(std::abs(along(*r.gradient) - along(*exact.gradient)) < 1e-4);
}

/// Ends the solve, where the kick happens as well, and moves parameters there.
struct last_kick : kick {
  static constexpr bool terminal = true;
};

}  // namespace

TEST_CASE("control_gradient_error: events that move state, parameters and times, and save points") {
  const save_at points{.t0 = true, .ts = {1.1, 3.3}, .t1 = true};
  compare(events(kick{}, dose{}, scaling{{0.4, 2.6}}),
          {.stops = {1.5}, .discontinuities = {2}, .save = points});
}

TEST_CASE("control_gradient_error: an end by events, two at one time") {
  compare(events(dose{}, kick{}, last_kick{}),
          {.save = {.t0 = true, .ts = {0.1, 0.2}, .t1 = true}});
}

TEST_CASE("control_gradient_error: bounces, by closed form, along random directions") {
  const bouncing_ball ball;
  const problem<bouncing_ball, two, two> q{ball, ball.y0(), 0, 2.4, ball.parameters()};
  const double g = q.p[0], r = q.p[1];
  const tangents<two, two> of_gravity{.y0 = {}, .p = {1, 0}};
  const auto s =
      solve(q, tsit5{}, {.save = {.every = 1}}, ball.events(), control_gradient_error{of_gravity});
  REQUIRE(s.events.size() == 4);
  std::size_t at = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(std::abs(s.events_dot[k] + ball.bounce_time(int(k)) / (2 * g)) < 1e-11);
    while (at < s.ts.size() && s.ts[at] != s.events[k].t) ++at;
    REQUIRE(at < s.ts.size());
    CHECK(std::abs(s.ys_dot[at][0]) < 1e-11);  // the height stays 0 as the bounce moves
  }
  // v = r⁴ √(2g) − g (t1 − t₃)
  const double last = ball.bounce_time(3), of_last = std::sqrt(2 / g) * 2 * (1 + 2 * r + 3 * r * r);
  const auto speed = [](const auto& y) { return y[1]; };
  const auto v = value_and_gradient(q, tsit5{}, {}, ball.events(), speed,
                                    control_gradient_error{random_directions{}});
  CHECK(std::abs(v.gradient->p[0] - (r * r * r * r / std::sqrt(2 * g) - (2.4 - last) - last / 2)) <
        1e-10);
  CHECK(std::abs(v.gradient->p[1] - (4 * r * r * r * std::sqrt(2 * g) + g * of_last)) < 1e-9);
  CHECK(std::abs(s.y_dot[1] - v.gradient->p[0]) < 1e-10);
}

TEST_CASE("control_gradient_error: a listed time of an event that moves is refused") {
  tangents<state, parameters> moving = way;
  moving.times = {{0.0, 1.0}};
  std::string text;
  try {
    solve(all_moves, tsit5{}, {}, events(scaling{{0.4, 2.6}}), control_gradient_error{moving});
  } catch (const std::invalid_argument& refused) {
    text = refused.what();
  }
  CHECK(text ==
        "control_gradient_error with a listed time of an event that moves (they stand still for "
        "it) leave tangents::times at 0, or push the tangents alone?");
}

}  // namespace revode
