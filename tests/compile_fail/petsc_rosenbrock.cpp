// expect-error: a method that takes no state spread over ranks
// links: revode::petsc revode::solvers
// SPDX-License-Identifier: Apache-2.0
#include <revode/petsc/petsc_field.hpp>
#include <revode/petsc/petsc_ksp.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas5p.hpp>

revode::solution<revode::spread<double>> solve(const revode::petsc_field& f) {
  const revode::problem q{f, revode::spread<double>(f.layout()), 0.0, 1.0};
  return solve(q, revode::with_algebra<revode::rodas5p, revode::petsc_ksp>{});
}
