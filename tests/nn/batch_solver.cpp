// SPDX-License-Identifier: Apache-2.0
#include "../malloc_counts.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <revode/batch/batch_solver.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern6.hpp>
#include <revode/testing/laws.hpp>

#include "../refusal.hpp"
#include "pendulums.hpp"

namespace revode {
namespace {

using matrix = Eigen::MatrixXd;
using flat = Eigen::VectorXd;
using pendulum_batch = batch_problem<pendulums, matrix, flat>;

using Eigen::Dynamic;
static_assert(holds_samples_v<Eigen::Matrix<float, 3, Dynamic>> &&
              holds_samples_v<Eigen::ArrayXXd>);
static_assert(holds_samples_v<Eigen::RowVectorXd> && !holds_samples_v<std::vector<double>>);
static_assert(!holds_samples_v<Eigen::VectorXd> &&
              !holds_samples_v<Eigen::Matrix2d>);  // of one size
static_assert(!holds_samples_v<Eigen::Matrix<double, Dynamic, Dynamic, Eigen::RowMajor>>);

const std::vector<double> pushes{0.3, -0.2, 0.0, 1.0, 0.5, 0.1, 0.7};

/// Seven pendulums: one goes backwards, one stands still, one takes many more steps than the others.
pendulum_batch some_pendulums() {
  random_numbers random(3);
  pendulum_batch b{{pushes.data()},
                   2 * random.like(matrix(2, 7)),
                   {0.0, 0.5, -1.0, 0.0, 0.25, 2.0, 0.0},
                   {1.0, 3.0, -4.0, 40.0, 0.25, 3.5, 1.0},
                   flat{{9.81, 0.2, 0.0}}};
  for (std::size_t j = 0; j < 7; ++j) {
    const double from = b.t0[j], span = b.t1[j] - from;
    b.save_ts.push_back({from, from + 0.3 * span, from + 0.3 * span, from + 0.301 * span, b.t1[j]});
  }
  return b;
}

/// Sample j alone, and the options of its solve.
problem<pendulums, matrix, flat> alone(const pendulum_batch& b, index j) {
  pendulums f = b.f;
  f.first = j;
  return {f, matrix(b.y0.col(j)), of_sample(b.t0, j), of_sample(b.t1, j), b.p};
}
options options_alone(const pendulum_batch& b, options o, index j) {
  o.save.ts = save_times(b, o, j);
  return o;
}

/// Every sample did what it does alone, bit for bit, in no more evaluations.
template <class M>
void check_as_alone(const pendulum_batch& b, const M& m, const options& o) {
  const auto s = solve(b, m, o);
  index own = 0, evaluated = 0;
  for (index j = 0; j < s.samples(); ++j) {
    const auto k = static_cast<std::size_t>(j);
    CAPTURE(j);
    const auto one = solve(alone(b, j), m, options_alone(b, o, j));
    CHECK(s.status[k] == one.status);
    CHECK(s.t[k] == one.t);
    CHECK(same_elements(matrix(s.y.col(j)), one.y));
    CHECK(s.stats[k].accepted == one.stats.accepted);
    CHECK(s.stats[k].rejected == one.stats.rejected);
    CHECK(s.stats[k].field_evaluations <= one.stats.field_evaluations);
    REQUIRE(s.points[k] == static_cast<index>(one.ys.size()));
    for (index i = 0; i < s.points[k]; ++i)
      CHECK(same_elements(matrix(s.ys.col(s.first_point[k] + i)),
                          one.ys[static_cast<std::size_t>(i)]));
    own += one.stats.field_evaluations;
    evaluated += s.stats[k].field_evaluations;
  }
  CHECK(s.together.columns == evaluated);
  CHECK(10 * s.together.columns <= 11 * own);
}

TEST_CASE("batches: each sample has the steps, save points and bits of its own solve") {
  const auto b = some_pendulums();
  check_as_alone(b, tsit5{}, {.rtol = 1e-6, .atol = 1e-6, .save = {.t0 = true, .t1 = true}});
  check_as_alone(b, tsit5{}, {.first_step = 0, .max_step = 0.05, .save = {.t1 = true}});
  check_as_alone(b, vern6{}, {.rtol = 1e-9, .atol = 1e-9});  // stages of dense output; no fsal
  options each{.rtol = 1e-5, .norm = {.rtol = {1e-5, 1e-3}, .combine = maximum_norm}};
  check_as_alone(b, tsit5{}, each);
}

TEST_CASE("batches: a sample that fails has a status of its own, and the others go on") {
  auto b = some_pendulums();
  b.p[2] = 1.0;  // those that begin far out leave in finite time
  b.y0 *= 0.2;
  b.y0.col(1) << 5.0, 5.0;
  b.y0.col(5) << std::numeric_limits<double>::quiet_NaN(), 0.0;
  b.p[0] = 20.0;
  b.t1[1] = 100.0;
  const options o{.rtol = 1e-6, .max_steps = 300};
  const auto s = solve(b, tsit5{}, o);
  CHECK(s.status[5] == status::non_finite_field);
  CHECK(s.status[3] == status::max_steps);
  CHECK(!is_complete(s.status[1]));
  CHECK(s.failed() == 3);
  CHECK(s.t[1] > b.t0[1]);
  for (const index j : {0, 1, 2, 3, 4, 6}) {
    const auto one = solve(alone(b, j), tsit5{}, options_alone(b, o, j));
    CHECK(s.status[static_cast<std::size_t>(j)] == one.status);
    CHECK(same_elements(matrix(s.y.col(j)), one.y));
  }
}

TEST_CASE("batches: a sample that stands still at no number is no success") {
  auto b = some_pendulums();
  REQUIRE(b.t0[4] == b.t1[4]);
  b.y0(1, 4) = std::numeric_limits<double>::quiet_NaN();
  CHECK(solve(b, tsit5{}).status[4] == status::non_finite_state);
}

TEST_CASE("batches: samples that end in the same round, and one alone, are as any other") {
  auto b = some_pendulums();
  b.save_ts.clear();
  b.f.push = nullptr;
  b.t0 = {0.0};
  b.t1 = {2.0};
  for (index j = 1; j < 7; ++j) b.y0.col(j) = b.y0.col(0);
  const auto same = solve(b, tsit5{});
  const pendulum_batch one{b.f, b.y0.leftCols(1), {0.0}, {2.0}, b.p};
  const auto s = solve(one, tsit5{});
  for (index j = 0; j < 7; ++j) CHECK(same.y.col(j) == s.y.col(0));
  CHECK(same.together.rounds == s.together.rounds);
  CHECK(same.together.columns == 7 * s.together.columns);
  CHECK(same.together.field_calls == s.together.field_calls);
}

TEST_CASE("batches: networks come to what each sample does alone, whoever else is in the batch") {
  const nn::neural_field f(nn::mlp({3, 16, 2}), nn::time_input::yes);
  random_numbers random(5);
  const flat p = 3 * nn::initial_parameters<double>(f.network(), 3);
  batch_problem b{f, random.like(matrix(2, 9)), {0.0}, {}, p};
  for (int j = 0; j < 9; ++j) b.t1.push_back(0.5 + 0.25 * j);
  const options o{.rtol = 1e-7, .atol = 1e-7};
  const auto s = solve(b, tsit5{}, o);
  index own = 0;
  for (index j = 0; j < 9; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const auto one = solve(problem{f, matrix(b.y0.col(j)), 0.0, b.t1[k], p}, tsit5{}, o);
    CHECK(s.stats[k].accepted == one.stats.accepted);
    CHECK(s.stats[k].rejected == one.stats.rejected);
    CHECK((s.y.col(j) - one.y).norm() <= 1e-12 * one.y.norm());
    own += one.stats.field_evaluations;
  }
  CHECK(s.together.columns == own - 9);  // the slope at t0 serves the first step as well
  CHECK(s.together.field_calls < own / 4);
}

#ifdef COUNTS_MALLOC
TEST_CASE("batches: rounds allocate nothing") {
  auto b = some_pendulums();
  const auto count = [&](double end) {
    b.t1[3] = end;
    b.save_ts[3] = {};
    const long before = allocations;
    const auto s = solve(b, tsit5{}, {.rtol = 1e-6});
    CHECK(s.failed() == 0);
    return std::pair{allocations - before, s.together.rounds};
  };
  const auto few = count(1.0), many = count(100.0);
  CHECK(many.second > 20 * few.second);
  CHECK(many.first == few.first);
}
#endif

TEST_CASE("batches: misuse is told in words before any work") {
  const auto b = some_pendulums();
  const auto told = [&](const auto& change, const options& o = {}) {
    auto other = b;
    change(other);
    return refusal([&] { solve(other, tsit5{}, o); });
  };
  CHECK(told([](auto& x) { x.y0.resize(2, 0); }) ==
        "a batch of 0 samples of 2 states (y0 has a column a sample) give one or more?");
  CHECK(told([](auto& x) {
          x.t1 = {1.0, 2.0};
        }) ==
        "t1 with 2 elements in a batch of 7 samples (each sample has its own, or all share one) "
        "give 7 of them, or 1?");
  CHECK(told([](auto&) {}, {.save = {.ts = {0.5}}}) ==
        "save_ts of a batch beside 1 times in options::save.ts (each sample has one list) leave "
        "one of them empty?");
  CHECK(told([](auto& x) { x.save_ts[2] = {5.0}; }) ==
        "save point 5 outside the interval (it runs from -1 to -4) leave it out, or move t1?");
  CHECK(told([](auto&) {}, {.fixed_step = 0.1}) ==
        "fixed_step in a batch_problem (each sample has steps of its own, and no events) leave it "
        "out, or solve a problem whose state is the whole batch?");
  CHECK(refusal([&] { solve(b, rk4{}); }) ==
        "method rk4 in a batch_problem (samples step together by explicit Runge-Kutta methods "
        "with an error estimate) choose a method such as tsit5?");
}

}  // namespace
}  // namespace revode
