// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/gmres.hpp>
#include <revode/solvers/bs5.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kvaerno3.hpp>

#include "petsc_grid.hpp"

namespace revode {
namespace {

constexpr grid_shape shape{.columns = 5, .rows = 4};

/// ⟨along, dL/dy0⟩ of L = ⟨w, y(0.3)⟩ by the method, beside the quotient; with few slots the same bits.
template <class M, class F>
void check_gradient(const M& m, const petsc_grid& grid, const F& f, int steps) {
  CAPTURE(M::name);
  const auto y0 = grid.bumps(0), w = grid.bumps(1), along = grid.bumps(2);
  constexpr std::array<double, 4> direction{1, -2, 3, -4};
  const auto solve_at = [&](double h, int slots, bool pulls) {
    auto p = grid_rates;
    for (std::size_t k = 0; k < 4; ++k) p[k] += h * direction[k];
    auto y = y0;
    axpy(h, along, y);
    const problem q{f, y, 0.0, 0.3, grid_parameters(grid.layout, p)};
    auto s = solve(q, m, {.fixed_step = 0.3 / steps}, recursive_checkpoint{.slots = slots});
    REQUIRE(s.status == status::success);
    grid_solved found{s, {}};
    if (pulls) found.g = s.pullback(w);
    return found;
  };
  const grid_solved all = solve_at(0, 1000, true), few = solve_at(0, 1, true);
  REQUIRE(all.g.status == status::success);
  CHECK(same_elements(few.s.y, all.s.y));
  CHECK(same_elements(few.g.y0, all.g.y0));
  double slope = product(along, all.g.y0);
  for (int k = 0; k < 4; ++k) {
    CHECK(few.g.p[k] == all.g.p[k]);
    slope += direction[static_cast<std::size_t>(k)] * all.g.p[k];
  }
  const auto value = [&](double h) { return product(w, solve_at(h, 1000, false).s.y); };
  CHECK(std::abs(slope_of(value, 1e-3) - slope) < 1e-9);
}

TEST_CASE(
    "petsc: explicit methods need nothing of it, and their gradients are those of quotients") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  check_gradient(bs5{}, grid, grid.field(), 12);
}

TEST_CASE("petsc: diffusion by KSPs, the reaction explicitly") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  const petsc_split_field f(grid.layout, grid.callbacks({.reaction = false}),
                            grid.callbacks({.diffusion = false}));
  check_gradient(with_algebra<imex<kencarp3>, petsc_ksp>{{}, {{.rough = 1e-12}}}, grid, f, 2);
}

TEST_CASE("petsc: Newton and Krylov by products, a PC of PETSc as their preconditioner") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  const gmres<petsc_pc> products{.preconditioner = {{.pc = "bjacobi"}}};
  check_gradient(with_algebra<kvaerno3, gmres<petsc_pc>>{{}, products}, grid, grid.field(), 2);
}

}  // namespace
}  // namespace revode
