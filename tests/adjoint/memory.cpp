// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../schedule/online_sweep.hpp"
#include "allocations.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/euler.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using dynamic = std::vector<double>;

/// Elements around a ring, each drawn to the one before it.
struct ring {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto n = static_cast<int>(y.size());
    for (int i = 0; i < n; ++i)
      dy.data()[i] = p.data()[0] * (y.data()[i > 0 ? i - 1 : n - 1] - y.data()[i]);
  }
  template <class T, class Y, class P>
  void vjp(const T&, const Y& y, const P& p, const Y& w, T&, Y& gy, P& gp) const {
    const auto n = static_cast<int>(y.size());
    for (int i = 0; i < n; ++i) {
      const int before = i > 0 ? i - 1 : n - 1;
      const T term = w.data()[i] * p.data()[0];
      gy.data()[before] += term;
      gy.data()[i] -= term;
      gp.data()[0] += w.data()[i] * (y.data()[before] - y.data()[i]);
    }
  }
};

/// The same without a vjp of its own.
struct recorded_ring {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    ring{}(t, y, p, dy);
  }
};

const vec<double, 3> small{1, 2, 3};
const dynamic large = [] {
  dynamic y(1000);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = 1 + static_cast<double>(i % 7);
  return y;
}();

/// Calls of operator new while act() runs.
template <class Act>
long allocations_of(Act&& act) {
  const long before = allocations_now().calls;
  act();
  return allocations_now().calls - before;
}

/// The same problem with n steps of 1/n, controlled (their error is far below 1). The bound on them is
/// a little above, since the sum of their times is rounded.
options steps(index n) {
  const double h = 1.0 / static_cast<double>(n);
  return {.rtol = 1e-3, .atol = 1e-3, .first_step = h, .max_step = h * (1 + 1e-9)};
}

template <class M, class F, class Y>
void as_often_for_few_steps_as_for_thousands(const Y& y0) {
  const problem q{F{}, y0, 0.0, 1.0, vec{0.5}};
  const auto of_solve = [&](index n) {
    return allocations_of([&] { REQUIRE(solve(q, M{}, steps(n)).stats.accepted == n); });
  };
  CHECK(of_solve(10) == of_solve(4000));

  // Slots are made when they are first used; up to 4,096 steps the log and the tapes are one block.
  // A mixed schedule is not here: it frees and takes single tapes as its units change hands.
  for (const recursive_checkpoint& adjoint :
       {recursive_checkpoint{.slots = 5, .schedule = schedule_kind::binomial},
        recursive_checkpoint{.slots = 5, .schedule = schedule_kind::online},
        recursive_checkpoint{.slots = 5, .log = step_replay::controller},
        recursive_checkpoint{.slots = 5, .schedule = schedule_kind::online_seeded},
        recursive_checkpoint{.slots = 5, .schedule = schedule_kind::wang_moin},
        recursive_checkpoint{.schedule = schedule_kind::store_all},
        recursive_checkpoint{.schedule = schedule_kind::nested, .base = 4}}) {
    rounding rounded_to{};
    const auto of_gradient = [&](index n) {
      options o = steps(n);
      o.step_rounding = rounded_to;
      o.max_steps = 4096;
      return allocations_of([&] {
        auto s = solve(q, M{}, o, adjoint);
        s.pullback(y0);
        s.pullback(y0);
      });
    };
    CAPTURE(name(adjoint.schedule.value_or(schedule_kind::online)));
    for (const auto to : {rounding::none, rounding::bits24, rounding::octave16}) {
      rounded_to = to;
      if (adjoint.schedule == schedule_kind::nested)
        CHECK(of_gradient(3900) <= of_gradient(200) + 60);
      else
        CHECK(of_gradient(3900) == of_gradient(200));
    }
  }
}

}  // namespace

TEST_CASE("no step allocates, forwards or backwards") {
  SUBCASE("fixed size") { as_often_for_few_steps_as_for_thousands<tsit5, ring>(small); }
  SUBCASE("dynamic") { as_often_for_few_steps_as_for_thousands<tsit5, ring>(dynamic{1, 2, 3}); }
  SUBCASE("recorded fields") {
    as_often_for_few_steps_as_for_thousands<tsit5, recorded_ring>(dynamic{1, 2, 3});
  }
  SUBCASE("no stage shared between steps") {
    as_often_for_few_steps_as_for_thousands<dop853, ring>(dynamic{1, 2, 3});
  }
}

TEST_CASE("save points allocate their states and nothing else") {
  const problem q{ring{}, small, 0.0, 1.0, vec{0.5}};
  const auto of = [&](int n) {
    options o = steps(100);
    for (int i = 0; i < n; ++i) o.save.ts.push_back(i / 1000.0);
    return allocations_of([&] { solve(q, tsit5{}, o); });
  };
  CHECK(of(1) == of(1000));
}

TEST_CASE("a forward solve keeps as much for a million steps as for ten") {
  const problem q{ring{}, large, 0.0, 1.0, vec{0.5}};
  const auto peak = [&](index n) {
    const auto before = allocations_now().live_bytes;
    watch_peak();
    solve(q, euler{}, {.fixed_step = 1.0 / static_cast<double>(n)});
    return allocations_now().peak_bytes - before;
  };
  CHECK(peak(10) == peak(1000));
}

TEST_CASE("a gradient keeps what its statistics say: the slots, one state's work, the log") {
  const index one_state = sizeof(snapshot<tsit5, dynamic>) + 8000;
  const index log = entry_blocks::block_entries * 8 + static_cast<index>(sizeof(void*));
  const problem q{ring{}, large, 0.0, 1.0, vec{0.5}};
  for (const index slots : {1, 2, 10, 50}) {
    CAPTURE(slots);
    const auto before = allocations_now().live_bytes;
    watch_peak();
    auto s = solve(q, tsit5{}, steps(300), recursive_checkpoint{.slots = slots});
    const auto g = s.pullback(large);
    const auto measured = allocations_now().peak_bytes - before;

    const reverse_statistics& r = g.reverse;
    CHECK(r.peak_states == slots);
    CHECK(r.snapshot_bytes == slots * one_state);
    CHECK(r.tape_bytes == 0);
    CHECK(r.log_bytes == log);
    // y, eight stages and new states, seeds, scratch and cotangents: about forty states
    CHECK(r.work_bytes < 48 * one_state);
    CHECK(r.peak_bytes == r.snapshot_bytes + r.log_bytes + r.work_bytes);
    // not in the statistics: the solution, the gradient returned; they are upper bounds
    CHECK(measured < r.peak_bytes + 4 * one_state);
    CHECK(measured > r.peak_bytes - 4 * one_state);
  }
}

TEST_CASE("a temporary problem is moved in, and counted in a budget") {
  const auto temporary = [] { return problem{ring{}, large, 0.0, 1.0, dynamic{0.5}}; };
  const problem named = temporary();
  const auto expected = solve(named, tsit5{}, {}, recursive_checkpoint{.slots = 2}).pullback(large);
  auto s = solve(temporary(), tsit5{}, {}, recursive_checkpoint{.slots = 2});
  const std::vector<dynamic> elsewhere(9, {-1.0});  // where freed parameters would have been
  const auto g = s.pullback(large);
  CHECK(g.p == expected.p);
  CHECK(g.y0 == expected.y0);

  auto moved = temporary();
  const auto before = allocations_now().live_bytes;
  watch_peak();
  solve(std::move(moved), tsit5{}, {}, recursive_checkpoint{.budget = 1'000'000}).pullback(large);
  CHECK(allocations_now().peak_bytes - before <= 1'000'000);
}

TEST_CASE("the gradient of a million equal steps in 68 states takes 4.94 evaluations a step") {
  const index n = 1'000'000;
  const problem q{ring{}, vec{1.0, 2.0}, 0.0, 1.0, vec{0.5}};
  auto s = solve(q, euler{}, {.fixed_step = 1e-6}, recursive_checkpoint{.slots = 68});
  const auto g = s.pullback(vec{1.0, 0.0});

  const reverse_statistics& r = g.reverse;
  CHECK(s.stats.accepted == n);
  CHECK(r.peak_states == 68);
  CHECK(r.replayed_steps == extra_steps(n, 68));
  CHECK(n + r.replayed_steps == 4'940'360);
  CHECK(r.field_evaluations == r.replayed_steps);
  CHECK(r.vjp_evaluations == n);
  CHECK(r.log_bytes == 0);
  // y1 = 1.5 − 0.5 e^{−2p}; Euler's error is below 1e-6
  CHECK(std::abs(g.p[0] - std::exp(-1.0)) < 1e-6);
}

TEST_CASE("5.02 in one sweep when their number is known only in the end, 5.94 in two") {
  const index n = 1'000'000;
  const problem q{ring{}, vec{1.0, 2.0}, 0.0, 1.0, vec{0.5}};
  options o = steps(n);
  o.max_steps = 2 * n;
  for (const bool online : {true, false}) {
    auto s = solve(
        q, tsit5{}, o,
        recursive_checkpoint{.slots = 68,
                             .schedule = online ? schedule_kind::online : schedule_kind::binomial,
                             .log = online ? step_replay::controller : step_replay::steps});
    const auto g = s.pullback(vec{1.0, 0.0});

    const reverse_statistics& r = g.reverse;
    const index taken = s.stats.accepted;
    CHECK(std::abs(taken - n) < 10);
    CHECK(r.peak_states == 68);
    CHECK(r.replayed_steps ==
          (online ? online_sweep(68).replays(taken) : taken - 1 + extra_steps(taken - 1, 68)));
    CHECK(1000 * (taken + r.replayed_steps) <= (online ? 5030 : 5950) * taken);
    CHECK(std::abs(g.p[0] - std::exp(-1.0)) < 1e-9);
  }
}

TEST_CASE("replay by the controller keeps the same bytes for a hundred steps and for a million") {
  const problem q{ring{}, vec{1.0, 2.0}, 0.0, 1.0, vec{0.5}};
  const auto kept = [&](index n) {
    options o = steps(n);
    o.max_steps = 2 * n;
    const auto before = allocations_now().live_bytes;
    watch_peak();
    auto s = solve(q, tsit5{}, o, {.slots = 20, .log = step_replay::controller});
    const auto g = s.pullback(vec{1.0, 0.0});
    CHECK(g.reverse.log_bytes == 0);
    CHECK(s.stats.accepted >= n);
    CHECK(std::abs(g.p[0] - std::exp(-1.0)) < 1e-9);
    return std::pair(g.reverse.peak_bytes, allocations_now().peak_bytes - before);
  };
  const auto few = kept(100), many = kept(100'000), most = kept(1'000'000);
  CHECK(few == many);  // 20 slots: decisions from the table up to 100,000 steps
  CHECK(few.first == most.first);
  CHECK(most.second - few.second < 20 * 8 * 8);  // then eight integers a slot
}

}  // namespace revode
