// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstring>
#include <vector>

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

/// A Lorenz solve of about a hundred steps, three save points in it, and its reverse pass under a
/// schedule of choice.
template <class M, class Y>
struct experiment {
  problem<lorenz, Y, Y> q{lorenz{}, make<Y>(1, 0, 0), 0, 6, make<Y>(10, 28, 8.0 / 3)};
  options o;
  statistics forward{};
  std::optional<gradient<Y, Y>> expected{};

  explicit experiment(options chosen) : o(std::move(chosen)) {
    o.save = {.ts = {0, 1.5, 1.5, 3.25, 6}};
    o.max_steps = 1000;
    const reverse_statistics all = check({.schedule = schedule_kind::store_all});
    CHECK(all.replayed_steps == 0);
    CHECK(all.peak_states == 0);
    CHECK(all.peak_tapes == forward.accepted);
  }

  index steps() const { return forward.accepted; }

  /// The gradient has the expected bits; the work is that of accepted steps alone.
  reverse_statistics check(const recursive_checkpoint& adjoint) {
    auto s = solve(q, M{}, o, adjoint);
    REQUIRE(s.status == status::success);
    forward = s.stats;
    const std::vector<Y> w(s.ys.size(), make<Y>(1, -2, 0.5));
    const gradient<Y, Y> g = s.pullback(cotangents<Y>{.y = make<Y>(1, 2, 3), .ys = w});
    if (!expected) expected = g;
    REQUIRE(same_bits(g.y0, expected->y0));
    REQUIRE(same_bits(g.p, expected->p));
    REQUIRE(same_bits(g.ts, expected->ts));
    REQUIRE(g.t0 == expected->t0);
    REQUIRE(g.t1 == expected->t1);
    const reverse_statistics& r = g.reverse;
    REQUIRE(r.pulled_steps == steps());
    REQUIRE(r.field_evaluations ==
            replay_cost * (r.replayed_steps + r.rejected_again) + fsal * r.restores + dense_cost);
    if (adjoint.log != step_replay::controller) REQUIRE(r.rejected_again == 0);
    return r;
  }

  // Field evaluations of a replayed step, of a restore, and of dense output in four steps.
  static constexpr index fsal = coefficients<M>::fsal ? 1 : 0;
  static constexpr index replay_cost = coefficients<M>::stages - fsal;
  static constexpr index dense_cost = 4 * (coefficients<M>::all - coefficients<M>::stages);
};

template <class M, class Y>
void every_schedule(const options& o) {
  experiment<M, Y> lab(o);
  const index n = lab.steps();
  const bool known = o.fixed_step > 0;
  CAPTURE(n);
  REQUIRE(n > 40);
  REQUIRE(n < 200);
  if (!known) CHECK(lab.forward.rejected > 0);

  for (index slots = 1; slots <= n + 1; ++slots) {
    CAPTURE(slots);
    const auto r = lab.check({.slots = slots, .schedule = schedule_kind::binomial});
    REQUIRE(r.peak_states == std::max<index>(1, std::min(slots, known ? n - 1 : n - 2)));
    REQUIRE(r.replayed_steps ==
            (known ? extra_steps(n, slots) : n - 1 + extra_steps(n - 1, slots)));
    REQUIRE(r.peak_tapes == 0);
    REQUIRE(r.restores == n - 1);

    const auto unset = lab.check({.slots = slots});  // binomial or online, as the count is known
    REQUIRE(unset.schedule == (known ? "binomial" : "online"));
    REQUIRE(unset.peak_states == std::min(slots, n - 1));
    REQUIRE(unset.replayed_steps ==
            (known ? extra_steps(n, slots) : online_sweep(slots).replays(n)));
  }
  const auto states = lab.check({.schedule = schedule_kind::store_states});
  CHECK(states.peak_states == n);
  CHECK(states.replayed_steps == n - 1);
  for (const index base : {2, 3, 16}) {
    CAPTURE(base);
    const auto r = lab.check({.schedule = schedule_kind::nested, .base = base});
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
