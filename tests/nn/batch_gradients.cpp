// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/batch/batch_solver.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern6.hpp>
#include <revode/testing/laws.hpp>

#include "../refusal.hpp"
#include "pendulums.hpp"

namespace revode {
namespace {

using matrix = Eigen::MatrixXd;
using flat = Eigen::VectorXd;
using network = nn::neural_field<nn::mlp>;

const options with_ends{.rtol = 1e-7, .atol = 1e-7, .save = {.t0 = true, .t1 = true}};

/// Samples with intervals, save points and numbers of steps of their own; one goes backwards, one stands
/// still.
template <class F>
batch_problem<F, matrix, flat> some_batch(const F& f, const flat& p) {
  random_numbers random(5);
  batch_problem b{f, random.like(matrix(2, 7)), {}, {}, p};
  for (int j = 0; j < 7; ++j) {
    b.t0.push_back(0.1 * j);
    b.t1.push_back(j == 3 ? 0.3 : j == 5 ? -2.0 : 1.0 + 0.7 * j);
    const double from = b.t0.back(), span = b.t1.back() - from;
    b.save_ts.push_back(
        {from, from + 0.3 * span, from + 0.31 * span, from + 0.31 * span, b.t1.back()});
  }
  return b;
}
auto networks() {
  const network f(nn::mlp({3, 16, 2}), nn::time_input::yes);
  return some_batch(f, 3 * nn::initial_parameters<double>(f.network(), 3));
}

struct weights {
  matrix y, ys;
  template <class Solution>
  explicit weights(const Solution& s) {
    random_numbers random(8);
    y = random.like(s.y), ys = random.like(s.ys);
  }
  batch_cotangents<matrix> all() const { return {.y = y, .ys = ys}; }
};

/// The gradient is that of every sample alone; p's is their sum.
template <class F, class M>
void check_as_alone(const batch_problem<F, matrix, flat>& b, const M& m, double tolerance) {
  auto s = solve(b, m, with_ends, recursive_checkpoint{.slots = 3});
  const weights w(s);
  const auto g = s.pullback(w.all());
  flat sum = flat::Zero(b.p.size());
  index vjps = 0;
  for (index j = 0; j < 7; ++j) {
    CAPTURE(j);
    const auto k = static_cast<std::size_t>(j);
    options o = with_ends;
    o.save.ts = b.save_ts[k];
    const problem q{b.f, matrix(b.y0.col(j)), b.t0[k], b.t1[k], b.p};
    auto one = solve(q, m, o, recursive_checkpoint{});
    cotangents<matrix> of{.y = w.y.col(j)};
    for (index i = 0; i < s.points[k]; ++i) of.ys.push_back(w.ys.col(s.first_point[k] + i));
    const auto alone = one.pullback(of);
    CHECK((g.y0.col(j) - alone.y0).norm() <= tolerance * alone.y0.norm());
    sum += alone.p;
    vjps += alone.reverse.vjp_evaluations;
  }
  CHECK((g.p - sum).norm() <= 1e-12 * sum.norm());
  CHECK(g.vjp_columns == vjps);
}

TEST_CASE("batches: gradients are those of every sample alone") {
  check_as_alone(networks(), tsit5{}, 1e-12);
  check_as_alone(some_batch(pendulums{}, flat{{9.81, 0.2, 0.1}}), tsit5{}, 0);
  check_as_alone(some_batch(pendulums{}, flat{{9.81, 0.2, 0.1}}), vern6{}, 0);
}

TEST_CASE("batches: a product of cotangents and tangents is the same forwards and backwards") {
  const auto b = networks();
  auto s = solve(b, tsit5{}, with_ends, recursive_checkpoint{});
  const weights w(s);
  const auto g = s.pullback(w.all());
  random_numbers random(9);
  const matrix v = random.like(b.y0);
  const flat u = random.like(b.p);
  double forwards = 0, size = 0;
  const auto add = [&](const auto& bar, const matrix& dot) {
    forwards += bar.cwiseProduct(dot).sum();
    size += bar.cwiseProduct(dot).cwiseAbs().sum();
  };
  for (index j = 0; j < 7; ++j) {
    const auto k = static_cast<std::size_t>(j);
    options o = with_ends;
    o.save.ts = b.save_ts[k];
    const problem q{b.f, matrix(b.y0.col(j)), b.t0[k], b.t1[k], b.p};
    const auto one = solve(q, tsit5{}, o, tangents<matrix, flat>{.y0 = v.col(j), .p = u});
    add(w.y.col(j), one.y_dot);
    for (index i = 0; i < s.points[k]; ++i)
      add(w.ys.col(s.first_point[k] + i), one.ys_dot[static_cast<std::size_t>(i)]);
  }
  CHECK(std::abs(forwards - g.y0.cwiseProduct(v).sum() - g.p.dot(u)) <= 1e-12 * size);
}

TEST_CASE("batches: the same bits for every budget, schedule and pass") {
  const auto b = networks();
  auto s = solve(b, tsit5{}, with_ends, recursive_checkpoint{.slots = 1000});
  const weights w(s);
  const auto g = s.pullback(w.all());
  std::vector<recursive_checkpoint> memories{
      {.slots = 1},
      {.slots = 3},
      {.slots = 5, .schedule = schedule_kind::two_tier, .slow_slots = 3},
      {.slots = 5, .schedule = schedule_kind::two_tier, .slow_slots = 2, .spill = "."},
      {.schedule = schedule_kind::nested},
      {.schedule = schedule_kind::periodic},
      {.budget = 30'000},
      {.budget = 60'000},
      {.budget = 400'000, .schedule = schedule_kind::mixed}};
  for (const auto kind : {schedule_kind::store_all, schedule_kind::store_states,
                          schedule_kind::online_seeded, schedule_kind::wang_moin})
    memories.push_back({.slots = 4, .schedule = kind});
  for (const auto& memory : memories) {
    auto other = solve(b, tsit5{}, with_ends, memory);
    CAPTURE(describe(other.plan()));
    for (int pass = 0; pass < 2; ++pass) {
      const auto h = other.pullback(w.all());
      CHECK(equal_bits(h.y0, g.y0));
      CHECK(equal_bits(h.p, g.p));
      if (memory.budget) CHECK(h.reverse.peak_bytes - h.reverse.log_bytes <= *memory.budget);
    }
  }
}

TEST_CASE(
    "batches: without replays no column is evaluated again, with few slots rejected ones are") {
  const auto b = networks();
  auto all =
      solve(b, tsit5{}, with_ends, recursive_checkpoint{.schedule = schedule_kind::store_all});
  auto few =
      solve(b, tsit5{}, with_ends, recursive_checkpoint{.schedule = schedule_kind::store_states});
  const weights w(all);
  index accepted = 0, rejected = 0;
  for (const auto& of : all.stats) accepted += of.accepted, rejected += of.rejected;
  CHECK(rejected > 0);
  CHECK(all.pullback(w.all()).replayed_columns == 0);
  const index replayed = few.pullback(w.all()).replayed_columns;
  CHECK(replayed <= 6 * (accepted + rejected));
  CHECK(replayed > 5 * accepted);
}

TEST_CASE("batches: tapes of rounds of few samples are small") {
  auto b = some_batch(pendulums{}, flat{{9.81, 0.2, 0.0}});
  b.save_ts.clear();
  b.t1[2] = 200;
  auto s = solve(b, tsit5{}, {}, recursive_checkpoint{.schedule = schedule_kind::store_all});
  const auto g = s.pullback({.y = matrix(matrix::Ones(2, 7))});
  index attempts = 0;
  for (const auto& of : s.stats) attempts += of.accepted + of.rejected;
  const index of_one = 8 * 2 * 8 + 20;  // a state and seven stages, two times and a number
  CHECK(g.reverse.tape_bytes <= attempts * of_one + s.together.rounds * 8);
  CHECK(7 * of_one * s.together.rounds > 5 * g.reverse.tape_bytes);
}

TEST_CASE("batches: a sample that failed has no part in the gradient") {
  const auto all = some_batch(pendulums{}, flat{{9.81, 0.2, 0.1}});
  auto good = solve(all, tsit5{}, with_ends, recursive_checkpoint{});
  const weights w(good);
  const auto whole = good.pullback(w.all());
  auto b = all;
  b.y0.col(4) << 1e3, 1e3;
  b.y0.col(6)[0] = std::numeric_limits<double>::quiet_NaN();
  auto s = solve(b, tsit5{}, with_ends, recursive_checkpoint{.slots = 2});
  CHECK(s.failed() == 2);
  const auto g = s.pullback(w.all());
  for (const index j : {0, 1, 2, 3, 5}) {
    CHECK(equal_bits(matrix(g.y0.col(j)), matrix(whole.y0.col(j))));
    CHECK(g.status[static_cast<std::size_t>(j)] == status::success);
  }
  for (const index j : {4, 6}) {
    CHECK(std::isnan(g.y0(0, j)));
    CHECK(g.status[static_cast<std::size_t>(j)] == s.status[static_cast<std::size_t>(j)]);
  }
  auto silent = w.all();
  for (const index j : {4, 6}) {
    silent.y->col(j).setZero();
    silent.ys->middleCols(good.first_point[static_cast<std::size_t>(j)], 7).setZero();
  }
  CHECK((good.pullback(silent).p - g.p).norm() <= 1e-14 * g.p.norm());
  auto endless = w.all();
  (*endless.y)(0, 1) = std::numeric_limits<double>::infinity();
  const auto lost = good.pullback(endless);
  CHECK(lost.status[1] == status::non_finite_gradient);
  CHECK(std::isnan(lost.p[0]));
  CHECK(equal_bits(matrix(lost.y0.col(0)), matrix(whole.y0.col(0))));
}

TEST_CASE("batches: floats stay floats and give the gradient of doubles to 1e-4") {
  auto b = networks();
  b.p /= 3;
  batch_problem narrow{b.f,  Eigen::MatrixXf(b.y0.cast<float>()), b.t0,
                       b.t1, Eigen::VectorXf(b.p.cast<float>()),  b.save_ts};
  const options o{.rtol = 1e-4, .atol = 1e-4};
  auto s = solve(narrow, tsit5{}, o, recursive_checkpoint{.slots = 3});
  auto wide = solve(b, tsit5{}, o, recursive_checkpoint{});
  const weights w(wide);
  const auto g = s.pullback({.y = Eigen::MatrixXf(w.y.cast<float>())});
  const auto h = wide.pullback({.y = w.y});
  CHECK(s.failed() == 0);
  CHECK((g.p.cast<double>() - h.p).norm() <= 1e-4 * h.p.norm());
  CHECK((g.y0.cast<double>() - h.y0).norm() <= 1e-4 * h.y0.norm());
}

TEST_CASE("batches: misuse of gradients is told in words") {
  const auto b = networks();
  auto s = solve(b, tsit5{}, {}, recursive_checkpoint{});
  CHECK(refusal([&] { s.pullback({.y = matrix(2, 6)}); }) ==
        "cotangents of y with 2 x 6 numbers (y has 2 x 7) give its shape?");
  const auto told = refusal([&] { solve(b, tsit5{}, {}, recursive_checkpoint{.budget = 100}); });
  CHECK(refusal(
            [&] { solve(b, tsit5{}, {}, recursive_checkpoint{.log = step_replay::controller}); }) ==
        "log = controller for a batch_problem (its rounds are repeated by their log, 8 bytes an "
        "attempt) leave it out?");
  CHECK(told.starts_with("budget of 100 bytes (this gradient needs at least "));
}

}  // namespace
}  // namespace revode
