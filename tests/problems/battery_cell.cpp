// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <memory>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen/sparse.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/battery_cell.hpp>
#include <revode/problems/stiff_accuracy.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

TEST_CASE("battery_cell: its reference, in a hundred steps; lithium is kept") {
  const battery_cell f;
  const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
  options o{.rtol = 1e-6, .atol = 1e-6};
  o.discontinuities.assign(f.jumps.begin(), f.jumps.end());
  const auto pattern = std::make_shared<sparsity>(sparsity_of(q));
  CHECK(pattern->entries() == 3440);
  const with_algebra<radau_iia9, eigen_sparse> m{{}, {pattern}};
  const auto s = solve(q, m, o);
  REQUIRE(s.status == status::success);
  CHECK(s.stats.accepted < 70);
  CHECK(mixed_digits(f, s.y, 1e-6) >= 5.8);
  CHECK(f.lithium(s.y) == doctest::Approx(f.lithium(q.y0)).epsilon(1e-12));
}

TEST_CASE(
    "battery_cell: the dot-product law through its jumps, by sparse factors of a mass matrix") {
  const battery_cell f;
  const problem q{f, f.y0(), f.t0, 310.0, f.parameters()};
  options o{.rtol = 1e-4, .atol = 1e-4};
  o.discontinuities = {300};
  const with_algebra<radau_iia9, eigen_sparse> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
  const law_result product = dot_product_law(q, m, o, recursive_checkpoint{.slots = 2}, 1);
  CHECK_MESSAGE(product.holds, product.worst);
}

}  // namespace
}  // namespace revode
