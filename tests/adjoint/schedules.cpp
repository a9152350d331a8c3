// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include "schedule_experiment.hpp"

#include <revode/interop/eigen.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {

using namespace schedule_experiment;

TEST_CASE("one gradient for every schedule and slot count, at the cost of the closed form") {
  SUBCASE("tsit5, fixed size") { every_schedule<tsit5, fixed>({.rtol = 1e-4, .atol = 1e-4}); }
  SUBCASE("tsit5, Eigen") { every_schedule<tsit5, eigen>({.rtol = 1e-4, .atol = 1e-4}); }
  SUBCASE("rk4 in equal steps, fixed size") { every_schedule<rk4, fixed>({.fixed_step = 0.06}); }
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
