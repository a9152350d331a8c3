// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/gmres.hpp>
#include <revode/solvers/tr_bdf2.hpp>

#include "algebra_laws.hpp"

namespace revode {

TEST_CASE(
    "matrix-free algebra: a pull refines what 1e-8 leaves until nothing but rounding is left") {
  const auto q = line_problem_of(false, 24, 0.1);
  const with_algebra<tr_bdf2, gmres<>> m{};
  const recursive_checkpoint adjoint{.slots = 2};
  const law_result product = dot_product_law(q, m, {.fixed_step = 0.02}, adjoint, 1);
  CHECK_MESSAGE(product.worst < 1e-13, product.worst);
}

}  // namespace revode
