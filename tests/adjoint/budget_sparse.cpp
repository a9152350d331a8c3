// SPDX-License-Identifier: Apache-2.0
#include "budget_check.hpp"

#include <revode/interop/eigen/sparse.hpp>
#include <revode/linalg/block_jacobi.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {

constexpr int n = 120;

TEST_CASE("a budget counts matrices on patterns, and what Eigen makes of them") {
  for (const int apart : {1, 17}) {
    CAPTURE(apart);
    const auto on_pattern = [apart] { return eigen_sparse{pattern_of_rod(n, apart)}; };
    check_budget(n, 100, [&] { return with_algebra<rodas5p, eigen_sparse>{{}, on_pattern()}; });
    check_budget(n, 100, [&] { return with_algebra<radau_iia5, eigen_sparse>{{}, on_pattern()}; });
  }
}

TEST_CASE("a budget counts blocks on the diagonal") {
  check_budget(n, 100, [] {
    return with_algebra<esdirk547, gmres<block_jacobi>>{{}, {{{6, false}, pattern_of_rod(n, 17)}}};
  });
}

}  // namespace revode
