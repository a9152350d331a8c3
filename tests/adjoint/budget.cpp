// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cstring>
#include <string>
#include <vector>

#include "allocations.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// Elements around a ring, each drawn to the one before it; its own vjp takes no memory.
struct ring {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const int n = length(y);
    for (int i = 0; i < n; ++i)
      dy.data()[i] = p.data()[0] * (y.data()[i > 0 ? i - 1 : n - 1] - y.data()[i]);
  }
  template <class T, class Y, class P>
  void vjp(const T&, const Y& y, const P& p, const Y& w, T&, Y& gy, Y& gp) const {
    const int n = length(y);
    for (int i = 0; i < n; ++i) {
      const int before = i > 0 ? i - 1 : n - 1;
      const T term = w.data()[i] * p.data()[0];
      gy.data()[before] += term;
      gy.data()[i] -= term;
      gp.data()[0] += w.data()[i] * (y.data()[before] - y.data()[i]);
    }
  }
};

template <class A>
bool same_bits(const A& a, const A& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

template <class M, class Q>
index least_budget(const Q& q, const options& o) {
  try {
    solve(q, M{}, o, recursive_checkpoint{.budget = 0});
  } catch (const std::invalid_argument& misuse) {
    const std::string text = misuse.what(), at = "at least ";
    return std::stol(text.substr(text.find(at) + at.size()));
  }
  return 0;
}

struct seen_plans {
  index binomial = 0, online = 0, mixed = 0, store_all = 0, logged = 0;
  void add(const memory_plan& p, const reverse_statistics& r) {
    binomial += p.schedule == schedule_kind::binomial;
    online += p.schedule == schedule_kind::online;
    mixed += p.schedule == schedule_kind::mixed;
    store_all += p.schedule == schedule_kind::store_all;
    logged += r.log_bytes > 0;
  }
};

/// One gradient for each budget from the least to `most`: its bytes, its counts, its bits, and those
/// of a second pullback.
template <class M = tsit5, class Q, class Y>
seen_plans every_budget(const Q& q, const options& o, const Y& w, index most, index by) {
  auto all = solve(q, M{}, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
  const auto expected = all.pullback(w);
  seen_plans seen;
  for (index budget = least_budget<M>(q, o); budget <= most; budget += by) {
    CAPTURE(budget);
    const auto before = allocations_now().live_bytes;
    watch_peak();
    auto s = solve(q, M{}, o, recursive_checkpoint{.budget = budget});
    const auto g = s.pullback(w);
    const index used = allocations_now().peak_bytes - before;
    const memory_plan& plan = s.plan();
    CAPTURE(describe(plan));
    REQUIRE(used <= budget);
    REQUIRE(used <= plan.bytes);
    if (o.fixed_step > 0) {
      REQUIRE(g.reverse.replayed_steps == *plan.replays);
      REQUIRE(g.reverse.peak_states == *plan.peak_states);
      REQUIRE(g.reverse.peak_tapes == *plan.peak_tapes);
    }
    seen.add(plan, g.reverse);
    REQUIRE(same_bits(s.y, all.y));
    const auto again = s.pullback(w);
    REQUIRE(allocations_now().peak_bytes - before <= budget);
    for (const auto* other : {&g, &again}) {
      REQUIRE(same_bits(other->y0, expected.y0));
      REQUIRE(same_bits(other->p, expected.p));
      REQUIRE(other->t0 == expected.t0);
      REQUIRE(other->t1 == expected.t1);
    }
  }
  return seen;
}

const lorenz field;
const problem chaotic{field, field.y0(), 0., 6., field.parameters()};

}  // namespace

TEST_CASE("a budget is kept to the byte, and gives the same bits: Lorenz in equal steps") {
  const auto seen = every_budget(chaotic, {.fixed_step = 0.02}, vec{1., 2., 3.}, 66'000, 53);
  CHECK(seen.binomial > 0);
  CHECK(seen.mixed > 0);
  CHECK(seen.store_all > 0);
}

TEST_CASE("a budget is kept to the byte, and gives the same bits: Lorenz in controlled steps") {
  for (const auto to : {rounding::none, rounding::bits24, rounding::octave16}) {
    const options o{.rtol = 1e-6, .atol = 1e-6, .step_rounding = to};
    const auto seen = every_budget(chaotic, o, vec{1., 2., 3.}, 50'000, 97);
    CHECK(seen.online + seen.mixed > 0);
    CHECK(seen.logged > 0);
  }
}

TEST_CASE("a budget is kept to the byte, and gives the same bits: a dynamic Eigen state") {
  const Eigen::VectorXd y0 = Eigen::VectorXd::LinSpaced(100, 1, 2);
  const problem q{ring{}, y0, 0., 1., Eigen::VectorXd(Eigen::VectorXd::Constant(1, 0.5))};
  const auto fixed = every_budget(q, {.fixed_step = 1. / 150}, y0, 1'100'000, 2'111);
  CHECK(fixed.binomial > 0);
  CHECK(fixed.mixed > 0);
  CHECK(fixed.store_all > 0);
  const auto adaptive =
      every_budget(q, {.rtol = 1e-6, .max_step = 1. / 150, .max_steps = 400}, y0, 1'100'000, 2'111);
  CHECK(adaptive.mixed > 0);
  CHECK(adaptive.logged > 0);
}

TEST_CASE("a budget is kept to the byte, and gives the same bits: an array of thirteen states") {
  const Eigen::VectorXd y0 = Eigen::VectorXd::LinSpaced(100, 1, 2).array().sin();
  const problem q{ring{}, y0, 0., 4., Eigen::VectorXd(Eigen::VectorXd::Constant(1, 0.5))};
  const auto seen = every_budget<adams12>(q, {.rtol = 1e-7, .atol = 1e-7, .max_steps = 400}, y0,
                                          2'000'000, 9'973);
  CHECK(seen.online > 0);
  CHECK(seen.mixed > 0);
}

TEST_CASE("a budget is kept to the byte, and gives the same bits: with save points") {
  const options o{.rtol = 1e-6, .atol = 1e-6, .save = {.t0 = true, .ts = {1, 2.5, 6}, .t1 = true}};
  const auto seen = every_budget(chaotic, o, vec{1., 2., 3.}, 40'000, 211);
  CHECK(seen.online + seen.mixed > 0);
}

}  // namespace revode
