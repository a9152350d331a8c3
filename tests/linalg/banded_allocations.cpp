// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/banded.hpp>

#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/burgers_1d.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/radau_iia5.hpp>

#include "malloc_counts.hpp"

#if defined(COUNTS_MALLOC)
namespace revode {
namespace {

template <class M>
long allocations_of(const M& m, int steps, bool gradient) {
  const burgers_1d f{20};
  const auto y0 = f.y0();
  const auto p = f.parameters();
  const problem q{f, y0, 0.0, 1.0, p};
  const options o{.fixed_step = 1.0 / steps};
  const long before = allocations;
  if (gradient)
    solve(q, m, o, recursive_checkpoint{.slots = 5, .schedule = schedule_kind::binomial})
        .pullback(y0);
  else
    solve(q, m, o);
  return allocations - before;
}

TEST_CASE("banded algebra: no step allocates, forwards or backwards") {
  const auto check = [](const auto& m) {
    CAPTURE(m.name);
    for (const bool gradient : {false, true}) {
      CHECK(allocations_of(m, 50, gradient) > 0);
      CHECK(allocations_of(m, 200, gradient) == allocations_of(m, 50, gradient));
    }
  };
  check(with_algebra<radau_iia5, banded>{});
  check(with_algebra<kencarp3, banded>{});
}

TEST_CASE("banded algebra: memory grows with n, not with n²") {
  const auto bytes = [](int n) {
    const burgers_1d f{n};
    const auto y0 = f.y0();
    const auto p = f.parameters();
    const problem q{f, y0, 0.0, 0.001, p};
    const long before = allocated;
    solve(q, with_algebra<radau_iia5, banded>{}, {.fixed_step = 0.001},
          recursive_checkpoint{.slots = 2})
        .pullback(y0);
    return allocated - before;
  };
  const long small = bytes(500), large = bytes(2000);
  CHECK(large < 4 * small);
}

}  // namespace
}  // namespace revode

#endif
