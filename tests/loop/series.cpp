// SPDX-License-Identifier: Apache-2.0
#include "trees.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/loop/scan.hpp>

namespace revode {
namespace {

/// c ← w c + b: a layer of one number, over its leaves.
template <template <class> class Leaf = plain>
struct layer {
  Leaf<double> w, b;
  using scalar = double;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.w, self.b);
  }
};

constexpr auto apply_layer = [](const auto& c, const auto& x, const auto& scale, auto& next,
                                auto& out) {
  next = scale * (x.w * c + x.b);
  out = c * c;
};

std::vector<layer<>> stack_of(std::size_t n) {
  std::vector<layer<>> stack;  // dyadic numbers: every product and sum is exact
  for (std::size_t k = 0; k < n; ++k)
    stack.push_back({k % 3 == 0 ? 2.0 : 0.5, k % 2 == 0 ? 1.0 : -1.0});
  return stack;
}

/// c ← tanh(p c + x), out = c · x.
constexpr auto rnn = [](const auto& c, const auto& x, const auto& p, auto& next, auto& out) {
  using std::tanh;
  out = 0 * c[0];
  for (int i = 0; i < 2; ++i) {
    next[i] = tanh(p[0] * c[i] + p[1] * c[1 - i] + x[i]);
    out = out + next[i] * x[i];
  }
};

/// The same with its own pull.
struct rnn_with_pull {
  template <class C, class X, class P, class O>
  void operator()(const C& c, const X& x, const P& p, C& next, O& out) const {
    rnn(c, x, p, next, out);
  }
  template <class C, class X, class P>
  void pull(const C& c, const X& x, const P& p, const C& next_bar, double out_bar, C& c_bar,
            X& x_bar, P& p_bar) const {
    for (int i = 0; i < 2; ++i) {
      const double y = std::tanh(p[0] * c[i] + p[1] * c[1 - i] + x[i]);
      const double a = (next_bar[i] + out_bar * x[i]) * (1 - y * y);
      x_bar[i] += out_bar * y + a;
      c_bar[i] += a * p[0];
      c_bar[1 - i] += a * p[1];
      p_bar[0] += a * c[i];
      p_bar[1] += a * c[1 - i];
    }
  }
};

using pair_of_numbers = vec<double, 2>;
const pair_of_numbers start{0.1, -0.3}, mixing{0.8, -0.4}, w{1, -2};

std::vector<pair_of_numbers> inputs(std::size_t n) {
  std::vector<pair_of_numbers> xs;
  for (std::size_t k = 0; k < n; ++k) {
    const double t = static_cast<double>(k);
    xs.push_back({std::sin(0.3 * t), 0.2 * std::cos(t)});
  }
  return xs;
}

}  // namespace

TEST_CASE("stacked layers: each layer's gradient in its place, exactly") {
  const std::size_t n = 12;
  const auto stack = stack_of(n);
  std::vector<double> c{1.0};
  for (const auto& l : stack) c.push_back(l.w * c.back() + l.b);
  for (const index slots : {1, 2, 4, 100}) {
    auto run = scan(apply_layer, 1.0, stack, 1.0, 0.0, {.slots = slots});
    const auto g = run.pullback(1.0);
    static_assert(std::is_same_v<decltype(g.xs), std::vector<layer<cotangent_t>>>);
    CHECK(run.carry() == c.back());
    double bar = 1, scale_bar = 0;
    for (std::size_t k = n; k-- > 0;) {
      CHECK(g.xs[k].w == bar * c[k]);
      CHECK(g.xs[k].b == bar);
      scale_bar += bar * c[k + 1];
      bar *= stack[k].w;
    }
    CHECK(g.carry == bar);
    CHECK(g.params == scale_bar);
  }
}

TEST_CASE("a scan of 3000 inputs and outputs keeps as many carries as its logarithm") {
  const std::size_t n = 3000;
  const auto xs = inputs(n);
  const std::vector<double> ones(n, 1.0);
  auto all = scan(rnn, start, xs, mixing, 0.0, {.schedule = schedule_kind::store_all});
  const auto g = all.pullback(w, ones);
  const auto expected = bits(g.carry, g.xs, g.params, all.outs());
  for (const index slots : {3, 6, 12}) {
    auto run = scan(rnn, start, xs, mixing, 0.0, {.slots = slots});
    const auto h = run.pullback(w, ones);
    CHECK(bits(h.carry, h.xs, h.params, run.outs()) == expected);
    CHECK(run.peak_states() == slots);
    CHECK(run.counts().steps == static_cast<index>(n) + extra_steps(static_cast<index>(n), slots));
  }
}

TEST_CASE("the gradient of every input, by central differences") {
  const auto xs = inputs(9);
  const std::vector<double> ones(9, 1.0);
  auto run = scan(rnn, start, xs, mixing, 0.0, {.slots = 2});
  const auto g = run.pullback(w, ones);
  const auto loss = [&](const std::vector<pair_of_numbers>& series) {
    auto r = scan(rnn, start, series, mixing, 0.0, {.keep = false});
    double sum = w[0] * r.carry()[0] + w[1] * r.carry()[1];
    for (const double out : r.outs()) sum += out;
    return sum;
  };
  for (std::size_t k = 0; k < 9; ++k)
    for (int i = 0; i < 2; ++i) {
      auto more = xs, less = xs;
      more[k][i] += 1e-5;
      less[k][i] -= 1e-5;
      CHECK(std::abs((loss(more) - loss(less)) / 2e-5 - g.xs[k][i]) < 1e-9);
    }
}

TEST_CASE("columns of an Eigen matrix, vectors and arrays are the same series") {
  const auto xs = inputs(10);
  const std::vector<double> ones(10, 1.0);
  std::array<pair_of_numbers, 10> array;
  Eigen::Matrix2Xd columns(2, 10);
  for (std::size_t k = 0; k < 10; ++k) {
    array[k] = xs[k];
    columns.col(static_cast<Eigen::Index>(k)) << xs[k][0], xs[k][1];
  }
  auto run = scan(rnn_with_pull{}, start, xs, mixing, 0.0, {.slots = 3});
  const auto g = run.pullback(w, ones);
  const auto check = [&](const auto& series) {
    auto other = scan(rnn_with_pull{}, start, series, mixing, 0.0, {.slots = 3});
    const auto h = other.pullback(w, ones);
    CHECK(bits(other.carry(), other.outs()) == bits(run.carry(), run.outs()));
    CHECK(bits(h.carry, h.xs, h.params) == bits(g.carry, g.xs, g.params));
  };
  check(array);
  check(columns);
  auto recorded = scan(rnn, start, xs, mixing, 0.0, {.slots = 3});
  CHECK(bits(recorded.pullback(w, ones).params).size() == 16);
}

TEST_CASE("frozen inputs have no cotangents, and the others do not notice") {
  const auto xs = inputs(10);
  const std::vector<double> ones(10, 1.0);
  const auto check = [&](const auto& body) {
    auto run = scan(body, start, xs, mixing, 0.0, {.slots = 3});
    const auto g = run.pullback(w, ones);
    auto without = scan(body, start, frozen(xs), mixing, 0.0, {.slots = 3});
    const auto h = without.pullback(w, ones);
    static_assert(std::is_same_v<decltype(h.xs), no_cotangent>);
    CHECK(bits(h.carry, h.params) == bits(g.carry, g.params));
  };
  check(rnn);
  check(rnn_with_pull{});
}

TEST_CASE("a series of step numbers: x is the step's number") {
  const auto body = [](const auto& c, index i, const auto& p, auto& next, auto& out) {
    next = c + p * static_cast<double>(i);
    out = i;
  };
  auto run = scan(body, 0.0, step_numbers{100}, 2.0, index{0}, {.slots = 4});
  const auto g = run.pullback(1.0);
  static_assert(std::is_same_v<decltype(g.xs), no_cotangent>);
  CHECK(run.carry() == 2 * 4950);
  CHECK(run.outs()[99] == 99);
  CHECK(g.params == 4950);
  CHECK(g.carry == 1);
}

TEST_CASE("outputs that are trees, with labels beside the numbers") {
  using output = std::tuple<double, index>;
  const auto body = [](const auto& c, const auto& x, const auto& p, auto& next, auto& out) {
    next = p * c + x;
    std::get<0>(out) = next * next;
    std::get<1>(out) = next > 0 ? 1 : -1;
  };
  const std::vector<double> xs{1, -2, 4, -8};
  auto run = scan(body, 1.0, xs, 0.5, output{}, {.slots = 1});
  std::vector<std::tuple<double, no_cotangent>> outs_bar(4);
  std::get<0>(outs_bar[1]) = 1;  // d/dp of (p (p c + x0) + x1)² at p = 1/2, c = 1: 2 · −1.25 · 2
  const auto g = run.pullback(0.0, outs_bar);
  CHECK(std::get<0>(run.outs()[1]) == 1.25 * 1.25);
  CHECK(std::get<1>(run.outs()[1]) == -1);
  CHECK(g.params == 2 * -1.25 * 2);
  CHECK(g.xs == std::vector<double>{-1.25, -2.5, 0, 0});
}

TEST_CASE("gradients of inputs and parameters are added to the caller's") {
  const auto stack = stack_of(6);
  auto run = scan(apply_layer, 1.0, stack, 1.0, 0.0, {.slots = 2});
  const auto once = run.pullback(1.0);
  auto g = run.zero_gradient();
  const auto* place = g.xs.data();
  run.pullback(1.0, {}, g);
  run.pullback(1.0, {}, g);
  CHECK(g.xs.data() == place);
  for (std::size_t k = 0; k < 6; ++k) CHECK(g.xs[k].w == 2 * once.xs[k].w);
  CHECK(g.params == 2 * once.params);
  g.xs.pop_back();
  CHECK_THROWS_WITH_AS(run.pullback(1.0, {}, g),
                       "5 parts where there are 6 (parallel trees have the same shape) resize it?",
                       std::invalid_argument);
}

}  // namespace revode
