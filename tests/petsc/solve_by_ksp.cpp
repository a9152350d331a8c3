// SPDX-License-Identifier: Apache-2.0
#include <revode/solvers/kencarp4.hpp>

#include "petsc_grid.hpp"

namespace revode {

grid_solved solve_by_ksp(const petsc_field& f, const spread<double>& y0, const spread<double>& w,
                         const grid_request& asked) {
  const problem q{f, y0, 0.0, asked.end, grid_parameters(y0.layout(), asked.p)};
  const with_algebra<kencarp4, petsc_ksp> m{{}, {asked.how}};
  auto s = solve(q, m, asked.o, recursive_checkpoint{.slots = asked.slots});
  if (!asked.pulls || s.status != status::success) return {s, {}};
  auto g = s.pullback(w);
  return {s, g};
}

}  // namespace revode
