// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>

#include <revode/linalg/gmres.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/solvers/radau_iia5.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE("matrix-free algebra: Radau IIA takes the dense steps, and its gradient is as exact") {
  check_algebra(radau_iia5{}, gmres<>{{}, {.restart = 50}}, false);
}
TEST_CASE("incomplete factors of complex shifts precondition Radau IIA") {
  const auto pattern = std::make_shared<sparsity>(sparsity_of(line_problem_of(false, 24, 0.2)));
  check_algebra(radau_iia5{}, gmres<ilu0>{.preconditioner = {pattern}}, false);
}

}  // namespace
}  // namespace revode
