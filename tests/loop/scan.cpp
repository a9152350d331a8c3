// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/loop/scan.hpp>

namespace revode {
namespace {

using number = vec<double, 1>;

/// c ← p c + x, out = c².
struct filter {
  template <class C, class X, class P, class O>
  void operator()(const C& c, const X& x, const P& p, C& next, O& out) const {
    next[0] = p[0] * c[0] + x[0];
    out[0] = c[0] * c[0];
  }
};

struct filter_with_pull : filter {
  int* pulls = nullptr;
  template <class C, class X, class P, class O>
  void pull(const C& c, const X&, const P& p, const C& next_bar, const O& out_bar, C& c_bar,
            X& x_bar, P& p_bar) const {
    ++*pulls;
    c_bar[0] += muladd(next_bar[0], p[0], muladd(out_bar[0], c[0], out_bar[0] * c[0]));
    x_bar[0] += next_bar[0];
    p_bar[0] += next_bar[0] * c[0];
  }
};

const std::vector<number> inputs{{1}, {-2}, {0.5}, {3}, {1.5}, {-1}, {2}, {0.25}, {-0.5}, {1}};
const number start{0.75}, rate{0.6};

/// The carries c_0 … c_n by hand.
std::vector<double> carries() {
  std::vector<double> c{start[0]};
  for (const number& x : inputs) c.push_back(rate[0] * c.back() + x[0]);
  return c;
}

std::string refusal(const loop_options& o, std::size_t outs = 0, int out_size = 1) {
  index calls = 0;
  const auto body = [&calls](const auto& c, const auto&, const auto&, auto& next, auto&) {
    ++calls;
    next = c;
  };
  try {
    auto run = scan(body, start, inputs, rate, std::vector{0.0}, o);
    calls = 0;
    run.pullback(number{1},
                 std::vector(outs, std::vector<double>(static_cast<std::size_t>(out_size))));
  } catch (const std::invalid_argument& misuse) {
    return calls == 0 ? misuse.what() : "the body was called";
  }
  return "accepted";
}

}  // namespace

TEST_CASE("ten steps in three slots: 25 evaluations, three carries") {
  auto run = scan(filter{}, start, inputs, rate, number{}, {.slots = 3});
  run.pullback(number{1});
  CHECK(run.counts().steps == 25);
  CHECK(run.counts().replayed == 15);
  CHECK(run.counts().restores == 9);
  CHECK(run.peak_states() == 3);
}

TEST_CASE("carry and outputs come in order") {
  auto run = scan(filter{}, start, inputs, rate, number{});
  const auto c = carries();
  CHECK(run.carry()[0] == c.back());
  REQUIRE(run.outs().size() == 10);
  for (std::size_t i = 0; i < 10; ++i) CHECK(run.outs()[i][0] == c[i] * c[i]);
}

TEST_CASE("cotangents of the start, the inputs and the parameters, by hand") {
  const auto c = carries();
  std::vector<number> w;
  for (int i = 0; i < 10; ++i) w.push_back({0.1 * i - 0.4});
  for (const index slots : {1, 2, 5, 100}) {
    auto run = scan(filter{}, start, inputs, rate, number{}, {.slots = slots});
    const auto g = run.pullback(number{3}, w);

    double bar = 3, rate_bar = 0;
    for (std::size_t i = 10; i-- > 0;) {
      CHECK(g.xs[i][0] == doctest::Approx(bar).epsilon(1e-15));
      rate_bar += bar * c[i];
      bar = rate[0] * bar + 2 * w[i][0] * c[i];
    }
    CHECK(g.carry[0] == doctest::Approx(bar).epsilon(1e-14));
    CHECK(g.params[0] == doctest::Approx(rate_bar).epsilon(1e-14));
  }
}

TEST_CASE("outputs without cotangents do not count") {
  auto run = scan(filter{}, start, inputs, rate, number{});
  const auto g = run.pullback(number{1});
  CHECK(g.carry[0] == doctest::Approx(std::pow(0.6, 10)).epsilon(1e-14));
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(g.xs[i][0] == doctest::Approx(std::pow(0.6, 9 - static_cast<double>(i))).epsilon(1e-14));
}

TEST_CASE("every schedule gives the same bits, with the body's own pull as well") {
  const std::vector<number> w(10, number{0.5});
  auto all = scan(filter{}, start, inputs, rate, number{}, {.schedule = schedule_kind::store_all});
  const auto expected = all.pullback(number{1}, w);
  CHECK(all.counts().replayed == 0);

  const auto check = [&](auto&& body, const loop_options& o) {
    auto run = scan(body, start, inputs, rate, number{}, o);
    for (const int time : {1, 2}) {
      CAPTURE(time);
      const auto g = run.pullback(number{1}, w);
      CHECK(g.carry == expected.carry);
      CHECK(g.params == expected.params);
      CHECK(g.xs == expected.xs);
    }
    return run.counts();
  };
  for (index slots = 1; slots <= 11; ++slots) check(filter{}, {.slots = slots});
  for (index slots = 1; slots <= 11; ++slots)
    check(filter{}, {.slots = slots, .schedule = schedule_kind::online});
  check(filter{}, {.schedule = schedule_kind::store_states});
  for (const index base : {2, 3, 16}) {  // the second pullback repeats the first sweep
    const auto counts = check(filter{}, {.base = base, .schedule = schedule_kind::nested});
    CHECK(counts.steps == nesting_depth(base, 10) * 10);
  }
  int pulls = 0;
  filter_with_pull own;
  own.pulls = &pulls;
  check(own, {.slots = 3});
  CHECK(pulls == 20);
}

TEST_CASE("no inputs: the identity") {
  auto run = scan(filter{}, start, std::vector<number>{}, rate, number{});
  const auto g = run.pullback(number{2});
  CHECK(run.carry() == start);
  CHECK(g.carry[0] == 2);
  CHECK(g.xs.empty());
  CHECK(g.params[0] == 0);
}

TEST_CASE("a recurrent cell over Eigen vectors agrees with differences") {
  const auto cell = [](const auto& c, const auto& x, const auto& p, auto& next, auto& out) {
    using std::tanh;
    for (int i = 0; i < 2; ++i) {
      next[i] = tanh(p[0] * c[i] + p[1] * c[1 - i] + x[i]);
      out[i] = next[i] * c[i];
    }
  };
  using state = Eigen::VectorXd;
  const state c{{0.1, -0.3}};
  std::vector<state> xs;
  for (int i = 0; i < 12; ++i) xs.push_back(state{{0.1 * i, 0.5 - 0.05 * i}});
  const std::vector<state> w(12, state{{1, -2}});
  const auto loss = [&](const state& p) {
    auto run = scan(cell, c, xs, p, state(2));
    double sum = run.carry().sum();
    for (const state& out : run.outs()) sum += out[0] - 2 * out[1];
    return sum;
  };
  const state p{{0.8, -0.4}}, ones{{1, 1}};
  auto run = scan(cell, c, xs, p, state(2), {.slots = 3});
  const auto g = run.pullback(ones, w);
  for (int k = 0; k < 2; ++k) {
    state more = p, less = p;
    more[k] += 1e-6;
    less[k] -= 1e-6;
    CHECK(std::abs((loss(more) - loss(less)) / 2e-6 - g.params[k]) < 1e-8);
  }
}

TEST_CASE("misuse is refused before the body is called") {
  CHECK(refusal({}, 9) ==
        "9 cotangents for 10 outputs (one belongs to each) give as many, or none?");
  CHECK(refusal({}, 10, 2) ==
        "a cotangent of 2 elements for an output of 1 (they have the same shape) resize it?");
  CHECK(refusal({.max_steps = 3}) ==
        "max_steps = 3 for a scan of 10 inputs (it visits each of them) leave max_steps out?");
  CHECK(refusal({.slots = 0}) ==
        "slots = 0 (a reverse pass needs at least the initial state) give slots >= 1?");
  CHECK(refusal({}, 10) == "accepted");
}

}  // namespace revode
