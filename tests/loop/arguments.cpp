// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tuple>
#include <vector>

#include <revode/loop/bounded_while_loop.hpp>

// What a loop is called with, and where its gradient goes.

namespace revode {
namespace {
constexpr auto always = [](const auto&, const auto&) { return true; };
}  // namespace

TEST_CASE("frozen leaves are read by the body, and are nowhere else") {
  const vec<double, 1000> table{1, 2, 4};
  using carry = std::tuple<double, frozen<vec<double, 1000>>>;
  const auto body = [](const auto& c, const auto& q, auto& next) {
    const auto& [x, t] = c;
    std::get<0>(next) = x * q * (*t)[1];
    std::get<1>(next) = t;
  };
  auto run = bounded_while_loop(always, body, carry{1.0, frozen(table)}, 0.25,
                                {.max_steps = 10, .slots = 3});
  const auto g = run.pullback({1.0, {}});
  static_assert(sizeof(g.carry) == sizeof(double));
  CHECK(std::get<0>(g.carry) == 0x1p-10);
  CHECK(g.params == 10 * 0x1p-8);

  const auto by_params = [](const auto& c, const auto& q, auto& next) {
    next = c * std::get<0>(q) * (*std::get<1>(q))[1];
  };
  auto again = bounded_while_loop(always, by_params, 1.0, std::tuple(0.25, frozen(table)),
                                  {.max_steps = 10, .slots = 3});
  CHECK(std::get<0>(again.pullback(1.0).params) == 10 * 0x1p-8);
}

TEST_CASE("gradients are added to the caller's, in place") {
  const auto body = [](const auto& c, const auto& q, auto& next) {
    next[0] = q[0] * c[0];
    next[1] = q[1] * c[1];
  };
  const std::vector<double> c{1, 3}, q{0.5, 2};
  auto run = bounded_while_loop(always, body, c, q, {.max_steps = 8, .slots = 2});
  auto g = run.zero_gradient();
  const double* place = g.params.data();
  for (int time = 1; time <= 3; ++time) {
    run.pullback({1, 1}, g);
    CHECK(g.params.data() == place);
    CHECK(g.params == std::vector<double>{time * 8 * 0x1p-7, time * 8 * 3 * 0x1p7});
    CHECK(g.carry == std::vector<double>{time * 0x1p-8, time * 0x1p8});
  }
  g.params.pop_back();
  CHECK_THROWS_WITH_AS(run.pullback({1, 1}, g),
                       "a cotangent of 1 elements for the parameters of 2 (they have the same "
                       "shape) resize it?",
                       std::invalid_argument);
}

TEST_CASE("named parameters are referred to, temporaries are kept") {
  const void* seen = nullptr;
  const auto body = [&seen](const auto& c, const auto& q, auto& next) {
    seen = &q;
    next = c;
  };
  const std::vector<double> q{1, 2};
  auto run = bounded_while_loop(always, body, 1.0, q, {.max_steps = 1});
  CHECK(seen == &q);
  auto kept = bounded_while_loop(always, body, 1.0, std::vector<double>{1, 2}, {.max_steps = 1});
  CHECK(seen != &q);
  CHECK(kept.pullback(1.0).params == std::vector<double>{0, 0});
}

TEST_CASE("a body that changes the shape of the carry is refused") {
  const auto body = [](const auto& c, const auto&, auto& next) {
    next = c;
    next.push_back(0.0);
  };
  CHECK_THROWS_WITH_AS(
      bounded_while_loop(always, body, std::vector<double>{1}, 0.0, {.max_steps = 2}),
      "a body that made 3 elements of 1 (a carry keeps its shape) fill next, and do "
      "not resize it?",
      std::invalid_argument);
}

}  // namespace revode
