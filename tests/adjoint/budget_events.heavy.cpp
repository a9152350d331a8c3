// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "allocations.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// A ball; p: gravity and restitution. Its own vjp takes no memory.
struct falling {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy.data()[0] = y.data()[1];
    dy.data()[1] = -p.data()[0];
  }
  template <class T, class Y, class P>
  void vjp(const T&, const Y&, const P&, const Y& w, T&, Y& gy, P& gp) const {
    gy.data()[1] += w.data()[0];
    gp.data()[0] -= w.data()[1];
  }
};
struct bounce {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y.data()[0];
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new, P& p_new) const {
    y_new.data()[1] = -(p.data()[1] * y.data()[1]);
    p_new.data()[1] = 0.99 * p.data()[1];
  }
};
/// The method begins afresh at each of them.
struct marks {
  std::vector<double> times;
};

template <class Solve>
index least_budget(const Solve& solve_with) {
  try {
    solve_with(recursive_checkpoint{.budget = 0});
  } catch (const std::invalid_argument& misuse) {
    const std::string text = misuse.what(), at = "at least ";
    return std::stol(text.substr(text.find(at) + at.size()));
  }
  return 0;
}

/// One gradient for each budget: what it takes beyond its budget, at the most, and what of that is the
/// recordings of events, which no budget counts.
template <class Solve, class W>
void every_budget(const Solve& solve_with, const W& w, index most, index by, index recordings) {
  auto all = solve_with(recursive_checkpoint{});
  const auto expected = all.pullback(w);
  for (index budget = least_budget(solve_with); budget <= most; budget += by) {
    CAPTURE(budget);
    const auto before = allocations_now().live_bytes;
    watch_peak();
    auto s = solve_with(recursive_checkpoint{.budget = budget});
    const auto g = s.pullback(w);
    const index used = allocations_now().peak_bytes - before;
    CAPTURE(describe(s.plan()));
    REQUIRE(used <= budget + recordings);
    REQUIRE(g.reverse.peak_bytes <= budget);
    REQUIRE(g.y0 == expected.y0);
    REQUIRE(g.p == expected.p);
    REQUIRE(g.stops == expected.stops);
    REQUIRE(g.times == expected.times);
  }
}

template <class Y, class P>
void foresees(const Y& y0, const P& p) {
  const problem q{falling{}, y0, 0.0, 3.0, p};
  const Y w = y0;
  for (const double h : {0.01, 0.0}) {
    const options o{.rtol = 1e-6, .fixed_step = h, .max_step = 0.01, .stops = {0.7, 2.2}};
    std::vector<double> times;
    for (int k = 1; k < 50; ++k) times.push_back(0.03 * k);
    every_budget(
        [&](const recursive_checkpoint& a) {
          return solve(q, tsit5{}, o, events(marks{times}, marks{{1, 1, 1}}), a);
        },
        w, 60'000, 1'013, 0);
    every_budget(
        [&](const recursive_checkpoint& a) { return solve(q, tsit5{}, o, events(bounce{}), a); }, w,
        60'000, 1'013, 5'120);
  }
}

}  // namespace

TEST_CASE("a budget foresees stops and events, and gives the same bits") {
  foresees(vec{1., 0.3}, vec{9.81, 0.8});
  foresees(std::vector{1., 0.3}, std::vector{9.81, 0.8});
}

TEST_CASE("the log of events in bytes: of known times and occurrences, room for them or not") {
  const problem q{falling{}, vec{1., 0.3}, 0.0, 3.0, vec{9.81, 0.8}};
  const options o{.fixed_step = 0.01, .stops = {0.7, 2.2}};
  const auto log_bytes = [&](const recursive_checkpoint& a) {
    auto s = solve(q, tsit5{}, o, events(bounce{}), a);
    REQUIRE(s.events.size() == 6);
    return s.pullback(vec{1., 0.}).reverse.log_bytes;
  };
  // two known times of 40 bytes; of each possible occurrence a cut (72), an event (16), parameters (16)
  CHECK(log_bytes({.budget = 60'000, .events = 6}) == 2 * 40 + 8 * (72 + 16 + 16));
  CHECK(log_bytes({.budget = 60'000, .events = 100}) == 2 * 40 + 102 * (72 + 16 + 16));
  CHECK(log_bytes({.budget = 60'000, .events = 0}) >= 2 * 40 + 8 * (72 + 16 + 16));
  CHECK_THROWS_WITH_AS(log_bytes({.events = -1}),
                       "events = -1 (a number of occurrences is not negative) give one >= 0?",
                       std::invalid_argument);
}

}  // namespace revode
