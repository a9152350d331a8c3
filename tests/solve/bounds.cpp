// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solve/step_by_step.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

#include "event_models.hpp"

// The longest step, tolerances without a scale, and states that are none.

namespace revode {
namespace {

using state = vec<double, 2>;
const double nan = std::numeric_limits<double>::quiet_NaN();

/// The longest step of a solve, as differences of its times.
struct longest {
  double* most;
  double* last;
  template <class Y, class P>
  bool after_step(double t, const Y&, const P&) const {
    *most = std::fmax(*most, std::abs(t - *last));
    *last = t;
    return false;
  }
};
template <class M>
double longest_step(const M& m, const options& o, double t0 = 0, double t1 = 10) {
  const problem<turning, state, state> q{{}, {1, 0}, t0, t1, {}};
  double most = 0, last = t0;
  const auto s = solve(q, m, o, events(longest{&most, &last}));
  CHECK(s.status == status::success);
  CHECK(last == t1);
  CHECK(s.stats.accepted <= std::ceil(std::abs(t1 - t0) / o.max_step) + 8);
  return most;
}
template <class Solve>
std::string refusal(Solve&& solve_it) {
  try {
    solve_it();
  } catch (const std::invalid_argument& misuse) {
    return misuse.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("no step is longer than max_step, by no rounding and by no stretch") {
  for (const double most : {0.1, 0.07, 1.0 / 3, 0.996, 9.95, 0.0311}) {
    const options o{.rtol = 0.1, .atol = 0.1, .max_step = most};
    CHECK(longest_step(tsit5{}, o) <= most);
    CHECK(longest_step(rodas5p{}, o) <= most);
    CHECK(longest_step(esdirk547{}, o) <= most);
    CHECK(longest_step(tsit5{}, o, 1e6, 1e6 + 10) <= most);
    CHECK(longest_step(tsit5{}, o, 7, -3) <= most);
    for (const rounding to : {rounding::bits24, rounding::octave16}) {
      options coarse = o;
      coarse.step_rounding = to;
      const problem<turning, state, state> q{{}, {1, 0}, 0, 10, {}};
      double longest_of = 0, last = 0;
      solve(q, tsit5{}, coarse, events(longest{&longest_of, &last}));
      CHECK(longest_of <= most);
    }
  }
}

TEST_CASE("a step that the end stretches above max_step is halved, rounded or not") {
  const problem<turning, state, state> q{{}, {1, 0}, 0, 1.005, {}};
  for (const rounding to : {rounding::none, rounding::bits24, rounding::octave16}) {
    stepper<tsit5, turning, state, state> loop(
        q, tsit5{}, {.rtol = 1, .atol = 1, .first_step = 1, .max_step = 1, .step_rounding = to});
    loop.step(loop.work_tape());
    CHECK(loop.time() <= 0.5025);
    CHECK(loop.time() == doctest::Approx(0.5025).epsilon(to == rounding::octave16 ? 0.045 : 1e-6));
  }
}

TEST_CASE("a bound that falls at the end, at stops and at pauses: the same steps in every replay") {
  const problem<turning, state, state> q{{}, {1, 0}, 0, 1, {}};
  for (const double most : {0.0995, 0.1, 0.333}) {
    options o{.rtol = 0.1, .atol = 0.1, .max_step = most, .stops = {0.201, 0.4}};
    double longest_of = 0, last = 0;
    solve(q, tsit5{}, o, events(longest{&longest_of, &last}));
    CHECK(longest_of <= most);
    const cotangents<state> w{.y = state{1, 2}};
    for (const rounding to : {rounding::none, rounding::bits24, rounding::octave16}) {
      o.step_rounding = to;
      const auto expected =
          solve(q, tsit5{}, o, recursive_checkpoint{.schedule = schedule_kind::store_all})
              .pullback(w);
      for (const step_replay log : {step_replay::steps, step_replay::controller})
        CHECK(solve(q, tsit5{}, o, recursive_checkpoint{.slots = 2, .log = log}).pullback(w).y0 ==
              expected.y0);
    }
    o.step_rounding = rounding::none;
    step_by_step by_hand(q, tsit5{}, options{.rtol = 0.1, .atol = 0.1, .max_step = most});
    double from = 0;
    by_hand.set_h(0.9);
    while (by_hand.step()) {
      CHECK(by_hand.t() - from <= most);
      from = by_hand.t();
    }
  }
}

TEST_CASE("grids with steps above max_step are refused") {
  const problem<turning, state, state> q{{}, {1, 0}, 0, 1, {}};
  CHECK(refusal([&] { solve(q, rk4{}, {.fixed_step = 0.2, .max_step = 0.1}); }) ==
        "fixed_step 0.2 above max_step 0.1 (no step is longer than that) leave max_step out?");
  CHECK(refusal([&] {
          solve(q, rk4{}, {.grid = {0, 0.5, 1}, .max_step = 0.4});
        }) ==
        "grid times 0 and 0.5 with max_step 0.4 (no step is longer than that) leave max_step out?");
  CHECK(refusal([&] { solve(q, rk4{}, {.fixed_step = 0.1, .max_step = 0.1}); }) == "accepted");
  options o{.grid = {0, 0.5, 1, 7}, .max_step = 0.5};
  o.grid.pop_back();  // what lies behind the last time is no part of the grid
  CHECK(refusal([&] { solve(q, rk4{}, o); }) == "accepted");
}

TEST_CASE("a component that stays 0 with atol = 0 has no scale, and the status says so") {
  const problem<decaying, state, vec<double, 1>> q{{}, {1, 0}, 0, 1, {1}};
  const auto explicitly = solve(q, tsit5{}, {.atol = 0}),
             implicitly = solve(q, rodas5p{}, {.atol = 0});
  const auto by_newton = solve(q, esdirk547{}, {.atol = 0});
  for (const auto* s : {&explicitly, &implicitly, &by_newton}) {
    CHECK(s->status == status::no_error_scale);
    CHECK(s->t == 0);
    CHECK(s->y == state{1, 0});
  }
  CHECK(std::string(explain(status::no_error_scale)).find("absolute tolerance") !=
        std::string::npos);
  CHECK(solve(q, tsit5{}, {.norm = {.atol = {1e-9, 0}}}).status == status::no_error_scale);
  // nor has one of which rtol allows no normal number
  const problem<decaying, state, vec<double, 1>> tiny{{}, {1, 1e-305}, 0, 1, {1}};
  CHECK(solve(tiny, tsit5{}, {.atol = 0}).status == status::no_error_scale);
  CHECK(solve(tiny, rodas5p{}, {.atol = 0}).status == status::no_error_scale);
  // a component that leaves 0 at once has one, and an atol, or one for each, gives one
  const problem<turning, state, state> leaves{{}, {1, 0}, 0, 1, {}};
  CHECK(solve(leaves, tsit5{}, {.atol = 0}).status == status::success);
  CHECK(solve(q, tsit5{}, {.atol = 1e-300}).status == status::success);
  CHECK(solve(q, tsit5{}, {.atol = 0, .norm = {.atol = {0, 1e-9}}}).status == status::success);
}

TEST_CASE("an initial state that is no number is misuse, before any call of the field") {
  const std::string text = "y0[1] = nan (a solve starts from numbers) give that element a value?";
  const problem<turning, state, state> q{{}, {1, nan}, 0, 1, {}};
  const problem<turning, std::vector<double>, state> list{{}, {1, nan}, 0, 0, {}};
  const problem<turning, vec<float, 2>, vec<float, 2>> small{{}, {1, std::nanf("")}, 0, 1, {}};
  CHECK(refusal([&] { solve(q, tsit5{}); }) == text);
  CHECK(refusal([&] { solve(q, rk4{}, {.fixed_step = 0.1}); }) == text);
  CHECK(refusal([&] { solve(q, rodas5p{}, {}, recursive_checkpoint{}); }) == text);
  CHECK(refusal([&] { solve(q, tsit5{}, {}, events(zero_of_first<crossing::both>{})); }) == text);
  CHECK(refusal([&] { step_by_step(q, tsit5{}); }) == text);
  CHECK(refusal([&] { solve(list, tsit5{}); }) == text);
  CHECK(refusal([&] { solve(small, tsit5{}); }) == text);
}

}  // namespace revode
