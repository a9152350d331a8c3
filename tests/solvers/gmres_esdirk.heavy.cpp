// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/krylov/bicgstab.hpp>

#include <utility>

#include <revode/solvers/esdirk436.hpp>
#include <revode/solvers/implicit/esdirk.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE("matrix-free algebra: ESDIRK takes the dense steps, and its gradient is as exact") {
  const gmres_limits tight{.rough = 1e-12, .goal = 0};  // so that iterations are those there
  check_algebra(esdirk436{}, gmres<>{{}, tight}, false);
  check_algebra(esdirk436{}, bicgstab<>{{}, tight}, false);
}

TEST_CASE("matrix-free algebra: a solution that has moved pulls the same gradient") {
  const auto q = line_problem_of(false, 24, 0.2);
  const with_algebra<esdirk436, gmres<>> m{};
  const recursive_checkpoint adjoint{.slots = 2};
  auto s = solve(q, m, {.fixed_step = 0.02}, adjoint);
  const auto g = s.pullback(q.y0);
  auto first = solve(q, m, {.fixed_step = 0.02}, adjoint);
  auto moved = std::move(first);
  first = solve(q, m, {.fixed_step = 0.1}, adjoint);
  const auto h = moved.pullback(q.y0);
  CHECK(equal_bits(g.y0, h.y0));
  CHECK(equal_bits(g.p, h.p));
}

}  // namespace
}  // namespace revode
