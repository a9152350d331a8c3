// SPDX-License-Identifier: Apache-2.0
#include <revode/loop/remat.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include <revode/loop/bounded_while_loop.hpp>
#include <revode/loop/scan.hpp>

#include "trees.hpp"

namespace revode {
namespace {

constexpr auto always = [](const auto&, const auto&) { return true; };
const vec<double, 2> start{0.3, -0.2};
const std::tuple<double, double> params{0.7, 1.3};

/// r = (sin(a) b, cos(b) a): something with intermediate values.
constexpr auto turn = [](const auto& a, const auto& b, auto& r) {
  using std::cos;
  using std::sin;
  r[0] = sin(a) * b;
  r[1] = cos(b) * a;
};

/// A body that calls `inner` twice, on elements, parameters and a result of the first call.
template <class Inner>
auto body_of(const Inner& inner) {
  return [inner](const auto& c, const auto& p, auto& next) {
    auto middle = c;
    inner(c[0], std::get<0>(p), middle);
    inner(middle[1] * c[1], std::get<1>(p), next);
    next[0] = next[0] + middle[0];
  };
}

template <class Body>
auto gradient(const Body& body, const loop_options& o) {
  auto run = bounded_while_loop(always, body, start, params, o);
  const auto g = run.pullback({1.0, -2.0});
  return std::pair(bits(run.carry(), g.carry, g.params), run.counts().steps);
}

}  // namespace

TEST_CASE("remat gives the numbers of the plain body, and records its function once more") {
  const index n = 20;
  const loop_options o{.max_steps = n, .slots = 3, .schedule = schedule_kind::binomial};
  index calls = 0;
  const auto counted = [&calls](const auto& a, const auto& b, auto& r) {
    ++calls;
    turn(a, b, r);
  };
  const auto plain_run = gradient(body_of(turn), o);
  const auto counted_run = gradient(body_of(counted), o);
  CHECK(calls == 2 * (plain_run.second + n));
  calls = 0;
  const auto remat_run = gradient(body_of(remat(counted)), o);
  CHECK(calls == 2 * (plain_run.second + 2 * n));
  CHECK(remat_run.first == plain_run.first);
  CHECK(counted_run.first == plain_run.first);
}

TEST_CASE("remat made in the body at each call works as well") {
  const loop_options o{.max_steps = 7, .slots = 2};
  const auto body = [](const auto& c, const auto& p, auto& next) {
    body_of(remat(turn))(c, p, next);
  };
  CHECK(gradient(body, o).first == gradient(body_of(turn), o).first);
}

TEST_CASE("remat of a body that has remats: two levels") {
  const loop_options o{.max_steps = 9, .slots = 2};
  const auto outer = remat(body_of(remat(turn)));
  const auto body = [&](const auto& c, const auto& p, auto& next) {
    outer(c, p, next);
    next[1] = next[1] + c[0];
  };
  const auto flat = [](const auto& c, const auto& p, auto& next) {
    body_of(turn)(c, p, next);
    next[1] = next[1] + c[0];
  };
  const auto deep = gradient(body, o), shallow = gradient(flat, o);
  // the same products, added in another order
  REQUIRE(deep.first.size() == shallow.first.size());
  for (std::size_t k = 0; k < deep.first.size(); k += sizeof(double)) {
    double a, b;
    std::memcpy(&a, &deep.first[k], sizeof a);
    std::memcpy(&b, &shallow.first[k], sizeof b);
    CHECK(a == doctest::Approx(b).epsilon(1e-13));
  }
}

TEST_CASE("remat around a whole loop body is that body") {
  const auto step = [](const auto& c, const auto& x, const auto& p, auto& next, auto& out) {
    using std::tanh;
    next = tanh(p * c + x);
    out = next * c;
  };
  const std::vector<double> xs{0.1, -0.4, 0.8, 0.2, -0.9}, ones(5, 1.0);
  auto bare = scan(step, 0.5, xs, 0.9, 0.0, {.slots = 2});
  auto wrapped = scan(remat(step), 0.5, xs, 0.9, 0.0, {.slots = 2});
  const auto g = bare.pullback(1.0, ones), h = wrapped.pullback(1.0, ones);
  CHECK(bits(g.carry, g.xs, g.params) == bits(h.carry, h.xs, h.params));
}

TEST_CASE("a constant argument gets no derivative, and a call of constants leaves no trace") {
  const auto inner = remat([](const auto& a, const auto& b, auto& r) { r = a * a * b; });
  const auto body = [&](const auto& c, const auto& p, auto& next) {
    auto square = p;
    inner(c, 3.0, next);
    inner(2.0, 5.0, square);  // 20, whatever c and p are
    next = next + square * p;
  };
  auto run = bounded_while_loop(always, body, 0.5, 0.25, {.max_steps = 1});
  const auto g = run.pullback(1.0);
  CHECK(run.carry() == 0.75 + 5);
  CHECK(g.carry == 3.0);
  CHECK(g.params == 20);
}

TEST_CASE("an exception in a remat's function spoils nothing") {
  index calls = 0, throws_at = 0;
  const auto thrower = [&](const auto& a, const auto& b, auto& r) {
    if (++calls == throws_at) throw 7;
    turn(a, b, r);
  };
  const auto body = body_of(remat(thrower));
  auto run = bounded_while_loop(always, body, start, params, {.max_steps = 5, .slots = 2});
  const auto g = run.pullback({1.0, -2.0});
  const auto expected = bits(g.carry, g.params);
  calls = 0;
  run.pullback({1.0, -2.0});
  const index all = calls;
  for (index k = 1; k <= all; ++k) {
    CAPTURE(k);
    calls = 0;
    throws_at = k;
    REQUIRE_THROWS_AS(run.pullback({1.0, -2.0}), int);
    const auto again = run.pullback({1.0, -2.0});
    REQUIRE(bits(again.carry, again.params) == expected);
  }
}

}  // namespace revode
