// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include "allocations.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// How often the solve of n steps in so many units, and its pullback, ask for
/// memory.
template <class Y>
struct asked {
  long solve = 0, pullback = 0;

  asked(index n, index units, bool known) {
    const problem<lorenz, Y, vec<double, 3>> q{lorenz{}, Y{1, 0, 0}, 0, 1, {10, 28, 8. / 3}};
    const double h = 1.0 / static_cast<double>(n);
    options o{.rtol = 1e-3, .atol = 1e-3, .first_step = h, .max_step = h, .max_steps = 4096};
    if (known) o = {.fixed_step = h};
    const recursive_checkpoint adjoint{.slots = units, .schedule = schedule_kind::mixed};
    const long before = allocations_now().calls;
    auto s = revode::solve(q, tsit5{}, o, adjoint);
    const long swept = allocations_now().calls;
    s.pullback(Y{1, 2, 3});
    solve = swept - before;
    pullback = allocations_now().calls - swept;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("mixed: no step allocates", Y, vec<double, 3>, std::vector<double>) {
  for (const index units : {12, 30, 64}) {
    CAPTURE(units);
    // Each unit is made when it is first needed; the numbers of a schedule
    // without decisions grow.
    constexpr index numbers = 40;
    for (const bool known : {true, false}) {
      CAPTURE(known);
      const asked<Y> few(200, units, known), many(3900, units, known);
      CHECK(many.pullback <= units + numbers);
      if (!known) CHECK(many.solve <= few.solve + numbers);
    }
  }
  CHECK(asked<Y>(3900, 12, true).pullback == asked<Y>(200, 12, true).pullback);
}

}  // namespace revode
