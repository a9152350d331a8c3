// SPDX-License-Identifier: Apache-2.0
#include "budget_check.hpp"

#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/linalg/preconditioned_by.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/switching.hpp>

namespace revode {

constexpr int n = 300;

/// Takes no memory of its own.
struct no_preconditioner {
  bool setup(double, const double*, double, bool) { return true; }
  void apply(double*) const {}
  void apply_transposed(double*) const {}
};

TEST_CASE("a budget counts matrices in bands, and their factors") {
  check_budget(n, 100, [] { return with_algebra<rodas5p, banded>{{}, {1, 1}}; });
  check_budget(n, 100, [] { return with_algebra<esdirk547, banded>{{}, {7, 2}}; });
  check_budget(n, 100, [] { return with_algebra<bdf5, banded>{{}, {2, 7}}; });
  check_budget(n, 100, [] { return with_algebra<radau_iia5, banded>{{}, {1, 1}}; });
  check_budget(n, 100, [] { return with_algebra<radau, banded>{{}, {1, 1}}; });
  using stiff = with_algebra<rodas5p, banded>;
  check_budget(n, 1e4, [] { return switching<tsit5, stiff>{{}, stiff{{}, {1, 1}}}; });
}

TEST_CASE("a budget counts Krylov spaces, and what preconditions them") {
  check_budget(n, 1, [] { return with_algebra<rodas5p, gmres<>>{}; });
  check_budget(n, 1, [] { return with_algebra<bdf5, bicgstab<>>{}; });
  check_budget(n, 1, [] { return with_algebra<radau_iia5, gmres<>>{{}, {{}, {.restart = 12}}}; });
  check_budget(
      n, 1, [] { return with_algebra<radau_iia5, gmres<preconditioned_by<no_preconditioner>>>{}; });
  check_budget(n, 100, [] { return with_algebra<radau_iia5, gmres<banded>>{{}, {{1, 1}}}; });
  check_budget(n, 100, [] {
    return with_algebra<esdirk547, bicgstab<ilu0>>{{}, {{pattern_of_rod(n, 17)}}};
  });
}

}  // namespace revode
