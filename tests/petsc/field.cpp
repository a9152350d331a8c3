// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <petscts.h>

#include <array>
#include <limits>

#include "petsc_grid.hpp"
#include "thrown_words.hpp"

namespace revode {
namespace {

constexpr grid_shape shape{.columns = 7, .rows = 5};

TEST_CASE("petsc: a vjp is the transpose of the jvp, by the matrix and by callbacks") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  petsc_callbacks calls = grid.callbacks();
  const petsc_field by_matrix(grid.layout, calls);
  int products = 0;
  const auto multiply = [&](bool transposed) {
    return [&, transposed](double t, Vec y, auto p, Vec v, Vec out) -> PetscErrorCode {
      ++products;
      mat_handle j;
      vec_handle plain;
      PetscCall(MatDuplicate(grid.matrix.get(), MAT_DO_NOT_COPY_VALUES, j.fresh()));
      PetscCall(calls.jacobian(t, y, p, j.get()));
      PetscCall(MatAssemblyBegin(j.get(), MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(j.get(), MAT_FINAL_ASSEMBLY));
      PetscCall(VecDuplicate(grid.like.get(), plain.fresh()));
      PetscCall(DMLocalToGlobal(grid.cells.get(), v, INSERT_VALUES, plain.get()));
      return (transposed ? MatMultTranspose : MatMult)(j.get(), plain.get(), out);
    };
  };
  auto products_too = calls;
  products_too.state_vjp = multiply(true);
  products_too.state_jvp = multiply(false);
  const petsc_field by_callbacks(grid.layout, products_too);
  const grid_parameters p(grid.layout, grid_rates), still(grid.layout, {0.0, 0.0, 0.0, 0.0});
  const auto y = grid.bumps(0), v = grid.bumps(1), w = grid.bumps(2);
  for (const petsc_field* f : {&by_matrix, &by_callbacks}) {
    auto out = v, gy = v;
    grid_parameters gp = still;
    double gt = 0;
    f->jvp(0.5, y, p, 0.0, v, still, out);
    f->vjp(0.5, y, p, w, gt, gy, gp);  // which adds
    CHECK(std::abs(product(w, out) - (product(gy, v) - product(v, v))) < 1e-12);
    auto ahead = y, behind = y, up = y, down = y;
    axpy(1e-3, v, ahead), axpy(-1e-3, v, behind);
    (*f)(0.5, ahead, p, up);
    (*f)(0.5, behind, p, down);
    axpy(-1.0, down, up);
    CHECK(std::abs(product(w, up) / 2e-3 - product(w, out)) < 1e-5);
  }
  CHECK(products == 2);
  CHECK(thrown_by([&] {
          auto out = v;
          by_matrix.jvp(0.5, y, p, 1.0, v, still, out);
        }).starts_with("misuse: a tangent of t or p through PETSc's callbacks "));
}

PetscErrorCode ts_field(TS, PetscReal, Vec y, Vec dy, void* slope) {
  return VecAXPBY(dy, *static_cast<double*>(slope), 0, y);
}
PetscErrorCode ts_jacobian(TS, PetscReal, Vec, Mat j, Mat, void* slope) {
  PetscInt first = 0, behind = 0;
  PetscCall(MatGetOwnershipRange(j, &first, &behind));
  for (PetscInt i = first; i < behind; ++i)
    PetscCall(MatSetValue(j, i, i, *static_cast<double*>(slope), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(j, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(j, MAT_FINAL_ASSEMBLY);
}

TEST_CASE("petsc: functions that are set for a TS serve, also where a rank holds nothing") {
  const communicator ranks;
  petsc_calls petsc;
  vec_handle u;
  mat_handle j;
  const PetscInt here = ranks.rank() == 0 ? 3 : ranks.rank() == 2 ? 2 : 0;
  petsc(VecCreateMPI(PETSC_COMM_WORLD, here, PETSC_DETERMINE, u.fresh()));
  petsc(MatCreateAIJ(PETSC_COMM_WORLD, here, here, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 0,
                     nullptr, j.fresh()));  // not assembled
  petsc_handle<TS, TSDestroy> ts;
  double slope = -2;
  petsc(TSCreate(PETSC_COMM_WORLD, ts.fresh()));
  petsc(TSSetRHSFunction(ts.get(), nullptr, ts_field, &slope));
  petsc(TSSetRHSJacobian(ts.get(), j.get(), j.get(), ts_jacobian, &slope));
  const spread_layout layout = layout_of(u.get());
  const petsc_field f(
      layout,
      {.value = [&](double t, Vec y, auto,
                    Vec dy) { return TSComputeRHSFunction(ts.get(), t, y, dy); },
       .jacobian = [&](double t, Vec y, auto,
                       Mat to) { return TSComputeRHSJacobian(ts.get(), t, y, to, to); },
       .parameter_vjp = [](double, Vec, auto, Vec, double&, auto) { return PetscErrorCode(0); },
       .matrix = j.get()});
  petsc(VecSet(u.get(), 1));
  auto found = solve_by_ksp(f, state_of(layout, u.get()), state_of(layout, u.get()),
                            {.o = {.rtol = 1e-8, .atol = 1e-10}});
  REQUIRE(found.g.status == status::success);
  for (int i = 0; i < length(found.s.y); ++i) {
    CHECK(std::abs(found.s.y[i] - std::exp(-2.0)) < 1e-6);
    CHECK(std::abs(found.g.y0[i] - std::exp(-2.0)) < 1e-6);
  }
  copy_to(found.s.y, u.get());
  double norm = 0;
  petsc(VecNorm(u.get(), NORM_2, &norm));
  CHECK(std::abs(norm - std::sqrt(product(found.s.y, found.s.y))) < 1e-14);
}

TEST_CASE("petsc: nothing of the length of the state is gathered, bytes fall as one over ranks") {
  const petsc_grid grid(PETSC_COMM_WORLD, {.columns = 48, .rows = 48});
  const auto elements = static_cast<std::size_t>(48 * 48 * 2);
  const int ranks = grid.layout.ranks().size();
  const auto found = solve_by_ksp(grid.field(), grid.bumps(0), grid.bumps(1),
                                  {.o = {.fixed_step = 0.1}, .slots = 2, .end = 0.2});
  REQUIRE(found.g.status == status::success);
  CHECK(found.g.y0.size() * static_cast<std::size_t>(ranks) <= elements + elements / 8);
  MatInfo of_rank, of_all;
  const petsc_grid alone(PETSC_COMM_SELF, grid.shape);
  MatGetInfo(grid.matrix.get(), MAT_LOCAL, &of_rank);
  MatGetInfo(alone.matrix.get(), MAT_LOCAL, &of_all);
  CHECK(of_rank.nz_allocated * ranks <= 1.2 * of_all.nz_allocated);
  const index most = grid.layout.ranks().statistics().most_bytes;
  CHECK(most < 400);
}

}  // namespace
}  // namespace revode
