// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "adjoint/allocations.hpp"
#include "fragile_pool.hpp"
#include "product_loop.hpp"

#include <revode/loop/executor.hpp>
#include <revode/schedule/two_tier.hpp>

namespace revode {
namespace {

/// The gradient, or nothing when the pool failed. (The framework's own macros allocate.)
std::vector<double> gradient(const two_tier& plan, index n, pool_watch& pool) try {
  product_loop loop(n);
  executor<product_loop, two_tier> run(loop, plan, std::make_unique<fragile_pool>(pool));
  run.forward();
  run.reverse();
  return loop.bar;
} catch (const pool_failure&) {
  return {};
}

}  // namespace

TEST_CASE("a loop: a fault at every call of a slow pool passes through and leaves nothing behind") {
  for (const bool known : {true, false})
    for (const index slow : {1, 3, 5}) {
      CAPTURE(known);
      CAPTURE(slow);
      const index n = 40;
      const two_tier plan(5, slow, known ? n : unbounded);
      pool_watch whole;
      const std::vector<double> expected = gradient(plan, n, whole);
      REQUIRE(whole.stores > 0);
      REQUIRE(whole.calls > whole.stores);

      const long before = allocations_now().live_blocks;
      bool through = true, same = true;
      for (index k = 1; k <= whole.calls; ++k) {
        pool_watch pool{.throws_at = k};
        through = through && gradient(plan, n, pool).empty() && pool.calls == k;
        pool = {};
        same = same && gradient(plan, n, pool) == expected && pool.calls == whole.calls;
      }
      const long after = allocations_now().live_blocks;
      CHECK(through);
      CHECK(same);
      CHECK(after == before);
    }
}

}  // namespace revode
