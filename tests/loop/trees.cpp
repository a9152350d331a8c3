// SPDX-License-Identifier: Apache-2.0
#include "trees.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <tuple>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/loop/bounded_while_loop.hpp>
#include <revode/loop/scan.hpp>

namespace revode {
namespace {

/// A driven pendulum with a memory of its angles, and how many steps it has made.
template <class T>
struct swing {
  T angle, speed;
  vec<T, 3> memory;
  index step = 0;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.angle, self.speed, self.memory, self.step);
  }
};

/// Friction, drive, rate of forgetting: a tuple of numbers. Each step is pushed by its own noise.
struct pendulum_step {
  template <class C, class P>
  void operator()(const C& c, const P& p, C& next) const {
    using std::sin;
    const auto& [friction, drive, rate] = p;
    const double h = 0.05;
    next.angle = c.angle + h * c.speed;
    next.speed = c.speed - h * (sin(c.angle) + friction * c.speed - drive * noise(c.step));
    for (int i = 0; i < 3; ++i)
      next.memory[i] =
          c.memory[i] + h * rate * ((i == 0 ? c.angle : c.memory[i - 1]) - c.memory[i]);
    next.step = c.step + 1;
  }
};

using parameters = std::tuple<double, double, double>;
constexpr auto always = [](const auto&, const auto&) { return true; };
const swing<double> start{1.0, 0.2, {0.1, 0.2, 0.3}, 0};
const parameters p{0.3, 0.7, 2.0};
const swing<double> w{0.5, -1.0, {1.0, 2.0, -0.5}, 0};

auto swing_for(index n, loop_options o) {
  o.max_steps = o.max_steps.value_or(n);
  const auto unfinished = [n](const auto& c, const auto&) { return c.step < n; };
  return bounded_while_loop(unfinished, pendulum_step{}, start, p, o);
}

/// The derivative of wᵀ(final carry) by the k-th of 5 + 3 inputs, forwards.
double forwards(index n, int k) {
  using number = dual<double, 1>;
  const auto seed = [k, place = 0](double x) mutable {
    number d(x);
    d.d[0] = place++ == k ? 1.0 : 0.0;
    return d;
  };
  auto s = seed;
  swing<number> c{s(1.0), s(0.2), {s(0.1), s(0.2), s(0.3)}, 0}, next = c;
  const std::tuple<number, number, number> q{s(0.3), s(0.7), s(2.0)};
  for (index i = 0; i < n; ++i) {
    pendulum_step{}(c, q, next);
    c = next;
  }
  double sum = w.angle * c.angle.d[0] + w.speed * c.speed.d[0];
  for (int i = 0; i < 3; ++i) sum += w.memory[i] * c.memory[i].d[0];
  return sum;
}

// One recorded tree among others makes the call one to record.
static_assert(no_recorded<double, vec<double, 3>, parameters>);
static_assert(!no_recorded<variable<double>, vec<double, 3>>);
static_assert(!no_recorded<vec<double, 3>, swing<variable<double>>>);

}  // namespace

TEST_CASE("a struct carry with an integer and a tuple of parameters: the gradient of duals") {
  auto run = swing_for(80, {});
  const auto g = run.pullback(w);
  CHECK(run.carry().step == 80);
  int k = 0;
  const auto compare = [&k](double found) {
    CHECK(found == doctest::Approx(forwards(80, k++)).epsilon(1e-12));
  };
  compare(g.carry.angle);
  compare(g.carry.speed);
  for (int i = 0; i < 3; ++i) compare(g.carry.memory[i]);
  compare(std::get<0>(g.params));
  compare(std::get<1>(g.params));
  compare(std::get<2>(g.params));
}

TEST_CASE("a tree carry takes every schedule and slot count to the same bits, noise and all") {
  const auto expected = [] {
    auto run = swing_for(60, {.schedule = schedule_kind::store_all});
    const auto g = run.pullback(w);
    CHECK(run.counts().replayed == 0);
    return bits(g.carry, g.params);
  }();
  for (const schedule_kind kind : every_schedule)
    for (const index slots : {1, 2, 3, 7, 20, 61}) {
      if (!takes_slots(kind) && slots > 1) continue;
      if (kind == schedule_kind::mixed && slots < 2) continue;
      CAPTURE(name(kind));
      CAPTURE(slots);
      auto run = swing_for(60, {.base = 3, .slots = slots, .schedule = kind});
      for (const int time : {1, 2}) {
        CAPTURE(time);
        const auto g = run.pullback(w);
        CHECK(bits(g.carry, g.params) == expected);
      }
    }
}

TEST_CASE("nested: d n evaluations, at most (d - 1) b carries, for trees as for vectors") {
  for (const index base : {2, 3, 16})
    for (const index bound : {100, 128, 4096}) {
      CAPTURE(base);
      CAPTURE(bound);
      auto run =
          swing_for(100, {.max_steps = bound, .base = base, .schedule = schedule_kind::nested});
      run.pullback(w);
      const index d = nesting_depth(base, bound);
      index full = base - 1;  // (b − 1) b^(d−1) steps fill all levels
      for (index level = 1; level < d; ++level) full *= base;
      CHECK(run.steps() == 100);
      CHECK(run.counts().steps == d * 100);
      CHECK(run.counts().pulled == 100);
      CHECK(run.peak_states() <= (d - 1) * base);
      if (100 > full) CHECK(run.peak_states() == (d - 1) * base);
    }
}

TEST_CASE("steps stop at max_steps, not at the next power of the base") {
  auto run = bounded_while_loop(always, pendulum_step{}, start, p,
                                {.max_steps = 100, .base = 3, .schedule = schedule_kind::nested});
  run.pullback(w);
  CHECK(run.steps() == 100);
  CHECK(run.carry().step == 100);
  CHECK(run.counts().steps == 5 * 100);  // 3^4 < 100 <= 3^5
}

TEST_CASE("max_steps = 0 is the identity") {
  for (const schedule_kind kind : every_schedule) {
    if (kind == schedule_kind::mixed) continue;
    CAPTURE(name(kind));
    auto run = swing_for(10, {.max_steps = 0, .schedule = kind});
    const auto g = run.pullback(w);
    CHECK(run.steps() == 0);
    CHECK(bits(run.carry()) == bits(start));
    CHECK(bits(g.carry) == bits(w));
    CHECK(g.params == parameters{0, 0, 0});
  }
}

TEST_CASE("nested without a bound runs forward only") {
  index calls = 0;
  const auto body = [&calls](const auto& c, const auto& q, auto& next) {
    ++calls;
    pendulum_step{}(c, q, next);
  };
  const auto unfinished = [](const auto& c, const auto&) { return c.step < 50; };
  auto run = bounded_while_loop(unfinished, body, start, p, {.schedule = schedule_kind::nested});
  CHECK(run.steps() == 50);
  CHECK(bits(run.carry()) == bits(swing_for(50, {}).carry()));
  CHECK_THROWS_WITH_AS(
      run.pullback(w),
      "the nested schedule without max_steps (its depth follows from the bound) give max_steps, or "
      "another schedule?",
      std::invalid_argument);
  CHECK(calls == 50);
}

TEST_CASE("a loop that keeps nothing forwards sweeps once more, and gives the same bits") {
  auto run = swing_for(50, {.slots = 4});
  const auto expected = run.pullback(w);
  auto bare = swing_for(50, {.slots = 4, .keep = false});
  const auto g = bare.pullback(w);
  CHECK(bits(g.carry, g.params) == bits(expected.carry, expected.params));
  CHECK(bare.counts().steps == 50 + extra_steps(50, 4));  // its sweep knows the count
}

TEST_CASE("snapshots in a spill file give the same bits as those in memory") {
  auto near = swing_for(60, {.slots = 5});
  const auto expected = near.pullback(w);
  const std::string folder = std::filesystem::temp_directory_path();
  auto far = swing_for(
      60, {.slots = 5, .schedule = schedule_kind::two_tier, .slow_slots = 3, .spill = folder});
  const auto g = far.pullback(w);
  CHECK(bits(g.carry, g.params) == bits(expected.carry, expected.params));
}

TEST_CASE("a second pullback knows the count: the optimum, and the same bits") {
  auto run = swing_for(60, {.slots = 4});
  const auto first = run.pullback(w);
  const index online = run.counts().steps;
  const auto second = run.pullback(w);
  CHECK(bits(second.carry, second.params) == bits(first.carry, first.params));
  CHECK(run.counts().steps == 60 + extra_steps(60, 4));
  CHECK(run.counts().steps <= online);
}

TEST_CASE("an integer of the carry keys the noise: replays drop what the sweep dropped") {
  // c ← m(step) c p with masks 1/2 or 1; p, c dyadic: the derivatives are exact
  const auto mask = [](index step) { return noise(step) < 0.4 ? 0.5 : 1.0; };
  const auto body = [&](const auto& c, const auto& q, auto& next) {
    std::get<0>(next) = mask(std::get<1>(c)) * std::get<0>(c) * q;
    std::get<1>(next) = std::get<1>(c) + 1;
  };
  double product = 1;
  for (index i = 0; i < 30; ++i) product *= mask(i);
  CHECK(product < 0x1p-5);
  for (const index slots : {1, 2, 5, 40}) {
    auto run = bounded_while_loop(always, body, std::tuple<double, index>{3.0, 0}, 0.5,
                                  {.max_steps = 30, .slots = slots});
    const auto g = run.pullback({1.0, {}});
    static_assert(std::is_same_v<decltype(g.carry), std::tuple<double, no_cotangent>>);
    CHECK(std::get<0>(run.carry()) == 3 * product * 0x1p-30);
    CHECK(std::get<0>(g.carry) == product * 0x1p-30);
    CHECK(g.params == 30 * 3 * product * 0x1p-29);
  }
}

TEST_CASE("a tree body that throws at any call spoils nothing") {
  index calls = 0, throws_at = 0;
  const auto body = [&](const auto& c, const auto& q, auto& next) {
    if (++calls == throws_at) {
      next.angle = c.angle * 1e30;
      throw 7;
    }
    pendulum_step{}(c, q, next);
  };
  auto run = bounded_while_loop(always, body, start, p, {.max_steps = 14, .slots = 2});
  const auto g = run.pullback(w);
  const auto expected = bits(g.carry, g.params);
  calls = 0;
  run.pullback(w);
  const index all = calls;
  for (index k = 1; k <= all; ++k) {
    CAPTURE(k);
    calls = 0;
    throws_at = k;
    REQUIRE_THROWS_AS(run.pullback(w), int);
    const auto again = run.pullback(w);
    REQUIRE(bits(again.carry, again.params) == expected);
  }
}

}  // namespace revode
