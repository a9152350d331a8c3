// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/bdf.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE("banded algebra: BDF takes the dense steps, and its gradient is as exact") {
  check_algebra(bdf5{}, banded{1, 1, true}, true);
}

TEST_CASE("matrix-free algebra: BDF goes as far as with a matrix, and pulls to rounding") {
  for (const bool heat : {true, false}) {
    const auto q = line_problem_of(heat, 24, heat ? 0.05 : 0.2);
    const with_algebra<bdf5, gmres<>> m{};
    const recursive_checkpoint adjoint{.slots = 2};
    const options o{.rtol = 1e-5, .atol = 1e-7};
    const auto d = solve(q, bdf5{}, o), s = solve(q, m, o);
    CHECK(s.status == status::success);
    CHECK(static_cast<double>(s.stats.accepted) < 1.3 * static_cast<double>(d.stats.accepted));
    CHECK(relative_difference(s.y, d.y) < 1e-4);
    CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-12);
  }
}

}  // namespace
}  // namespace revode
