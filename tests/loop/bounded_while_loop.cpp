// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/loop/bounded_while_loop.hpp>

namespace revode {
namespace {

constexpr auto always = [](const auto&, const auto&) { return true; };

/// The logistic map x ← r x (1 − x).
struct logistic {
  template <class C, class P>
  void operator()(const C& c, const P& p, C& next) const {
    next[0] = p[0] * c[0] * (1 - c[0]);
  }
};

/// The same with its own pull, written as the recording does it.
struct logistic_with_pull : logistic {
  template <class C, class P>
  void pull(const C& c, const P& p, const C& next_bar, C& carry_bar, P& params_bar) const {
    const auto rx_bar = next_bar[0] * (1 - c[0]), rest_bar = next_bar[0] * (p[0] * c[0]);
    carry_bar[0] += muladd(rx_bar, p[0], -rest_bar);
    params_bar[0] += rx_bar * c[0];
  }
};

/// x_n and its derivatives by x_0 and r, forwards.
struct orbit {
  double x = 0.3, by_x = 1, by_r = 0;
  orbit(double r, index n) {
    for (index i = 0; i < n; ++i) {
      by_r = x * (1 - x) + r * (1 - 2 * x) * by_r;
      by_x = r * (1 - 2 * x) * by_x;
      x = r * x * (1 - x);
    }
  }
};

template <class Body>
auto iterate(index n, loop_options o) {
  if (!o.max_steps) o.max_steps = n;
  return bounded_while_loop(always, Body{}, vec{0.3}, vec{3.7}, o);
}

std::string refusal(const loop_options& o, index elements = 1) {
  index calls = 0;
  const auto body = [&calls](const auto& c, const auto&, auto& next) {
    ++calls;
    next = c;
  };
  try {
    auto run = bounded_while_loop([](const auto&, const auto&) { return false; }, body,
                                  std::vector{1.0}, vec{1.0}, o);
    run.pullback(std::vector<double>(static_cast<std::size_t>(elements)));
  } catch (const std::invalid_argument& misuse) {
    return calls == 0 ? misuse.what() : "the body was called";
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a loop costs its steps, one sweep, and the optimal reversal of all but the last") {
  for (const index n : {1, 2, 10, 57})
    for (const index slots : {1, 3, 8, 100}) {
      CAPTURE(n);
      CAPTURE(slots);
      auto run = iterate<logistic>(n, {.slots = slots, .schedule = schedule_kind::binomial});
      const auto g = run.pullback(vec{1.0});
      const orbit expected(3.7, n);
      CHECK(run.steps() == n);
      CHECK(run.carry()[0] == expected.x);
      CHECK(g.carry[0] == doctest::Approx(expected.by_x).epsilon(1e-12));
      CHECK(g.params[0] == doctest::Approx(expected.by_r).epsilon(1e-12));
      CHECK(run.counts().steps == n + (n - 1) + extra_steps(n - 1, slots));
      CHECK(run.counts().pulled == n);
      CHECK(run.peak_states() == std::max<index>(1, std::min(slots, n - 2)));
    }
}

TEST_CASE("the nested schedule takes d n evaluations and at most (d - 1) base carries") {
  auto flat = iterate<logistic>(100, {.schedule = schedule_kind::store_all});
  const auto expected = flat.pullback(vec{1.0});
  for (const index base : {2, 3, 16})
    for (const index bound : {100, 128, 4096}) {
      CAPTURE(base);
      CAPTURE(bound);
      index turns = 0;  // the condition ends the loop after 100 steps, whatever the bound
      const auto hundred = [&turns](const auto&, const auto&) { return turns++ < 100; };
      auto run =
          bounded_while_loop(hundred, logistic{}, vec{0.3}, vec{3.7},
                             {.max_steps = bound, .base = base, .schedule = schedule_kind::nested});
      const auto g = run.pullback(vec{1.0});
      const index depth = nesting_depth(base, bound);
      CHECK(run.steps() == 100);
      CHECK(run.counts().steps == depth * 100);
      CHECK(run.peak_states() <= (depth - 1) * base);
      CHECK(g.carry == expected.carry);
      CHECK(g.params == expected.params);
    }
}

TEST_CASE("every schedule and slot count gives the same bits, again and again") {
  auto all = iterate<logistic>(50, {.schedule = schedule_kind::store_all});
  const auto expected = all.pullback(vec{1.0});
  for (index slots = 1; slots <= 51; ++slots) {
    auto run = iterate<logistic>(50, {.slots = slots, .schedule = schedule_kind::binomial});
    for (const int time : {1, 2, 3}) {
      CAPTURE(time);
      const auto g = run.pullback(vec{1.0});
      REQUIRE(g.carry == expected.carry);
      REQUIRE(g.params == expected.params);
    }
  }
  for (index slots = 1; slots <= 51; ++slots) {
    auto run = iterate<logistic>(50, {.slots = slots, .schedule = schedule_kind::online});
    for (const int time : {1, 2}) {
      CAPTURE(time);
      const auto g = run.pullback(vec{1.0});
      REQUIRE(g.carry == expected.carry);
      REQUIRE(g.params == expected.params);
    }
    REQUIRE(run.counts().replayed >= extra_steps(50, slots));
    REQUIRE(run.counts().replayed <= 1.16 * static_cast<double>(extra_steps(50, slots)));
  }
  auto states = iterate<logistic>(50, {.schedule = schedule_kind::store_states});
  CHECK(states.pullback(vec{1.0}).params == expected.params);
  CHECK(states.counts().replayed == 49);
}

TEST_CASE("a body's own pull is used, and gives the bits of the recording") {
  auto own = iterate<logistic_with_pull>(50, {.slots = 4});
  auto recorded = iterate<logistic>(50, {.slots = 4});
  const auto a = own.pullback(vec{2.0}), b = recorded.pullback(vec{2.0});
  CHECK(a.carry == b.carry);
  CHECK(a.params == b.params);
}

TEST_CASE("early exit is real: the loop costs what it runs, its bound nothing") {
  // Newton's iteration for the square root of p
  index calls = 0;
  const auto body = [&calls](const auto& c, const auto& p, auto& next) {
    ++calls;
    next[0] = 0.5 * (c[0] + p[0] / c[0]);
  };
  const auto cond = [](const auto& c, const auto& p) {
    return std::abs(c[0] * c[0] - p[0]) > 1e-12;
  };
  auto run = bounded_while_loop(cond, body, vec{1.0}, vec{2.0}, {.max_steps = 1'000'000});
  CHECK(run.steps() == 5);
  CHECK(calls == 5);
  CHECK(run.carry()[0] == doctest::Approx(std::sqrt(2.0)).epsilon(1e-14));
  const auto g = run.pullback(vec{1.0});
  CHECK(g.params[0] == doctest::Approx(0.5 / std::sqrt(2.0)).epsilon(1e-10));
  CHECK(calls == run.counts().steps + 5);  // the recordings are calls as well
}

TEST_CASE("no step at all is the identity") {
  for (const auto kind : {schedule_kind::store_all, schedule_kind::store_states,
                          schedule_kind::binomial, schedule_kind::nested, schedule_kind::online}) {
    auto run = iterate<logistic>(0, {.max_steps = 0, .schedule = kind});
    CHECK(run.steps() == 0);
    CHECK(run.carry()[0] == 0.3);
    const auto g = run.pullback(vec{5.0});
    CHECK(g.carry[0] == 5);
    CHECK(g.params[0] == 0);
    CHECK(run.counts().steps == 0);
  }
}

TEST_CASE("a body over Eigen vectors: powers of a matrix") {
  const auto body = [](const auto& c, const auto& a, auto& next) { next = a * c; };
  const Eigen::MatrixXd a{{0.9, 0.2}, {-0.1, 0.8}};
  const Eigen::MatrixXd start{{1.0}, {2.0}}, w{{3.0}, {-1.0}};
  auto run = bounded_while_loop(always, body, start, a, {.max_steps = 7, .slots = 2});
  const auto g = run.pullback(w);

  Eigen::MatrixXd power = Eigen::MatrixXd::Identity(2, 2), by_a = Eigen::MatrixXd::Zero(2, 2);
  std::vector<Eigen::MatrixXd> carries{start};
  for (int i = 0; i < 7; ++i) carries.push_back(a * carries.back());
  for (int i = 6; i >= 0; --i) {  // ∂/∂A = Σ (Aᵀ)^{6−i} w x_iᵀ
    by_a += power.transpose() * w * carries[static_cast<std::size_t>(i)].transpose();
    power = power * a;
  }
  CHECK((run.carry() - carries.back()).norm() < 1e-14);
  CHECK((g.carry - power.transpose() * w).norm() < 1e-14);
  CHECK((g.params - by_a).norm() < 1e-13);
}

TEST_CASE("a float carry stays float") {
  auto run = bounded_while_loop(always, logistic{}, vec{0.3f}, vec{3.7f}, {.max_steps = 5});
  const auto g = run.pullback(vec{1.0f});
  static_assert(std::is_same_v<decltype(g.params), vec<float, 1>>);
  float x = 0.3f;
  for (int i = 0; i < 5; ++i) x = 3.7f * x * (1 - x);
  CHECK(run.carry()[0] == x);
  CHECK(g.params[0] == doctest::Approx(orbit(3.7, 5).by_r).epsilon(1e-5));
}

TEST_CASE("a body that throws at any call spoils nothing") {
  index calls = 0, throws_at = 0;
  const auto body = [&](const auto& c, const auto& p, auto& next) {
    if (++calls == throws_at) throw 7;
    logistic{}(c, p, next);
  };
  const loop_options o{.max_steps = 12, .slots = 2};
  auto run = bounded_while_loop(always, body, vec{0.3}, vec{3.7}, o);
  const auto expected = run.pullback(vec{1.0});
  calls = 0;
  run.pullback(vec{1.0});
  const index all = calls;
  for (index k = 1; k <= all; ++k) {
    CAPTURE(k);
    calls = 0;
    throws_at = k;
    REQUIRE_THROWS_AS(run.pullback(vec{1.0}), int);
    if (k % 5 == 0) REQUIRE(run.pullback(vec{1.0}).params == expected.params);
  }
  throws_at = 1;
  calls = 0;
  CHECK_THROWS_AS(bounded_while_loop(always, body, vec{0.3}, vec{3.7}, o), int);
}

TEST_CASE("misuse is refused before the body is called") {
  CHECK(refusal({.max_steps = -1}) ==
        "max_steps = -1 (a loop runs 0 steps or more) give max_steps >= 0?");
  CHECK(refusal({.schedule = schedule_kind::nested}) ==
        "the nested schedule without max_steps (its depth follows from the bound) give max_steps, "
        "or another schedule?");
  CHECK(refusal({.slots = 0}) ==
        "slots = 0 (a reverse pass needs at least the initial state) give slots >= 1?");
  CHECK(refusal({.max_steps = 10, .base = 1, .schedule = schedule_kind::nested}) ==
        "base = 1 (a chunk is split into at least 2) give base >= 2?");
  CHECK(refusal({}, 2) ==
        "a cotangent of 2 elements for a carry of 1 (they have the same shape) resize it?");
  CHECK(refusal({}) == "accepted");
}

}  // namespace revode
