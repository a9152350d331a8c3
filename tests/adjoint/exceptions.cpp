// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "allocations.hpp"

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

struct interruption {};

/// Did it throw? (The framework's own macros allocate.)
template <class Act>
bool interrupted(Act&& act) {
  try {
    act();
  } catch (const interruption&) {
    return true;
  }
  return false;
}

/// A pendulum that throws at a given call, in whatever scalar it comes.
struct fragile {
  index* calls;
  index* throws_at;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    if (++*calls == *throws_at) throw interruption{};
    dy[0] = y[1];
    dy[1] = -(p[0] * sin(y[0]));
  }
};

template <class Y>
struct pendulum {
  index calls = 0, throws_at = 0;
  problem<fragile, Y, std::vector<double>> q{{&calls, &throws_at}, {1, 0}, 0, 1, {4}};
  options o{.rtol = 1e-4, .atol = 1e-4, .save = {.ts = {0.4, 1}}};
  cotangents<Y> w{.y = Y{1, 2}, .ys = {{1, -1}, {0.5, 0}}};

  void interrupt_at(index k) {
    calls = 0;
    throws_at = k;
  }
};

template <class G>
bool same(const G& a, const G& b) {
  return a.y0 == b.y0 && a.p == b.p && a.t0 == b.t0 && a.t1 == b.t1 && a.ts == b.ts;
}

template <class Y>
void interrupted_everywhere(const recursive_checkpoint& adjoint) {
  pendulum<Y> lab;
  auto undisturbed = solve(lab.q, tsit5{}, lab.o, adjoint);
  const index of_solve = lab.calls;
  const auto expected = undisturbed.pullback(lab.w);
  const index of_pullback = lab.calls - of_solve;
  REQUIRE(same(undisturbed.pullback(lab.w), expected));
  const index of_second = lab.calls - of_solve - of_pullback;
  REQUIRE(of_pullback > 10);

  const long before = allocations_now().live_blocks;
  bool through = true;
  for (index k = 1; k <= of_solve; ++k) {
    lab.interrupt_at(k);
    through = through && interrupted([&] { solve(lab.q, tsit5{}, lab.o, adjoint); });
    through = through && lab.calls == k;
  }
  const long after = allocations_now().live_blocks;
  REQUIRE(through);
  REQUIRE(after == before);

  bool usable = true;
  const long then = allocations_now().live_blocks;
  for (index k = 1; k <= of_pullback; ++k) {
    lab.interrupt_at(0);
    auto s = solve(lab.q, tsit5{}, lab.o, adjoint);
    lab.interrupt_at(k);
    through = through && interrupted([&] { s.pullback(lab.w); });
    usable = usable && same(s.pullback(lab.w), expected);
  }
  const long finally = allocations_now().live_blocks;
  REQUIRE(through);
  REQUIRE(usable);
  REQUIRE(finally == then);

  // One object through every interruption of a repeated pullback, its first sweep included.
  auto s = solve(lab.q, tsit5{}, lab.o, adjoint);
  REQUIRE(same(s.pullback(lab.w), expected));
  for (index k = 1; k <= of_second; ++k) {
    CAPTURE(k);
    lab.interrupt_at(k);
    REQUIRE(interrupted([&] { s.pullback(lab.w); }));
    REQUIRE(lab.calls == k);
  }
  REQUIRE(same(s.pullback(lab.w), expected));
}

}  // namespace

TEST_CASE("a field that throws at any call passes through, leaks nothing and spoils nothing") {
  using fixed = vec<double, 2>;
  using dynamic = std::vector<double>;
  SUBCASE("binomial") { interrupted_everywhere<fixed>({.slots = 2}); }
  SUBCASE("binomial, dynamic") { interrupted_everywhere<dynamic>({.slots = 2}); }
  SUBCASE("store_all") { interrupted_everywhere<fixed>({.schedule = schedule_kind::store_all}); }
  SUBCASE("store_all, dynamic") {
    interrupted_everywhere<dynamic>({.schedule = schedule_kind::store_all});
  }
  SUBCASE("online") {
    interrupted_everywhere<fixed>({.slots = 3, .schedule = schedule_kind::online});
  }
  SUBCASE("online, dynamic") {
    interrupted_everywhere<dynamic>({.slots = 2, .schedule = schedule_kind::online});
  }
  SUBCASE("replay by the controller") {
    interrupted_everywhere<fixed>({.slots = 2, .log = step_replay::controller});
  }
  SUBCASE("replay by the controller, dynamic") {
    interrupted_everywhere<dynamic>({.slots = 3, .log = step_replay::controller});
  }
  SUBCASE("a budget whose log ends before the solve, dynamic") {
    interrupted_everywhere<dynamic>({.budget = 6012});
  }
  SUBCASE("tapes and snapshots, dynamic") {
    interrupted_everywhere<dynamic>({.slots = 12, .schedule = schedule_kind::mixed});
  }
  SUBCASE("nested") {
    interrupted_everywhere<dynamic>({.schedule = schedule_kind::nested, .base = 2});
  }
}

TEST_CASE("forward mode and plain solves let exceptions through as well") {
  pendulum<std::vector<double>> lab;
  const tangents<std::vector<double>, std::vector<double>> along{.y0 = {1, 0}, .p = {1}};
  const auto expected = solve(lab.q, tsit5{}, lab.o, along);
  const index all = lab.calls;
  const long before = allocations_now().live_blocks;
  bool through = true;
  for (index k = 1; k <= all; ++k) {
    lab.interrupt_at(k);
    through = through && interrupted([&] { solve(lab.q, tsit5{}, lab.o, along); });
  }
  const long after = allocations_now().live_blocks;
  CHECK(through);
  CHECK(after == before);
  lab.interrupt_at(0);
  CHECK(solve(lab.q, tsit5{}, lab.o, along).y_dot == expected.y_dot);
}

TEST_CASE("a loss that throws leaves the solution usable") {
  pendulum<vec<double, 2>> lab;
  const auto loss = [](const auto& y) -> std::remove_cvref_t<decltype(y[0])> {
    throw std::runtime_error("no loss");
  };
  CHECK_THROWS_WITH_AS(value_and_gradient(lab.q, tsit5{}, {}, loss), "no loss", std::runtime_error);
}

}  // namespace revode
