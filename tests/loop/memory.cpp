// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <tuple>
#include <vector>

#include <revode/loop/inner_loops.hpp>

#include "../adjoint/allocations.hpp"
#include "trees.hpp"

namespace revode {
namespace {

using array = std::vector<double>;
constexpr auto always = [](const auto&, const auto&) { return true; };

/// A tree that lives on the heap: a list of two arrays, a number and a counter.
using heap_tree = std::tuple<std::vector<array>, double, index>;

constexpr auto mix = [](const auto& c, const auto& p, auto& next) {
  using std::sin;
  const auto& [arrays, x, step] = c;
  auto& [more, y, steps] = next;
  for (std::size_t k = 0; k < arrays.size(); ++k)
    for (std::size_t i = 0; i < arrays[k].size(); ++i)
      more[k][i] = p[i] * arrays[1 - k][i] + 0.01 * x;
  y = sin(x) + arrays[0][0];
  steps = step + 1;
};

heap_tree start(std::size_t n) { return {{array(n, 0.5), array(n, -0.25)}, 0.1, 0}; }

/// What one run and pullback asks of operator new, and how much it holds at its worst moment.
struct demand {
  long calls;
  std::ptrdiff_t bytes;
};

template <class Work>
demand demand_of(const Work& work) {
  const allocation_counts before = allocations_now();
  watch_peak();
  work();
  const allocation_counts after = allocations_now();
  return {after.calls - before.calls, after.peak_bytes - before.live_bytes};
}

/// The same bytes, but for how malloc rounds what it gives: up to 16 bytes a block, as its heap happens
/// to lie. A number a step would be more.
bool alike(const demand& a, const demand& b) { return std::abs(a.bytes - b.bytes) <= 512; }

template <class Body>
demand loop_of(index n, const Body& body, const loop_options& kept) {
  loop_options o = kept;
  o.max_steps = n;
  const heap_tree c = start(20);
  const array p(20, 0.9);
  const auto w = zero_cotangent(c);
  return demand_of([&] {
    auto run = bounded_while_loop(always, body, c, p, o);
    run.pullback(w);
  });
}

}  // namespace

TEST_CASE("a tree loop allocates nothing per step, and keeps what its slots say") {
  for (const schedule_kind kind : {schedule_kind::binomial, schedule_kind::online}) {
    CAPTURE(name(kind));
    const loop_options o{.slots = 6, .schedule = kind};
    loop_of(100, mix, o);  // whatever is made once in a program
    const demand few = loop_of(100, mix, o), many = loop_of(10'000, mix, o);
    CHECK(many.calls == few.calls);
    CHECK(alike(many, few));
  }
}

TEST_CASE("a budget in bytes is what the carries take, at most, and buys what fits") {
  const heap_tree c = start(500);
  const array p(500, 0.9);
  const auto w = zero_cotangent(c);
  const index carry_bytes = leaf_bytes(c), work = 4 * carry_bytes + 2 * leaf_bytes(w);
  const auto gradient = [&](const loop_options& o) {
    auto run = bounded_while_loop(always, mix, c, p, o);
    run.pullback(w);
    return std::pair(run.peak_states(), run.counts().replayed);
  };
  const auto bytes_with = [&](std::optional<index> slots, std::optional<index> budget) {
    return demand_of([&] { gradient({.max_steps = 1000, .slots = slots, .budget = budget}); })
        .bytes;
  };
  bytes_with(1, {});
  const auto beside = bytes_with(1, {}) - work - carry_bytes;  // recording, parameters, gradient
  for (const index slots : {2, 5, 20}) {
    CAPTURE(slots);
    const index budget = work + slots * (carry_bytes + 800) + 1000;  // the store's own tables
    CHECK(bytes_with({}, budget) <= budget + beside + 2000);
    const auto online =
        gradient({.max_steps = 1000, .schedule = schedule_kind::online, .budget = budget});
    CHECK(online.first >= slots - 1);
    CHECK(online.first <= slots + 1);
  }
  CHECK_THROWS_AS(gradient({.max_steps = 10, .budget = work}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(gradient({.max_steps = 10, .slots = 3, .budget = 100'000}),
                       "slots = 3 and budget = 100000 (both say how much is kept) give one of the "
                       "two?",
                       std::invalid_argument);

  // a scan knows its count: with room for every tape nothing is run again
  const std::vector<double> xs(30, 1.0);
  const auto body = [](const auto& from, const auto& x, const auto& q, auto& next, auto&) {
    next[0] = q * from[0] + x;
  };
  auto all = scan(body, vec{0.0}, xs, 0.5, no_values<double>{}, {.budget = 1'000'000});
  all.pullback({1.0});
  CHECK(all.counts().replayed == 0);
}

TEST_CASE("a forward run keeps the same few carries whatever its length") {
  const auto forward = [](index n) {
    const heap_tree c = start(20);
    const array p(20, 0.9);
    return demand_of(
        [&] { auto run = bounded_while_loop(always, mix, c, p, {.max_steps = n, .keep = false}); });
  };
  forward(10);
  const demand few = forward(10), many = forward(10'000);
  CHECK(many.calls == few.calls);
  CHECK(alike(many, few));
}

TEST_CASE("remat keeps its inputs, and not what its function computes on the way") {
  // 40 calls a step of a function with 2000 operations: recorded plainly, 80,000 nodes
  const auto long_sum = [](const auto& x, auto& r) {
    using std::sin;
    r = x;
    for (int i = 0; i < 1000; ++i) r = sin(r) + x;
  };
  const auto calling = [](const auto& f) {
    return [f](const auto& c, const auto& p, auto& next) {
      next = c;
      for (int k = 0; k < 40; ++k) {
        const auto from = p * next;
        f(from, next);
      }
    };
  };
  const auto pull = [](const auto& body, index n) {
    return demand_of([&] {
      auto run = bounded_while_loop(always, body, 0.5, 0.001, {.max_steps = n, .slots = 2});
      run.pullback(1.0);
    });
  };
  const auto inner = remat(long_sum);
  const auto plain_body = calling(long_sum);
  const auto body = calling(inner);
  const demand plain_run = pull(plain_body, 3);
  pull(body, 3);  // what the first run of a process allocates once
  const demand few = pull(body, 3), many = pull(body, 30);
  constexpr std::ptrdiff_t node = 8 + 2 * sizeof(double), number = sizeof(double);
  CHECK(plain_run.bytes > 80'000 * (node + number));
  CHECK(few.bytes < 2 * 3000 * (node + number) + 40 * 1000);  // one call of 40, vectors doubling
  CHECK(alike(many, few));
  CHECK(many.calls == few.calls);  // frames and recordings are used again
}

TEST_CASE("inner loops keep their inputs, their own slots, and one recording") {
  schedule_kind kind{};
  const auto inner_of = [&](index m) {
    const auto body = [](const auto& c, const auto& p, auto& next) {
      using std::sin;
      std::get<0>(next) = sin(p * std::get<0>(c));
      std::get<1>(next) = std::get<1>(c) + 1;
    };
    const auto until = [m](const auto& c, const auto&) { return std::get<1>(c) < m; };
    return remat_while(until, body, {.max_steps = 512, .base = 8, .slots = 20, .schedule = kind});
  };
  const auto pull = [&](index n, index m) {
    const auto inner = inner_of(m);
    const auto body = [&](const auto& c, const auto& p, auto& next) {
      auto from = std::tuple(c, index{0});
      auto to = from;
      inner(from, p, to);
      next = std::get<0>(to);
    };
    return demand_of([&] {
      auto run = bounded_while_loop(always, body, 0.5, 0.9, {.max_steps = n, .slots = 3});
      run.pullback(1.0);
    });
  };
  for (const schedule_kind each : every_schedule) {
    kind = each;
    CAPTURE(name(kind));
    pull(20, 50);
    const demand reference = pull(20, 50), longer = pull(20, 500), more = pull(200, 50);
    if (kind == schedule_kind::binomial || kind == schedule_kind::online) {
      CHECK(alike(longer, reference));
      CHECK(longer.calls == reference.calls);
    }
    // schedule, snapshots and tapes are made for the first outer step and used again by the others
    CHECK(alike(more, reference));
    if (kind != schedule_kind::mixed)  // which frees single tapes
      CHECK(more.calls == reference.calls);
  }
}

TEST_CASE("a gradient takes the bytes of what is differentiated, and one buffer of it") {
  // parameters of 10^6 numbers, frozen but for ten
  const array huge(1'000'000, 1.0);
  const auto body = [](const auto& c, const auto& p, auto& next) {
    next = c * (*std::get<0>(p))[7] * std::get<1>(p)[3];
  };
  const std::tuple<frozen<array>, array> p{frozen(huge), array(10, 0.5)};
  const demand run = demand_of([&] {
    auto loop = bounded_while_loop(always, body, 1.0, p, {.max_steps = 100, .slots = 3});
    const auto g = loop.pullback(1.0);
    CHECK(leaf_bytes(g.params) == 80 + sizeof(no_cotangent));
    CHECK(std::get<1>(g.params)[3] == 100 * std::pow(0.5, 99));
  });
  CHECK(run.bytes < 20'000);

  // one gradient of 10^5 numbers, and the recording of one step
  const array weights(100'000, 0.999);
  const auto own = [] {
    struct scaling {
      void operator()(double c, const array& q, double& next) const { next = c * q[5]; }
      void pull(double c, const array& q, double next_bar, double& c_bar, array& q_bar) const {
        c_bar += q[5] * next_bar;
        q_bar[5] += c * next_bar;
      }
    };
    return scaling{};
  }();
  const demand in_place = demand_of([&] {
    auto loop = bounded_while_loop(always, own, 1.0, weights, {.max_steps = 1000, .slots = 5});
    const auto g = loop.pullback(1.0);
  });
  CHECK(in_place.bytes < 800'000 + 10'000);  // weights are not copied
}

}  // namespace revode
