// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstring>
#include <optional>
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

using fixed = vec<double, 3>;
using eigen = Eigen::VectorXd;

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

/// A Lorenz solve of about a hundred steps, three save points in it, and its reverse passes under a
/// schedule of choice.
template <class M, class Y>
struct experiment {
  problem<lorenz, Y, Y> q{lorenz{}, make<Y>(1, 0, 0), 0, 6, make<Y>(10, 28, 8.0 / 3)};
  options o;
  statistics forward{};
  std::optional<gradient<Y, Y>> expected{};

  explicit experiment(options chosen) : o(std::move(chosen)) {
    if (has_dense_output_v<M>) o.save = {.ts = {0, 1.5, 1.5, 3.25, 6}};
    o.max_steps = 1000;
    const reverse_statistics all = check({.schedule = schedule_kind::store_all}).first;
    CHECK(all.replayed_steps == 0);
    CHECK(all.peak_states == 0);
    CHECK(all.peak_tapes == forward.accepted);
  }

  index steps() const { return forward.accepted; }

  template <class Solution>
  static gradient<Y, Y> pulled(Solution& s) {
    const std::vector<Y> w(s.ys.size(), make<Y>(1, -2, 0.5));
    return s.pullback(cotangents<Y>{.y = make<Y>(1, 2, 3), .ys = w});
  }

  /// The gradient has the expected bits, from the first sweep and from another one, by which the
  /// count is known; the work is that of accepted steps alone.
  struct passes {
    reverse_statistics first, second;
  };
  passes check(const recursive_checkpoint& adjoint) {
    auto s = solve(q, M{}, o, adjoint);
    REQUIRE(s.status == status::success);
    forward = s.stats;
    passes both;
    for (reverse_statistics* r : {&both.first, &both.second}) {
      const gradient<Y, Y> g = pulled(s);
      if (!expected) expected = g;
      REQUIRE(same_bits(g.y0, expected->y0));
      REQUIRE(same_bits(g.p, expected->p));
      REQUIRE(same_bits(g.ts, expected->ts));
      REQUIRE(g.t0 == expected->t0);
      REQUIRE(g.t1 == expected->t1);
      REQUIRE(g.reverse.pulled_steps == steps());
      *r = g.reverse;
    }
    if constexpr (explicit_method<M>) {
      // of a replayed step, of a restore, and of dense output in four steps
      constexpr index fsal = coefficients<M>::fsal ? 1 : 0, stages = coefficients<M>::stages;
      const reverse_statistics& r = both.first;
      REQUIRE(r.field_evaluations == (stages - fsal) * (r.replayed_steps + r.rejected_again) +
                                         fsal * r.restores + 4 * (coefficients<M>::all - stages));
      REQUIRE(r.rejected_again == 0);
    }
    return both;
  }
};

template <class M, class Y>
void every_schedule(const options& o) {
  experiment<M, Y> lab(o);
  const index n = lab.steps();
  const bool known = o.fixed_step > 0;
  CAPTURE(n);
  REQUIRE(n > 40);
  REQUIRE(n < 400);
  if (!known) CHECK(lab.forward.rejected > 0);

  for (index slots = 1; slots <= n + 1; slots += 1 + slots / 32) {
    CAPTURE(slots);
    const auto r = lab.check({.slots = slots, .schedule = schedule_kind::binomial}).first;
    REQUIRE(r.peak_states == std::max<index>(1, std::min(slots, known ? n - 1 : n - 2)));
    REQUIRE(r.replayed_steps ==
            (known ? extra_steps(n, slots) : n - 1 + extra_steps(n - 1, slots)));
    REQUIRE(r.peak_tapes == 0);
    REQUIRE(r.restores == n - 1);

    const auto [online, again] = lab.check({.slots = slots, .schedule = schedule_kind::online});
    REQUIRE(online.replayed_steps == online_sweep(slots).replays(n));
    REQUIRE(online.peak_states == std::min(slots, n - 1));
    REQUIRE(online.restores == n - 1);
    REQUIRE(again.replayed_steps == n + extra_steps(n, slots));
    REQUIRE(again.peak_states <= slots);
  }
  CHECK(lab.check({.slots = 5}).first.schedule == (known ? "binomial" : "online"));
  const auto states = lab.check({.schedule = schedule_kind::store_states}).first;
  CHECK(states.peak_states == n);
  CHECK(states.replayed_steps == n - 1);
  for (const index base : {2, 3, 16}) {
    CAPTURE(base);
    const auto r = lab.check({.schedule = schedule_kind::nested, .base = base}).first;
    const index depth = nesting_depth(base, 1000);
    CHECK(n + r.replayed_steps == depth * n);
    CHECK(r.peak_states <= (depth - 1) * base);
    CHECK(r.peak_tapes <= base);
  }
}

}  // namespace

TEST_CASE("one gradient for every schedule and slot count, at the cost of the closed form") {
  SUBCASE("tsit5, fixed size") { every_schedule<tsit5, fixed>({.rtol = 1e-4, .atol = 1e-4}); }
  SUBCASE("tsit5, Eigen") { every_schedule<tsit5, eigen>({.rtol = 1e-4, .atol = 1e-4}); }
  SUBCASE("dop853, fixed size") { every_schedule<dop853, fixed>({.rtol = 1e-5, .atol = 1e-5}); }
  SUBCASE("rk4 in equal steps, fixed size") { every_schedule<rk4, fixed>({.fixed_step = 0.06}); }
  SUBCASE("rk4 in equal steps, Eigen") { every_schedule<rk4, eigen>({.fixed_step = 0.06}); }
  SUBCASE("a method whose order varies and whose carry has a memo") {
    every_schedule<contract::bdf12, fixed>({.rtol = 1e-2, .atol = 1e-2});
  }
}

TEST_CASE("an adaptive solve needs no second sweep: twenty slots, a thousand steps") {
  using lab = experiment<tsit5, fixed>;
  const problem q{lorenz{}, vec{1., 0., 0.}, 0., 12., vec{10., 28., 8. / 3}};
  const options o{.rtol = 1e-9, .atol = 1e-9};
  auto a = solve(q, tsit5{}, o, {.slots = 20, .schedule = schedule_kind::binomial});
  auto b = solve(q, tsit5{}, o, {.slots = 20, .schedule = schedule_kind::online});
  const auto offline = lab::pulled(a), online = lab::pulled(b);
  const index n = a.stats.accepted;
  CAPTURE(n);
  CHECK(same_bits(offline.y0, online.y0));
  CHECK(same_bits(offline.p, online.p));
  CHECK(a.stats.rejected > 0);
  CHECK(offline.reverse.replayed_steps == n - 1 + extra_steps(n - 1, 20));
  CHECK(online.reverse.replayed_steps == online_sweep(20).replays(n));
  CHECK(static_cast<double>(online.reverse.replayed_steps) <=
        1.053 * static_cast<double>(extra_steps(n, 20)));
}

TEST_CASE("a solve that fails has no gradient, and one of no step has") {
  using lab = experiment<tsit5, fixed>;
  problem q{lorenz{}, vec{1., 0., 0.}, 0., 6., vec{10., 28., 8. / 3}};
  const recursive_checkpoint adjoint{.slots = 4, .schedule = schedule_kind::online};
  auto failed = solve(q, tsit5{}, {.max_steps = 50}, adjoint);
  CHECK(failed.status == status::max_steps);
  CHECK_THROWS_AS(lab::pulled(failed), std::invalid_argument);
  q.t1 = q.t0;
  auto still = solve(q, tsit5{}, {}, adjoint);
  CHECK(lab::pulled(still).y0[2] == 3);
}

TEST_CASE("fixed and dynamic states give the same gradient, to the rounding of their VJPs") {
  experiment<tsit5, fixed> a({.rtol = 1e-6});  // forward duals
  experiment<tsit5, eigen> b({.rtol = 1e-6});  // a recording
  for (int i = 0; i < 3; ++i) {
    CHECK(a.expected->y0[i] == doctest::Approx(b.expected->y0[i]).epsilon(1e-11));
    CHECK(a.expected->p[i] == doctest::Approx(b.expected->p[i]).epsilon(1e-11));
  }
  CHECK(a.expected->t1 == doctest::Approx(b.expected->t1).epsilon(1e-11));
  CHECK(a.forward.field_evaluations == b.forward.field_evaluations);
}

TEST_CASE("loops of one and two steps are reversed in one slot") {
  const auto line = [](const auto&, const auto& y, const auto& p, auto& dy) {
    dy[0] = p[0] * y[0];
  };
  const problem q{line, vec{1.0}, 0., 1., vec{1.0}};
  for (const index n : {1, 2, 3})
    for (const auto& entry : schedule_names) {
      const schedule_kind kind = entry.first;
      CAPTURE(n);
      CAPTURE(name(kind));
      const double h = 1.0 / static_cast<double>(n);
      auto s = solve(q, rk4{}, {.fixed_step = h, .max_steps = n}, {.slots = 1, .schedule = kind});
      const auto g = s.pullback(vec{1.0});
      CHECK(g.reverse.pulled_steps == n);
      CHECK(g.y0[0] == doctest::Approx(s.y[0]).epsilon(1e-15));
    }
}

}  // namespace revode
