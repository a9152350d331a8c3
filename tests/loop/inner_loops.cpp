// SPDX-License-Identifier: Apache-2.0
#include <revode/loop/inner_loops.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "trees.hpp"

namespace revode {
namespace {

/// c ← p c + x c², out = c x; counts its calls.
struct cell {
  index* calls;
  template <class C, class X, class P, class N, class O>
  void operator()(const C& c, const X& x, const P& p, N& next, O& out) const {
    ++*calls;
    next[0] = p[0] * c[0] + x * c[0] * c[0];
    out = c[0] * x;
  }
};

const std::vector<double> inner_xs{0.1, -0.2, 0.3, 0.25, -0.15, 0.05, 0.2};
const std::vector<double> outer_xs{0.5, -0.25, 0.125, 0.75, -0.5};
const index m = 7, n = 5;
const vec<double, 1> start{0.3}, rate{0.7};

/// The outer body with `inner(c, xs, p, next, outs)` for its loop.
template <class Inner>
auto body_of(const Inner& inner) {
  return [inner](const auto& c, const auto& x, const auto& p, auto& next, auto& outs) {
    inner(c, inner_xs, p, next, outs);
    next[0] = next[0] + x;
  };
}

/// The inner loop written out.
auto unrolled(index* calls) {
  return [calls](const auto& c, const auto& xs, const auto& p, auto& next, auto& outs) {
    next = c;
    for (std::size_t k = 0; k < xs.size(); ++k) {
      auto now = next;
      cell{calls}(now, xs[k], p, next, outs[k]);
    }
  };
}

template <class Body>
auto outer(const Body& body, const loop_options& o) {
  return scan(body, start, outer_xs, rate, std::vector<double>(inner_xs.size()), o);
}
const std::vector<std::vector<double>> outs_bar(5, std::vector<double>(7, 0.5));

/// t(n, slots): what the binomial reversal replays.
index replays(index steps, index slots) { return extra_steps(steps, slots); }

}  // namespace

TEST_CASE("an inner scan is one operation: counts are the product of the loops' own") {
  index calls = 0;
  auto flat = outer(body_of(unrolled(&calls)), {.slots = 2});
  const auto expected = flat.pullback({1.0}, outs_bar);
  for (const index inner_slots : {1, 2, 10})
    for (const index outer_slots : {1, 2, 10}) {
      CAPTURE(inner_slots);
      CAPTURE(outer_slots);
      calls = 0;
      auto run =
          outer(body_of(remat_scan(cell{&calls}, {.slots = inner_slots})), {.slots = outer_slots});
      CHECK(calls == n * m);  // forward: the steps, once
      const auto g = run.pullback({1.0}, outs_bar);
      CHECK(run.carry() == flat.carry());
      CHECK(run.outs() == flat.outs());
      CHECK(g.carry[0] == doctest::Approx(expected.carry[0]).epsilon(1e-13));
      CHECK(g.params[0] == doctest::Approx(expected.params[0]).epsilon(1e-13));
      for (std::size_t k = 0; k < outer_xs.size(); ++k)
        CHECK(g.xs[k] == doctest::Approx(expected.xs[k]).epsilon(1e-13));
      // sweep and replays; then for each step its values, and the inner loop's own reversal
      const index evaluations = n + replays(n, outer_slots);
      CHECK(run.counts().steps == evaluations);
      CHECK(calls == evaluations * m + n * (m + (m + replays(m, inner_slots)) + m));
    }
}

TEST_CASE("nested loops give the same bits for every pair of schedules and slots") {
  index calls = 0;
  const auto gradient = [&](const loop_options& outside, const loop_options& inside) {
    auto run = outer(body_of(remat_scan(cell{&calls}, inside)), outside);
    const auto g = run.pullback({1.0}, outs_bar);
    return bits(run.carry(), run.outs(), g.carry, g.xs, g.params);
  };
  const auto expected =
      gradient({.schedule = schedule_kind::store_all}, {.schedule = schedule_kind::store_all});
  for (const schedule_kind outside : every_schedule)
    for (const schedule_kind inside : every_schedule) {
      CAPTURE(name(outside));
      CAPTURE(name(inside));
      CHECK(gradient({.base = 2, .slots = 3, .schedule = outside},
                     {.base = 3, .slots = 2, .schedule = inside}) == expected);
    }
}

TEST_CASE("scan and bounded_while_loop called in a body are operations too") {
  index calls = 0;
  auto expected_run = outer(body_of(remat_scan(cell{&calls}, {.slots = 2})), {.slots = 2});
  const auto expected = expected_run.pullback({1.0}, outs_bar);
  const auto body = [&](const auto& c, const auto& x, const auto& p, auto& next, auto& outs) {
    const auto inner = scan(cell{&calls}, c, inner_xs, p, 0.0, {.slots = 2, .keep = false});
    next = inner.carry();
    outs = inner.outs();
    next[0] = next[0] + x;
  };
  calls = 0;
  auto run = outer(body, {.slots = 2});
  CHECK(calls == n * m);
  const auto g = run.pullback({1.0}, outs_bar);
  CHECK(bits(run.outs(), g.carry, g.xs, g.params) ==
        bits(expected_run.outs(), expected.carry, expected.xs, expected.params));
}

TEST_CASE("an inner while loop stops where its values stop it, in every replay") {
  // c ← c p until c <= 1/100, then c ← 16 c + x: dyadic p, so the counts are those of exact numbers
  index calls = 0;
  const auto cond = [](const auto& c, const auto&) { return c > 0.01; };
  const auto halve = [&calls](const auto& c, const auto& p, auto& next) {
    ++calls;
    next = c * p;
  };
  const auto inner = remat_while(cond, halve, {.slots = 2});
  const auto body = [&](const auto& c, const auto& x, const auto& p, auto& next, auto&) {
    inner(c, p, next);
    next = 16.0 * next + x;
  };
  const std::vector<double> xs{1, 2, 3};
  auto run = scan(body, 1.0, xs, 0.5);
  const auto g = run.pullback(1.0);

  double c = 1, by_c = 1, by_p = 0;
  index steps = 0;
  for (const double x : xs) {
    index k = 0;
    while (c > 0.01) {
      by_p = by_p * 0.5 + c;
      c *= 0.5;
      ++k;
    }
    by_c *= 16 * std::pow(0.5, static_cast<double>(k));
    by_p *= 16;
    c = 16 * c + x;
    steps += k;
  }
  CHECK(run.carry() == c);
  CHECK(g.carry == by_c);
  CHECK(g.params == by_p);

  calls = 0;
  auto again = scan(body, 1.0, xs, 0.5);
  CHECK(calls == steps);  // early exit is real
  auto with_free_loop = scan(
      [&](const auto& now, const auto& x, const auto& p, auto& next, auto&) {
        next = bounded_while_loop(cond, halve, now, p, {.slots = 2}).carry();
        next = 16.0 * next + x;
      },
      1.0, xs, 0.5);
  const auto h = with_free_loop.pullback(1.0);
  CHECK(bits(h.carry, h.xs, h.params) == bits(g.carry, g.xs, g.params));
}

TEST_CASE("three loops deep: the counts of the recursion, and the bits of every schedule") {
  const index depth_n[3] = {4, 3, 5}, slots[3] = {2, 1, 2};
  index calls = 0;
  const auto count = [](index k) {
    return [k](const auto& c, const auto&) { return std::get<1>(c) < k; };
  };
  // a counter ends each loop; the innermost body is c ← p c + sin(c)/8
  const auto body3 = [&calls](const auto& c, const auto& p, auto& next) {
    using std::sin;
    ++calls;
    std::get<0>(next) = p * std::get<0>(c) + sin(std::get<0>(c)) / 8;
    std::get<1>(next) = std::get<1>(c) + 1;
  };
  const auto around = [](const auto& inner) {
    return [inner](const auto& c, const auto& p, auto& next) {
      auto from = c;
      std::get<1>(from) = 0;
      inner(from, p, next);
      std::get<1>(next) = std::get<1>(c) + 1;
    };
  };
  using carry = std::tuple<double, index>;
  const auto gradient = [&](std::optional<schedule_kind> kind) {
    const auto o = [&](int level) {
      return loop_options{.base = 2, .slots = slots[level], .schedule = kind};
    };
    const auto third = remat_while(count(depth_n[2]), body3, o(2));
    const auto second = remat_while(count(depth_n[1]), around(third), o(1));
    calls = 0;
    auto run = bounded_while_loop(count(depth_n[0]), around(second), carry{0.4, 0}, 0.9, o(0));
    CHECK(calls == 4 * 3 * 5);
    const auto g = run.pullback({1.0, {}});
    return bits(g.carry, g.params);
  };
  const auto expected = gradient(schedule_kind::store_all);
  for (const schedule_kind kind : every_schedule) {
    if (kind == schedule_kind::nested) continue;  // these loops have no bound
    if (kind == schedule_kind::mixed) continue;   // one unit is too little for it
    CAPTURE(name(kind));
    CHECK(gradient(kind) == expected);
  }
  gradient(schedule_kind::binomial);
  // without a known count the binomial schedule sweeps all but the last step twice
  const auto sweeps = [&](int k) {
    return depth_n[k] + (depth_n[k] - 1) + extra_steps(depth_n[k] - 1, slots[k]);
  };
  const index forward3 = depth_n[2], forward2 = depth_n[1] * forward3;
  const index pull3 = sweeps(2) + depth_n[2];
  const index pull2 = sweeps(1) * forward3 + depth_n[1] * (forward3 + pull3);
  CHECK(calls == sweeps(0) * forward2 + depth_n[0] * (forward2 + pull2));
}

TEST_CASE("stacks in a recurrence: remat_scan over layers inside a scan over time") {
  // layers c ← w_k c, all exact: d/dw_k = steps · product / w_k
  const auto layer = [](const auto& c, const auto& w, const auto&, auto& next, auto&) {
    next = w * c;
  };
  const auto stack = remat_scan(layer, {.slots = 2});
  const auto step = [&](const auto& c, const auto&, const auto& layers, auto& next, auto&) {
    stack(c, layers, 0.0, next);
  };
  const std::vector<double> layers{2, 0.5, 4, 0.25, 8, 0.5}, times(10, 0.0);
  double product = 1;
  for (const double w : layers) product *= w;
  auto run = scan(step, 1.0, times, layers, no_values<double>{}, {.slots = 3});
  const auto g = run.pullback(1.0);
  CHECK(run.carry() == std::pow(product, 10));
  for (std::size_t k = 0; k < layers.size(); ++k)
    CHECK(g.params[k] == 10 * std::pow(product, 10) / layers[k]);
}

TEST_CASE("an exception in the innermost body spoils nothing") {
  index calls = 0, throws_at = 0;
  const auto thrower = [&](const auto& c, const auto& x, const auto& p, auto& next, auto& out) {
    if (calls + 1 == throws_at) {
      ++calls;
      throw 7;
    }
    cell{&calls}(c, x, p, next, out);
  };
  auto run = outer(body_of(remat_scan(thrower, {.slots = 1})), {.slots = 2});
  const auto g = run.pullback({1.0}, outs_bar);
  const auto expected = bits(g.carry, g.xs, g.params);
  calls = 0;
  run.pullback({1.0}, outs_bar);
  const index all = calls;
  for (index k = 1; k <= all; k += 3) {
    CAPTURE(k);
    calls = 0;
    throws_at = k;
    REQUIRE_THROWS_AS(run.pullback({1.0}, outs_bar), int);
    const auto again = run.pullback({1.0}, outs_bar);
    REQUIRE(bits(again.carry, again.xs, again.params) == expected);
  }
}

}  // namespace revode
