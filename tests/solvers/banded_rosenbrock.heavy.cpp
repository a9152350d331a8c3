// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/banded.hpp>
#include <revode/solvers/rodas3p.hpp>
#include <revode/solvers/rosenbrock.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE(
    "banded algebra: Rosenbrock takes the dense steps, and its gradient "
    "is as exact") {
  check_algebra(rodas3p{}, banded{1, 1, true}, true);
}

}  // namespace
}  // namespace revode
