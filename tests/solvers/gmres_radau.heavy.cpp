// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>

#include <revode/linalg/gmres.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/solvers/radau_iia5.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE("matrix-free algebra: Radau IIA takes the dense steps, and its gradient is as exact") {
  check_algebra(radau_iia5{}, gmres<>{{}, {.restart = 50}}, false);
}
TEST_CASE("incomplete factors of complex shifts precondition Radau IIA") {
  const auto q = line_problem_of(false, 24, 0.2);
  const auto pattern = std::make_shared<sparsity>(sparsity_of(q));
  const with_algebra<radau_iia5, gmres<ilu0>> m{{}, {.preconditioner = {pattern}}};
  const options o{.rtol = 1e-5, .atol = 1e-7};
  const auto s = solve(q, m, o), dense = solve(q, radau_iia5{}, o);
  CHECK(s.stats.accepted == dense.stats.accepted);
  CHECK(relative_difference(s.y, dense.y) < 1e-12);
  const recursive_checkpoint adjoint{.slots = 3};
  CHECK(replay_law(q, m, o).what == "");
  CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-13);
}

}  // namespace
}  // namespace revode
