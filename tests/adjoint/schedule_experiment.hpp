// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/online_sweep.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode::schedule_experiment {

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

}  // namespace revode::schedule_experiment
