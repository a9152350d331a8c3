// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <tuple>

#include <revode/interop/eigen_recording.hpp>
#include <revode/loop/inner_loops.hpp>

#include "../adjoint/allocations.hpp"
#include "trees.hpp"

// Leaves of float and of double in one loop.

namespace revode {
namespace {

using matrix = Eigen::MatrixXf;
using vector = Eigen::VectorXf;
constexpr auto always = [](const auto&, const auto&) { return true; };

/// A clock in double beside a state in float, and what the state has done.
template <template <class> class Leaf = plain>
struct cell {
  Leaf<double> t;
  Leaf<vector> h;
  Leaf<vec<float, 2>> e;
  Leaf<double> work;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.t, self.h, self.e, self.work);
  }
};

/// Σ t_i (Σ h_i + e_0), with h_i = r^i h_0, e_i = r^i e_0, t_i = t_0 + i d
constexpr auto decay = [](const auto& c, const auto& p, auto& next) {
  const auto& [d, r] = p;
  next.t = c.t + d;
  next.h = r * c.h;
  for (int i = 0; i < 2; ++i) next.e[i] = r * c.e[i];
  next.work = c.work + c.t * (c.h.sum() + c.e[0]);
};
using rates = std::tuple<double, float>;
const cell<> start{1.5, vector{{1, 2}}, {0.5f, 8.0f}, 0};
const rates p{0.25, 0.5f};
const cell<cotangent_t> by_work{0, vector{{0, 0}}, {0, 0}, 1};

/// The field and its weights in float, the clock in double.
constexpr auto driven = [](const auto& c, const auto& q, auto& next) {
  using std::cos;
  const auto& [w, dt] = q;
  next.t = c.t + dt;
  next.h = (cos(c.t) * (w * c.h)).array().tanh().matrix() + dt * c.h;
  next.e[0] = c.e[1] * cast<float>(c.t);
  next.e[1] = c.e[0] - c.h[0];
  next.work = c.work + c.h.template cast<double>().squaredNorm() * dt;
};
const matrix weight{{0.5f, 0.1f}, {-0.3f, 0.8f}};
const std::tuple<matrix, double> driven_by{weight, 0.125};
const cell<cotangent_t> ones{1, vector{{1, 1}}, {1, 1}, 1};

/// The same step of a tree of which float and double both are double.
double loss(const Eigen::MatrixXd& w, double dt, double t0, int n) {
  double t = t0, work = 0;
  Eigen::VectorXd h{{1, 2}};
  vec<double, 2> e{0.5, 8};
  for (int i = 0; i < n; ++i) {
    const double first = h[0], square = h.squaredNorm();
    h = ((w * h) * std::cos(t)).array().tanh().matrix() + dt * h;
    e = {e[1] * t, e[0] - first};
    work += square * dt;
    t += dt;
  }
  return t + h.sum() + e[0] + e[1] + work;
}

}  // namespace

TEST_CASE("a double clock beside a float state: the sums of the closed form, each in its type") {
  const int n = 7;
  auto run = bounded_while_loop(always, decay, start, p, {.max_steps = n, .slots = 2});
  const auto g = run.pullback(by_work);
  static_assert(std::is_same_v<decltype(g.carry), cell<cotangent_t>>);
  static_assert(std::is_same_v<decltype(g.carry.h), vector>);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(g.params)>, rates>);
  double work = 0, by_t = 0, by_d = 0, by_r = 0, by_h = 0;
  for (int i = 0; i < n; ++i) {
    const double t = 1.5 + 0.25 * i, r = std::pow(0.5, i), sum = 3.5;
    work += t * sum * r;
    by_t += sum * r;
    by_d += i * sum * r;
    by_r += t * sum * i * r / 0.5;
    by_h += t * r;
  }
  CHECK(run.carry().t == 1.5 + 0.25 * n);
  CHECK(run.carry().work == work);
  CHECK(g.carry.t == by_t);
  CHECK(g.carry.h == vector{{static_cast<float>(by_h), static_cast<float>(by_h)}});
  CHECK(g.carry.e == vec{static_cast<float>(by_h), 0.0f});
  CHECK(std::get<0>(g.params) == by_d);
  CHECK(std::get<1>(g.params) == static_cast<float>(by_r));
}

TEST_CASE("float and double leaves give the same bits for every schedule, remat and inner loop") {
  const int n = 24;
  auto all = bounded_while_loop(always, driven, start, driven_by,
                                {.max_steps = n, .schedule = schedule_kind::store_all});
  const auto expected = all.pullback(ones);
  for (const schedule_kind kind : every_schedule)
    for (const index slots : {2, 5}) {
      CAPTURE(name(kind));
      auto run = bounded_while_loop(always, driven, start, driven_by,
                                    {.max_steps = n, .base = 3, .slots = slots, .schedule = kind});
      const auto g = run.pullback(ones);
      CHECK(bits(run.carry(), g.carry, g.params) ==
            bits(all.carry(), expected.carry, expected.params));
    }

  const auto once = remat(driven);
  const auto thrice = remat_scan(
      [&](const auto& c, const auto&, const auto& q, auto& next, auto&) { driven(c, q, next); },
      {.slots = 1});
  const auto in_parts = [&](const auto& c, const auto& q, auto& next) {
    auto middle = c;
    once(c, q, middle);
    thrice(middle, step_numbers{3}, q, next);
  };
  auto run = bounded_while_loop(always, in_parts, start, driven_by, {.max_steps = n / 4});
  const auto g = run.pullback(ones);
  CHECK(bits(run.carry()) == bits(all.carry()));
  CHECK((g.carry.h - expected.carry.h).norm() < 1e-6f * expected.carry.h.norm());
  CHECK((std::get<0>(g.params) - std::get<0>(expected.params)).norm() < 1e-4f);
  CHECK(g.carry.t == doctest::Approx(expected.carry.t).epsilon(1e-6));

  const Eigen::MatrixXd w = weight.cast<double>();
  const double h = 1e-5;
  const auto by_dt = (loss(w, 0.125 + h, 1.5, n) - loss(w, 0.125 - h, 1.5, n)) / (2 * h);
  CHECK(std::get<1>(expected.params) == doctest::Approx(by_dt).epsilon(1e-4));
  const auto by_t = (loss(w, 0.125, 1.5 + h, n) - loss(w, 0.125, 1.5 - h, n)) / (2 * h);
  CHECK(expected.carry.t == doctest::Approx(by_t).epsilon(1e-4));
  for (int k = 0; k < 4; ++k) {
    Eigen::MatrixXd more = w, less = w;
    more.data()[k] += h;
    less.data()[k] -= h;
    CHECK(std::get<0>(expected.params).data()[k] ==
          doctest::Approx((loss(more, 0.125, 1.5, n) - loss(less, 0.125, 1.5, n)) / (2 * h))
              .epsilon(1e-4));
  }
}

TEST_CASE("a scan of float columns into a double sum: each gradient in the type of its leaf") {
  const matrix xs{{1, 2, 3}, {4, 5, 6}};
  const auto body = [](const auto& sum, const auto& x, const auto& scale, auto& next, auto& out) {
    next = sum + scale * x.sum();
    out = cast<float>(next) * x[0];
  };
  auto run = scan(body, 0.5, xs, 2.0f, 0.0f, {.slots = 1});
  CHECK(run.carry() == 42.5);
  CHECK(run.outs() == std::vector{10.5f, 2 * 24.5f, 3 * 42.5f});
  const auto g = run.pullback(1.0, {0, 1, 0});  // of the last sum and the second output
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(g.xs)>, matrix>);
  CHECK(g.carry == 1 + 2);
  CHECK(g.params == 21.0f + 2 * 12);
  CHECK(g.xs == matrix{{2 + 4, 2 + 4 + 24.5f, 2}, {2 + 4, 2 + 4, 2}});
}

TEST_CASE("a clock that the float leaf does not read changes neither its bits nor its size") {
  const Eigen::Index rows = 90;
  const matrix w = matrix::Random(rows, rows) / 8, c0 = matrix::Random(rows, rows);
  const auto alone = [](const auto& c, const auto& q, auto& next) {
    next = (q * c).array().tanh();
  };
  const auto beside = [](const auto& c, const auto& q, auto& next) {
    std::get<0>(next) = (q * std::get<0>(c)).array().tanh();
    std::get<1>(next) = std::get<1>(c) + 0.01;
  };
  std::vector<unsigned char> of_matrix[2];
  double matrices[2];
  const auto measure = [&](int which, const auto& body, const auto& carry, const auto& bar,
                           const auto& matrix_of) {
    for (int time = 0; time < 2; ++time) {
      const allocation_counts before = allocations_now();
      watch_peak();
      auto run = bounded_while_loop(always, body, carry, w, {.max_steps = 20, .slots = 3});
      const auto g = run.pullback(bar);
      const auto peak = allocations_now().peak_bytes - before.live_bytes;
      of_matrix[which] = bits(matrix_of(run.carry()), matrix_of(g.carry), g.params);
      matrices[which] = static_cast<double>(peak) / static_cast<double>(4 * rows * rows);
    }
  };
  measure(0, alone, c0, c0, [](const auto& c) { return c; });
  measure(1, beside, std::tuple(c0, 0.5), std::tuple(c0, 1.0),
          [](const auto& c) { return std::get<0>(c); });
  CHECK(of_matrix[0] == of_matrix[1]);
  CHECK(matrices[1] < matrices[0] + 0.1);
  MESSAGE(matrices[0], " float matrices alone, ", matrices[1], " beside a clock");
}

}  // namespace revode
