// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <tuple>
#include <vector>

#include <revode/interop/eigen_recording.hpp>
#include <revode/loop/inner_loops.hpp>

#include "../adjoint/allocations.hpp"
#include "trees.hpp"

namespace revode {
namespace {

using matrix = Eigen::MatrixXd;
using vector = Eigen::VectorXd;
constexpr auto always = [](const auto&, const auto&) { return true; };

/// Everything that a carry may consist of.
template <template <class> class Leaf = plain>
struct cell {
  Leaf<vector> h;
  Leaf<vec<double, 2>> e;
  Leaf<double> x;
  Leaf<index> step;
  Leaf<frozen<matrix>> w;
  using scalar = double;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.h, self.e, self.x, self.step, self.w);
  }
};

constexpr auto cell_step = [](const auto& c, const auto& p, auto& next) {
  using std::sin;
  next.h = ((*c.w * c.h) * p[0] + 0.1 * c.h).array().tanh().matrix();
  next.e[0] = c.e[0] * p[1] + c.h.sum() * noise(c.step);
  next.e[1] = c.e[1] + c.h[0] * c.x;
  next.x = sin(c.x) + c.h.squaredNorm();
  next.step = c.step + 1;
  next.w = c.w;
};

const matrix weight{{0.5, 0.1}, {-0.3, 0.8}};
const cell<> start{vector{{1, 2}}, {0.5, 0.25}, 0.3, 0, frozen(weight)};
const vec<double, 2> rates{0.9, 0.8};
const cell<cotangent_t> ones{vector{{1, 1}}, {1, 1}, 1, {}, {}};
constexpr auto until_12 = [](const auto& c, const auto&) { return c.step < 12; };

double loss(const vec<double, 2>& p) {
  auto run = bounded_while_loop(until_12, cell_step, start, p, {.keep = false});
  const cell<>& c = run.carry();
  return c.h.sum() + c.e[0] + c.e[1] + c.x;
}

/// R1 of the design: the sum of x (y + z) over ys, z a big matrix, the plain body.
constexpr auto add_product = [](const auto& sum, const auto& y, const auto& p, auto& next, auto&) {
  next = (sum.array() + std::get<0>(p) * (y + (*std::get<1>(p)).array())).matrix();
};

}  // namespace

TEST_CASE("powers of a matrix through the array recording: the sum of their closed form") {
  const matrix a{{0.9, 0.2}, {-0.1, 0.8}}, c0{{1.0}, {2.0}}, w{{3.0}, {-1.0}};
  const auto body = [](const auto& c, const auto& p, auto& next) { next = p * c; };
  auto run = bounded_while_loop(always, body, c0, a, {.max_steps = 7, .slots = 2});
  const auto g = run.pullback(w);
  matrix power = matrix::Identity(2, 2), by_a = matrix::Zero(2, 2);
  std::vector<matrix> carries{c0};
  for (int i = 0; i < 7; ++i) carries.push_back(a * carries.back());
  for (std::size_t i = 7; i-- > 0;) {  // ∂/∂A = Σ (Aᵀ)^{6−i} w x_iᵀ
    by_a += power.transpose() * w * carries[i].transpose();
    power = power * a;
  }
  CHECK((g.carry - power.transpose() * w).norm() < 1e-14);
  CHECK((g.params - by_a).norm() < 1e-13);
}

TEST_CASE("matrices, vecs, numbers, integers and frozen weights in one carry") {
  auto run = bounded_while_loop(until_12, cell_step, start, rates, {.slots = 3});
  const auto g = run.pullback(ones);
  CHECK(run.carry().step == 12);
  for (int i = 0; i < 2; ++i) {
    vec<double, 2> more = rates, less = rates;
    more[i] += 1e-6;
    less[i] -= 1e-6;
    CHECK(std::abs((loss(more) - loss(less)) / 2e-6 - g.params[i]) < 1e-8);
  }
  auto all =
      bounded_while_loop(until_12, cell_step, start, rates, {.schedule = schedule_kind::store_all});
  const auto expected = all.pullback(ones);
  for (const schedule_kind kind : every_schedule) {
    CAPTURE(name(kind));
    auto other = bounded_while_loop(until_12, cell_step, start, rates,
                                    {.max_steps = 100, .base = 3, .slots = 2, .schedule = kind});
    const auto h = other.pullback(ones);
    CHECK(bits(other.carry().h, h.carry, h.params) ==
          bits(all.carry().h, expected.carry, expected.params));
  }
}

TEST_CASE("remat and inner loops take matrices and frozen leaves as they take numbers") {
  const auto one = remat(cell_step);
  const auto three = remat_while([](const auto& c, const auto&) { return c.step % 3 != 0; },
                                 cell_step, {.slots = 1});
  const auto body = [&](const auto& c, const auto& p, auto& next) {
    auto middle = c;
    one(c, p, middle);
    three(middle, p, next);
  };
  auto run = bounded_while_loop(until_12, body, start, rates, {.slots = 2});
  auto flat = bounded_while_loop(until_12, cell_step, start, rates, {.slots = 2});
  const auto g = run.pullback(ones), expected = flat.pullback(ones);
  CHECK(run.steps() == 4);
  CHECK(run.carry().h == flat.carry().h);
  CHECK((g.carry.h - expected.carry.h).norm() < 1e-14);
  for (int i = 0; i < 2; ++i) {
    CHECK(g.params[i] == doctest::Approx(expected.params[i]).epsilon(1e-13));
    CHECK(g.carry.e[i] == doctest::Approx(expected.carry.e[i]).epsilon(1e-13));
  }
}

TEST_CASE("a stack of layers inside a recurrence: remat_scan, in place and exact") {
  // c ← W_k c with dyadic diagonal weights: d/dW_k is exact
  const auto layer = [](const auto& c, const auto& w, const auto&, auto& next, auto&) {
    next = w * c;
  };
  const auto stack = remat_scan(layer, {.slots = 2});
  const auto step = [&](const auto& c, const auto& x, const auto& layers, auto& next, auto&) {
    stack(c, layers, 0.0, next);
    next = next + x;
  };
  const std::vector<matrix> layers{matrix{{2.0, 0.0}, {0.0, 0.5}}, matrix{{0.5, 0.0}, {0.0, 4.0}},
                                   matrix{{1.0, 0.0}, {0.0, 0.25}}};
  const matrix xs = matrix::Ones(2, 6);
  const vector c0{{1, -1}}, w{{1, 2}};
  auto run = scan(step, c0, xs, layers, no_values<double>{}, {.slots = 2});
  const auto g = run.pullback(w);
  // both diagonals multiply to 1 and 1/2: c_i = c_0 + i, and c_0/2^i + 2 (1 − 1/2^i)
  const auto upper = [](double i) { return 1 + i; };
  const auto lower = [](double i) { return -std::pow(0.5, i) + 2 * (1 - std::pow(0.5, i)); };
  double by_upper = 0, by_lower = 0;
  for (int i = 0; i < 6; ++i) {
    by_upper += upper(i);                                   // w = 1, every later product is 1
    by_lower += 2 * std::pow(0.5, 5 - i) * lower(i) * 0.5;  // w = 2, times the other two layers
  }
  CHECK(run.carry()[0] == upper(6));
  CHECK(run.carry()[1] == lower(6));
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(g.params[k](0, 0) == by_upper / layers[k](0, 0));
    CHECK(g.params[k](1, 1) == doctest::Approx(by_lower / layers[k](1, 1)).epsilon(1e-15));
  }
  CHECK(g.carry == vector{{1, 2 * std::pow(0.5, 6)}});
  CHECK(g.xs.col(5) == w);
  CHECK(g.xs(1, 0) == 2 * std::pow(0.5, 5));
}

TEST_CASE("float matrices stay float") {
  const Eigen::MatrixXf a{{0.5f, 0.25f}, {-0.25f, 0.5f}};
  const Eigen::VectorXf c0{{1, 2}};
  const auto body = [](const auto& c, const auto& p, auto& next) { next = p * c; };
  auto run = bounded_while_loop(always, body, c0, a, {.max_steps = 3});
  const auto g = run.pullback(c0);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(g.params)>, Eigen::MatrixXf>);
  CHECK(g.carry == (a * a * a).transpose() * c0);
}

TEST_CASE("memory of a plain body on matrices: flat in the length, nothing allocated per step") {
  const matrix z = matrix::Ones(60, 60), c0 = matrix::Zero(60, 60);
  const matrix w = matrix::Constant(60, 60, 1.0 / 3600);
  const std::tuple<double, frozen<matrix>> p{0.5, frozen(z)};
  const double unit = 8.0 * 3600;
  struct measured {
    double matrices;
    long calls;
  };
  const auto measure = [&](std::size_t n) {
    const std::vector<double> ys(n, 1.0);
    const allocation_counts before = allocations_now();
    watch_peak();
    auto run = scan(add_product, c0, ys, p, no_values<double>{}, {.slots = 3});
    const auto g = run.pullback(w);
    const allocation_counts after = allocations_now();
    const double length = static_cast<double>(n);
    CHECK(run.carry()(7, 9) == length);
    CHECK(std::get<0>(g.params) == doctest::Approx(2 * length).epsilon(1e-12));
    CHECK(g.xs[0] == doctest::Approx(0.5).epsilon(1e-12));
    return measured{static_cast<double>(after.peak_bytes - before.live_bytes) / unit,
                    after.calls - before.calls};
  };
  measure(5);
  const measured five = measure(5), thousand = measure(1000);
  CHECK(thousand.matrices < 1.05 * five.matrices);
  CHECK(thousand.calls == five.calls);
  // initial, working, taped and final carry, two cotangents; three snapshots; and the recording of
  // one step, three operations
  CHECK(five.matrices < 6 + 3 + 3 + 0.5);
  MESSAGE("5 steps: ", five.matrices, " matrices, ", five.calls,
          " allocations; 1000 steps: ", thousand.matrices);
}

}  // namespace revode
