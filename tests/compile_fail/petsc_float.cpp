// expect-error: a state over PETSc that is not spread<double>
// links: revode::petsc revode::solvers
// SPDX-License-Identifier: Apache-2.0
#include <revode/petsc/petsc_field.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

revode::solution<revode::spread<float>> solve(const revode::petsc_field& f) {
  const revode::problem q{f, revode::spread<float>(f.layout()), 0.0, 1.0};
  return solve(q, revode::tsit5{});
}
