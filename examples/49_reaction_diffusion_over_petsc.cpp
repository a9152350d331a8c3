// SPDX-License-Identifier: Apache-2.0
// prints: 16 × 16 cells on [0-9]+ rank.*: [0-9]+ steps, [0-9]+ systems by gmres and gamg
// prints: loss [0-9.]+, its slope [0-9.]+, by differences [0-9.]+
#include <petscdmda.h>

#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/petsc/petsc_field.hpp>
#include <revode/petsc/petsc_ksp.hpp>
#include <revode/petsc/petsc_session.hpp>
#include <revode/revode.hpp>

using namespace revode;
constexpr int cells = 16;

/// A cell of the torus as PETSc stores it: v makes itself of u, u is fed, v taken away, both diffuse.
struct cell {
  double u, v;
};
constexpr double diffusion[] = {1.6, 0.8}, feed = 0.035, kill = 0.06;

/// body(column, row, the cells about it) for those of this rank.
template <class Body>
PetscErrorCode for_each_cell(DM grid, Vec y, const Body& body) {
  DMDALocalInfo box;
  const cell** of = nullptr;
  PetscCall(DMDAGetLocalInfo(grid, &box));
  PetscCall(DMDAVecGetArrayRead(grid, y, &of));
  for (int j = box.ys; j < box.ys + box.ym; ++j)
    for (int i = box.xs; i < box.xs + box.xm; ++i) PetscCall(body(i, j, of));
  return DMDAVecRestoreArrayRead(grid, y, &of);
}

PetscErrorCode rates(DM grid, Vec y, Vec dy) {
  cell** to = nullptr;
  PetscCall(DMDAVecGetArray(grid, dy, &to));
  PetscCall(for_each_cell(grid, y, [&](int i, int j, const cell** of) -> PetscErrorCode {
    const auto [u, v] = of[j][i];
    const cell &w = of[j][i - 1], &e = of[j][i + 1], &s = of[j - 1][i], &n = of[j + 1][i];
    to[j][i].u = diffusion[0] * (w.u + e.u + s.u + n.u - 4 * u) - u * v * v + feed * (1 - u);
    to[j][i].v = diffusion[1] * (w.v + e.v + s.v + n.v - 4 * v) + u * v * v - (feed + kill) * v;
    return 0;
  }));
  return DMDAVecRestoreArray(grid, dy, &to);
}

PetscErrorCode jacobian(DM grid, Vec y, Mat to) {
  return for_each_cell(grid, y, [&](int i, int j, const cell** of) -> PetscErrorCode {
    const auto [u, v] = of[j][i];
    for (int c = 0; c < 2; ++c) {
      const double d = diffusion[c];
      const MatStencil row{0, j, i, c},
          columns[] = {{0, j, i - 1, c}, {0, j, i + 1, c}, {0, j - 1, i, c},
                       {0, j + 1, i, c}, {0, j, i, 0},     {0, j, i, 1}};
      const double own[2][2] = {{-v * v - feed - 4 * d, -2 * u * v},
                                {v * v, 2 * u * v - feed - kill - 4 * d}};
      const double values[] = {d, d, d, d, own[c][0], own[c][1]};
      PetscCall(MatSetValuesStencil(to, 1, &row, 6, columns, values, INSERT_VALUES));
    }
    return 0;
  });
}

// What of a drop at the start makes v reach the right half? mpiexec -n 4 … [-revode_pc_type hypre …]
int main(int argc, char** argv) {
  petsc_session session(argc, argv);
  petsc_calls petsc;
  petsc_handle<DM, DMDestroy> grid;
  vec_handle u;
  mat_handle j;
  petsc(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC,
                     DMDA_STENCIL_STAR, cells, cells, PETSC_DECIDE, PETSC_DECIDE, 2, 1, nullptr,
                     nullptr, grid.fresh()));
  petsc(DMSetUp(grid.get()));
  petsc(DMCreateGlobalVector(grid.get(), u.fresh()));
  petsc(DMCreateMatrix(grid.get(), j.fresh()));
  const DM dm = grid.get();
  const spread_layout layout = layout_of(u.get());
  const petsc_field f(
      layout, {.value = [dm](double, Vec y, auto, Vec dy) { return rates(dm, y, dy); },
               .jacobian = [dm](double, Vec y, auto, Mat to) { return jacobian(dm, y, to); },
               .matrix = j.get(),
               .halos = dm});
  spread<double> y0(layout), right(layout);
  int k = 0;
  petsc(for_each_cell(dm, u.get(), [&](int i, int row, const cell**) -> PetscErrorCode {
    const double drop = 0.5 * std::exp(-std::hypot(row - 8.0, i - 5.0) / 2);
    y0[k++] = 1 - drop;
    right[k] = i >= cells / 2 ? 1 : 0;
    y0[k++] = drop;
    return 0;
  }));
  const auto product = [](const auto& x, const auto& y) {
    return sums_over<1>(x, [&](int i, double* sum) { *sum += x[i] * y[i]; }).of[0];
  };
  const with_algebra<kencarp4, petsc_ksp> m{{}, {{.pc = "gamg"}}};
  const options o{.rtol = 1e-6, .atol = 1e-8};
  const auto from = [&](double moved, const spread<double>& along) {
    problem q{f, y0, 0.0, 5.0};
    axpy(moved, along, q.y0);
    return q;
  };
  const auto q = from(0, y0);
  auto s = solve(q, m, o, recursive_checkpoint{.slots = 4});
  const auto g = s.pullback(right);
  assert(g.status == status::success);
  const double value = product(right, s.y), slope = product(g.y0, g.y0);
  const double step = 1e-2 / std::sqrt(slope);
  const auto loss = [&](double by) { return product(right, solve(from(by, g.y0), m, o).y); };
  const double quotient = (loss(step) - loss(-step)) / (2 * step);
  assert(std::abs(quotient - slope) < 1e-4 * slope);
  if (layout.ranks().rank() > 0) return 0;
  std::printf("%d × %d cells on %d rank(s): %d steps, %d systems by gmres and gamg\n", cells, cells,
              layout.ranks().size(), static_cast<int>(s.stats.accepted),
              static_cast<int>(s.stats.linear_solves));
  std::printf("loss %.6f, its slope %.8f, by differences %.8f\n", value, slope, quotient);
}
