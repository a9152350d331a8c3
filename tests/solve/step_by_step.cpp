// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <revode/io/restart.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solve/step_by_step.hpp>
#include <revode/solve/step_lines.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

#include "event_models.hpp"

namespace revode {
namespace {

using state = vec<double, 3>;

const problem chaos{lorenz{}, state{1.0, 1.0, 20.0}, 0.0, 2.0, vec{10.0, 28.0, 8.0 / 3}};

/// At a given time the height grows by 1.
struct dose_at {
  std::array<double, 1> times;
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P&, Y& y_new) const {
    y_new[0] = y[0] + 1;
  }
};

template <class F>
std::string misuse_of(F&& f) {
  try {
    f();
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("steps by hand are those of solve, to the bit") {
  const auto s = solve(chaos, tsit5{}, {});
  step_by_step by_hand(chaos, tsit5{});
  index steps = 0;
  while (by_hand.step()) ++steps;
  CHECK(by_hand.finished());
  CHECK(by_hand.status() == status::success);
  CHECK(steps == s.stats.accepted);
  CHECK(by_hand.result().stats.rejected == s.stats.rejected);
  CHECK(by_hand.t() == 2.0);
  for (int i = 0; i < 3; ++i) CHECK(by_hand.y()[i] == s.y[i]);
  CHECK(!by_hand.step());
}

TEST_CASE("step_to ends a step exactly there, as a stop does, and dense output reaches into it") {
  const auto stopped = solve(chaos, tsit5{}, options{.stops = {0.5, 1.25}});
  step_by_step by_hand(chaos, tsit5{}, options{});
  CHECK(by_hand.step_to(0.5));
  CHECK(by_hand.t() == 0.5);
  CHECK(!by_hand.finished());
  CHECK(by_hand.step_to(0.5));
  CHECK(by_hand.step_to(1.25));
  const state here = by_hand.y(), same = by_hand.at(1.25);
  for (int i = 0; i < 3; ++i) CHECK(same[i] == doctest::Approx(here[i]).epsilon(1e-13));
  CHECK(by_hand.step_to(2.0));
  CHECK(by_hand.status() == status::success);
  CHECK(by_hand.finished());
  CHECK(by_hand.result().stats.accepted == stopped.stats.accepted);
  for (int i = 0; i < 3; ++i) CHECK(by_hand.y()[i] == stopped.y[i]);
}

TEST_CASE("step_to takes times one ulp apart, forwards and backwards in time") {
  for (const double end : {2.0, -0.1}) {
    problem q = chaos;
    q.t1 = end;
    step_by_step by_hand(q, tsit5{}, options{});
    double t = end / 4;
    REQUIRE(by_hand.step_to(t));
    const double h = by_hand.h();
    for (int k = 0; k < 100; ++k) {
      t = std::nextafter(t, end);
      REQUIRE(by_hand.step_to(t));
      REQUIRE(by_hand.t() == t);
    }
    CHECK(std::abs(by_hand.h()) >= 0.9 * std::abs(h));
    CHECK(by_hand.step_to(end));
    CHECK(by_hand.result().stats.accepted < 2000);
  }
}

TEST_CASE("a state set between two steps is where the solve goes on, its field's slope included") {
  const problem decay{[](auto, const auto& y, const auto& p, auto& dy) { dy[0] = -p[0] * y[0]; },
                      vec{1.0}, 0.0, 2.0, vec{0.5}};
  step_by_step s(decay, tsit5{}, options{.rtol = 1e-10, .atol = 1e-12});
  s.step_to(1);
  CHECK(s.y()[0] == doctest::Approx(std::exp(-0.5)).epsilon(1e-9));
  s.set_state(vec{3.0});
  s.step_to(1.5);
  CHECK(s.y()[0] == doctest::Approx(3 * std::exp(-0.25)).epsilon(1e-9));
  s.set_parameters(vec{-2.0});
  s.set_h(1e-3);
  s.step_to(2);
  CHECK(s.y()[0] == doctest::Approx(3 * std::exp(-0.25 + 1)).epsilon(1e-9));
}

/// Behind y = 1/e the rate is three times as large.
struct rate_rises {
  static constexpr bool passes = true;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0] - std::exp(-1.0);
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y&, const P& p, Y&, P& p_new) const {
    p_new[0] = 3 * p[0];
  }
};
template <class M>
void check_within_the_last_step(const M& m) {
  CAPTURE(M::name);
  const problem decay{[](auto, const auto& y, const auto& p, auto& dy) { dy[0] = -p[0] * y[0]; },
                      vec{1.0}, 0.0, 2.0, vec{1.0}};
  step_by_step s(decay, m, options{.rtol = 1e-9, .atol = 1e-11}, events(rate_rises{}));
  double from = 0;
  while (s.result().events.empty()) {
    from = s.t();
    REQUIRE(s.step());
  }
  const double to = s.t(), half = 0.5 * (from + to);
  CHECK(s.at(half)[0] == doctest::Approx(std::exp(-half)).epsilon(1e-8));
  CHECK(s.at(to)[0] == doctest::Approx(std::exp(-to)).epsilon(1e-8));
  CHECK(misuse_of([&] { s.at(to + 0.01 * (to - from)); }).starts_with("time "));
  CHECK(s.step());
  const double behind = 0.5 * (to + s.t());
  CHECK(s.at(behind)[0] == doctest::Approx(std::exp(-1 - 3 * (behind - 1))).epsilon(1e-8));
  const double rate = 0.5, start = s.t(), y = s.y()[0];
  s.set_parameters(vec{rate});
  CHECK(misuse_of([&] { s.at(behind); }).starts_with("time "));
  CHECK(s.step());
  const double later = 0.5 * (start + s.t());
  CHECK(s.at(later)[0] == doctest::Approx(y * std::exp(-rate * (later - start))).epsilon(1e-8));
  CHECK(s.step_to(2.0));
  CHECK(s.y()[0] == doctest::Approx(y * std::exp(-rate * (2 - start))).epsilon(1e-8));
}

TEST_CASE("the last step's solution is that of its parameters, up to an event, never behind t()") {
  check_within_the_last_step(tsit5{});
  check_within_the_last_step(vern7{});
  check_within_the_last_step(dop853{});
}

TEST_CASE("equal steps by hand are cut where asked and go on on their grid") {
  problem q = chaos;
  q.t1 = 0.25;
  step_by_step s(q, rk4{}, options{.fixed_step = 0.0625});
  std::vector<double> ends;
  s.step_to(0.09375);
  while (s.step()) ends.push_back(s.t());
  CHECK(ends == std::vector{0.125, 0.1875, 0.25});
  step_by_step on_grid(q, rk4{}, options{.fixed_step = 0.0625});
  on_grid.step_to(0.0625);
  CHECK(on_grid.step());
  CHECK(on_grid.t() == 0.125);
}

TEST_CASE("what cannot be stepped to is refused, and trouble ends with a status") {
  step_by_step s(chaos, tsit5{}, options{});
  s.step_to(1);
  CHECK(misuse_of([&] { s.step_to(0.5); }) ==
        "step_to 0.5 from t = 1 (that lies behind, and steps are not undone) begin "
        "another solve?");
  CHECK(misuse_of([&] { s.step_to(3); }) ==
        "step_to 3 outside the interval (it runs from 0 to 2) move t1?");
  CHECK(misuse_of([&] { s.step_to(std::numeric_limits<double>::quiet_NaN()); }) ==
        "step_to nan outside the interval (it runs from 0 to 2) move t1?");
  CHECK(misuse_of([&] { s.set_h(-1); }) ==
        "step length -1 (a step goes from t0 towards t1) give it the sign of t1 - t0?");
  CHECK(misuse_of([&] { s.at(0.0); }) ==
        "time 0 outside the last step (dense output is its) ask between its start and t(), "
        "before the state is set?");
  CHECK(misuse_of([] { step_by_step(chaos, tsit5{}, options{.save = {.t1 = true}}); }) ==
        "save points in a solve by hand (its steps are the caller's to keep) leave options::save "
        "empty, and use at(t)?");
  options kept;
  kept.restart = kept_in({.file = "by_hand.kept"});
  CHECK(misuse_of([&] { step_by_step(chaos, tsit5{}, kept); }) ==
        "options::restart in a solve by hand (what it does between steps is the caller's) leave it "
        "out, and keep t(), y() and the parameters?");
  CHECK(misuse_of([&] {
          s.set_state(state{1, std::nan(""), 20});
        }) == "y0[1] = nan (a solve starts from numbers) give that element a value?");
  s.set_state(state{1, 1, 20});
  CHECK(misuse_of([&] { s.at(1.0); }) ==
        "time 1 outside the last step (dense output is its) ask between its start and t(), "
        "before the state is set?");
  s.step_to(2);
  CHECK(misuse_of([&] {
          s.set_state(state{1, 1, 20});
        }) ==
        "a state or parameters at t = 2, where the solve has ended (success) begin another "
        "from there?");
  step_by_step few(chaos, tsit5{}, options{.max_steps = 3});
  CHECK(!few.step_to(1.5));
  CHECK(few.status() == status::max_steps);
  CHECK(!few.step_to(1.6));
}

TEST_CASE("events and trouble on the way to a time: a status, never a hang") {
  const problem ball{falling_ball{}, vec{1.0, 0.0}, 0.0, 2.0, vec{9.81, 0.5}};
  step_by_step s(ball, tsit5{}, options{}, events(bounce{}));
  const double impact = std::sqrt(2 / 9.81);
  CHECK(s.step_to(impact + 0.1));
  REQUIRE(s.result().events.size() == 1);
  CHECK(s.result().events[0].t == doctest::Approx(impact).epsilon(1e-9));
  CHECK(s.y()[1] == doctest::Approx(0.5 * 9.81 * impact - 0.981).epsilon(1e-7));
  s.set_state(vec{0.0, 0.0});  // on the surface and at rest: it falls through, and stays below
  s.step_to(2.0);
  CHECK(s.finished());
  // bounces accumulate before t = 1.5
  step_by_step all(ball, tsit5{}, options{}, events(bounce{}));
  CHECK(!all.step_to(1.9));
  CHECK(all.status() == status::event_not_resolved);
  // an event and a stop exactly where a pause is
  step_by_step both(ball, tsit5{}, options{.stops = {0.25}}, events(dose_at{0.25}));
  CHECK(both.step_to(0.25));
  CHECK(both.y()[0] == doctest::Approx(2 - 0.5 * 9.81 * 0.0625));
  CHECK(both.step_to(2.0));
  CHECK(both.result().events.size() == 1);
  // t huge against the step, where the next number is 16384 away
  const problem far{falling_ball{}, vec{1.0, 0.0}, 1e20, 1e20 + 1e6, vec{0.0, 1.0}};
  step_by_step short_steps(far, tsit5{}, options{});
  CHECK(!short_steps.step_to(1e20 + 32768));
  CHECK(short_steps.status() == status::step_underflow);
  step_by_step long_steps(far, tsit5{}, options{.first_step = 1e5});
  CHECK(long_steps.step_to(1e20 + 32768));
  CHECK(long_steps.t() == 1e20 + 32768);
  CHECK(long_steps.step_to(1e20 + 49152));
}

TEST_CASE("a given grid is where the steps end, for methods with and without an estimate") {
  const std::vector<double> grid{0, 0.01, 0.03, 0.05, 0.0500001, 0.1};
  problem q = chaos;
  q.t1 = 0.1;
  for (const bool stop : {false, true}) {
    step_by_step s(q, rk4{}, options{.grid = grid});
    if (stop) s.step_to(0.04);
    std::vector<double> ends;
    while (s.step()) ends.push_back(s.t());
    CHECK(ends == std::vector<double>(grid.begin() + (stop ? 3 : 1), grid.end()));
  }
  std::vector<double> equal(65);
  for (std::size_t k = 0; k < 65; ++k) equal[k] = double(k) / 32;
  const auto a = solve(chaos, rk4{}, options{.grid = equal});
  const auto b = solve(chaos, rk4{}, options{.fixed_step = 1.0 / 32});
  for (int i = 0; i < 3; ++i) CHECK(a.y[i] == b.y[i]);
  CHECK(solve(chaos, tsit5{}, options{.grid = equal}).stats.accepted == 64);
}

TEST_CASE("a grid that is none is refused") {
  const auto refusal = [](std::vector<double> grid, double fixed = 0) {
    return misuse_of([&] { solve(chaos, rk4{}, options{.fixed_step = fixed, .grid = grid}); });
  };
  CHECK(refusal({0, 1}) ==
        "grid from 0 to 1 (the interval runs from 0 to 2) let it begin with t0 and end with t1?");
  CHECK(refusal({0, 1, 1, 2}) ==
        "grid time 1 after 1 (every step has a length, from t0 towards t1) sort the grid, without "
        "repetitions?");
  CHECK(refusal({0, 2}, 0.5) ==
        "a grid of 2 times with fixed_step 0.5 (each says where steps end) give one of the two?");
}

TEST_CASE("every attempt is a line of JSON") {
  std::ostringstream lines;
  const options o{.rtol = 1e-3, .first_step = 1};
  const auto s = solve(chaos, tsit5{}, o, events(step_lines{lines}));
  const auto count = [](const std::string& text, const std::string& what) {
    index n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  CHECK(count(lines.str(), "\"accepted\":true") == s.stats.accepted);
  CHECK(count(lines.str(), "\"accepted\":false") == s.stats.rejected);
  CHECK(s.stats.rejected > 0);
  CHECK(lines.str().starts_with("{\"t\":0,\"h\":1,\"error\":"));
  CHECK(json_line({0.25, 0.375, 0.5, true, status::success}) ==
        "{\"t\":0.25,\"h\":0.125,\"error\":0.5,\"accepted\":true,\"status\":\"success\"}\n");
  CHECK(json_line({0, 1, HUGE_VAL, false, status::newton_failure}) ==
        "{\"t\":0,\"h\":1,\"error\":null,\"accepted\":false,\"status\":\"newton_failure\"}\n");
}

}  // namespace revode
