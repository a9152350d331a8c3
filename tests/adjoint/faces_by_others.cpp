// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/ad/finite_differences.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "parted_fields.hpp"

namespace revode {

using namespace parted_fields;

TEST_CASE("parts reach the continuous adjoints, and the linear systems of their reverse solves") {
  const auto q = problem_of(parted{});
  const pair_of w{1, 2};
  const auto exact = solve(q, tsit5{}, tight, recursive_checkpoint{}).pullback(w);
  const imex<kencarp4> m{};
  const with_algebra<imex<kencarp4>, gmres<>> free_of_matrices{};
  check_near(solve(q, m, tight, gauss{}).pullback(w), exact, 1e-8);
  check_near(solve(q, m, tight, interpolating{}).pullback(w), exact, 1e-8);
  check_near(solve(q, free_of_matrices, tight, gauss{}).pullback(w), exact, 1e-6);
}

TEST_CASE("finite differences, asked for by name, are those of the parts as well") {
  const auto differences = problem_of(by_finite_differences(closed{}));
  const auto generic = problem_of(parted{});
  const imex<kencarp4> m{};
  const pair_of w{1, 2};
  check_near(solve(differences, m, tight, recursive_checkpoint{}).pullback(w),
             solve(generic, m, tight, recursive_checkpoint{}).pullback(w), 1e-7);
  const loss_with_running_cost loss{terminal, closed_cost{}};
  check_near(*value_and_gradient(differences, m, tight, loss).gradient,
             *value_and_gradient(generic, m, tight, loss).gradient, 1e-7);
}

}  // namespace revode
