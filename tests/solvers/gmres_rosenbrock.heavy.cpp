// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/gmres.hpp>
#include <revode/solvers/rodas3p.hpp>
#include <revode/solvers/rosenbrock.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE(
    "matrix-free algebra: Rosenbrock takes the dense steps, and its "
    "gradient is as exact") {
  check_algebra(rodas3p{}, gmres<>{}, false);
}

}  // namespace
}  // namespace revode
