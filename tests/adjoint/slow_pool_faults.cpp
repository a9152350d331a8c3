// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <vector>

#include "allocations.hpp"
#include "loop/fragile_pool.hpp"

#include <revode/adjoint/course/differentiable_stepper.hpp>
#include <revode/loop/executor.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/schedule/two_tier.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using numbers = std::vector<double>;

template <class Y>
struct lab {
  using loop = differentiable_stepper<tsit5, lorenz, Y, numbers>;
  index log_bytes, slow_slots;
  problem<lorenz, Y, numbers> q{lorenz{}, Y{1, 0, 0}, 0, 1, numbers{10, 28, 8. / 3}};
  options o{.rtol = 1e-6, .atol = 1e-6};
  cotangents<Y> w{.y = Y{1, 2, 3}};
  std::optional<loop> solve{};

  /// A gradient, or nothing when the pool fails; of a solve that ran before: another pullback.
  std::optional<gradient<Y, numbers>> by(pool_watch& pool) try {
    const bool again = solve.has_value();
    if (again)
      solve->restart();
    else
      solve.emplace(q, tsit5{}, o, log_bytes);
    const two_tier plan(4, slow_slots, again ? solve->count() : unbounded);
    executor<loop, two_tier> run(*solve, plan, std::make_unique<fragile_pool>(pool));
    run.forward();
    solve->seed(w);
    run.reverse();
    return solve->finish();
  } catch (const pool_failure&) {
    return {};
  }
};

template <class Y>
void interrupted_everywhere(index log_bytes) {
  for (const index slow : {1, 4})
    for (const bool again : {false, true}) {
      CAPTURE(slow);
      CAPTURE(again);
      lab<Y> here{.log_bytes = log_bytes, .slow_slots = slow};
      pool_watch whole;
      auto expected = here.by(whole);
      if (again) {
        whole = {};
        expected = here.by(whole);
      }
      REQUIRE(expected);
      REQUIRE(whole.stores > 0);
      REQUIRE(whole.calls > whole.stores);

      if (!again) here.solve.reset();
      const long before = allocations_now().live_blocks;
      bool through = true, same = true;
      for (index k = 1; k <= whole.calls; ++k) {
        for (const index throws_at : {k, index{0}}) {
          pool_watch pool{.throws_at = throws_at};
          const auto g = here.by(pool);
          through = through && g.has_value() == (throws_at == 0);
          same = same && (!g || (g->y0 == expected->y0 && g->p == expected->p &&
                                 g->t0 == expected->t0 && g->t1 == expected->t1));
          if (!again) here.solve.reset();
        }
      }
      const long after = allocations_now().live_blocks;
      CHECK(through);
      CHECK(same);
      CHECK(after == before);
    }
}

}  // namespace

TEST_CASE(
    "a solve: a fault at every call of a slow pool passes through and leaves nothing behind") {
  SUBCASE("fixed size, a log") { interrupted_everywhere<vec<double, 3>>(unbounded); }
  SUBCASE("dynamic, a log") { interrupted_everywhere<numbers>(unbounded); }
  SUBCASE("dynamic, replay by the controller") { interrupted_everywhere<numbers>(0); }
}

}  // namespace revode
