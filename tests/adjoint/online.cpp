// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cstring>
#include <vector>

#include "../contract/bdf12.hpp"
#include "../schedule/online_sweep.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

template <class Y>
Y make(double a, double b, double c) {
  if constexpr (static_size_v<Y> < 0)
    return Y{{a, b, c}};
  else
    return Y{a, b, c};
}

template <class A>
bool same_bits(const A& a, const A& b) {
  using element = std::remove_cvref_t<decltype(*a.data())>;
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(element) * static_cast<std::size_t>(a.size())) == 0;
}

template <class M, class Y>
struct experiment {
  problem<lorenz, Y, Y> q{lorenz{}, make<Y>(1, 0, 0), 0, 6, make<Y>(10, 28, 8.0 / 3)};
  options o;

  auto solved(const recursive_checkpoint& adjoint) const { return solve(q, M{}, o, adjoint); }
  template <class Solution>
  static gradient<Y, Y> pulled(Solution& s) {
    const std::vector<Y> w(s.ys.size(), make<Y>(1, -2, 0.5));
    return s.pullback(cotangents<Y>{.y = make<Y>(1, 2, 3), .ys = w});
  }
};

template <class Y>
void same_gradient(const gradient<Y, Y>& a, const gradient<Y, Y>& b) {
  REQUIRE(same_bits(a.y0, b.y0));
  REQUIRE(same_bits(a.p, b.p));
  REQUIRE(same_bits(a.ts, b.ts));
  REQUIRE(a.t0 == b.t0);
  REQUIRE(a.t1 == b.t1);
}

/// One gradient with slots 1..n+1, at the replays of its placement and without a second sweep.
template <class M, class Y>
void for_all_slots(options o) {
  experiment<M, Y> lab{.o = std::move(o)};
  if (has_dense_output_v<M>) lab.o.save = {.ts = {0, 1.5, 1.5, 3.25, 6}};
  auto all = lab.solved({.schedule = schedule_kind::store_all});
  const auto expected = lab.pulled(all);
  const index n = all.stats.accepted;
  CAPTURE(n);
  REQUIRE(n > 40);
  REQUIRE(n < 400);
  for (index slots = 1; slots <= n + 1; slots += 1 + slots / 32) {
    CAPTURE(slots);
    auto s = lab.solved({.slots = slots, .schedule = schedule_kind::online});
    REQUIRE(same_bits(s.y, all.y));
    const auto g = lab.pulled(s);
    same_gradient(g, expected);
    REQUIRE(g.reverse.replayed_steps == online_sweep(slots).replays(n));
    REQUIRE(g.reverse.peak_states == std::min(slots, n - 1));
    REQUIRE(g.reverse.pulled_steps == n);
    REQUIRE(g.reverse.restores == n - 1);

    const auto again = lab.pulled(s);  // by now the count is known
    same_gradient(again, expected);
    REQUIRE(again.reverse.replayed_steps == n + extra_steps(n, slots));
    REQUIRE(again.reverse.peak_states <= slots);
  }
}

using fixed = vec<double, 3>;
using eigen = Eigen::VectorXd;

}  // namespace

TEST_CASE("the online schedule gives the gradient of store_all, at the cost of its placement") {
  SUBCASE("tsit5") { for_all_slots<tsit5, fixed>({.rtol = 1e-4, .atol = 1e-4}); }
  SUBCASE("tsit5, Eigen") { for_all_slots<tsit5, eigen>({.rtol = 1e-4, .atol = 1e-4}); }
  SUBCASE("dop853") { for_all_slots<dop853, fixed>({.rtol = 1e-5, .atol = 1e-5}); }
  SUBCASE("rk4 in equal steps") { for_all_slots<rk4, fixed>({.fixed_step = 0.06}); }
  SUBCASE("a method whose order varies and whose carry has a memo") {
    for_all_slots<contract::bdf12, fixed>({.rtol = 1e-2, .atol = 1e-2});
  }
}

TEST_CASE("an adaptive solve needs no second sweep: twenty slots, a thousand steps") {
  experiment<tsit5, fixed> lab{.o = {.rtol = 1e-9, .atol = 1e-9}};
  lab.q.t1 = 12;
  auto a = lab.solved({.slots = 20, .schedule = schedule_kind::binomial});
  auto b = lab.solved({.slots = 20, .schedule = schedule_kind::online});
  const auto offline = lab.pulled(a), online = lab.pulled(b);
  const index n = a.stats.accepted;
  CAPTURE(n);
  same_gradient(offline, online);
  CHECK(a.stats.rejected > 0);
  CHECK(offline.reverse.replayed_steps == n - 1 + extra_steps(n - 1, 20));
  CHECK(online.reverse.replayed_steps == online_sweep(20).replays(n));
  CHECK(static_cast<double>(online.reverse.replayed_steps) <=
        1.053 * static_cast<double>(extra_steps(n, 20)));
}

TEST_CASE("a solve that fails has no gradient, and one of no step has") {
  experiment<tsit5, fixed> lab{.o = {.max_steps = 50}};
  auto failed = lab.solved({.slots = 4, .schedule = schedule_kind::online});
  CHECK(failed.status == status::max_steps);
  CHECK_THROWS_AS(lab.pulled(failed), std::invalid_argument);
  lab.q.t1 = lab.q.t0;
  auto still = lab.solved({.slots = 4, .schedule = schedule_kind::online});
  CHECK(lab.pulled(still).y0[2] == 3);
}

}  // namespace revode
