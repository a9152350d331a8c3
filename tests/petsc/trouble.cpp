// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>

#include "petsc_grid.hpp"
#include "thrown_words.hpp"

namespace revode {
namespace {

constexpr grid_shape shape{.columns = 5, .rows = 4};

std::string end_of(const grid_solved& found) {
  std::string end = name(found.s.status);
  if (found.s.status == status::success) end += std::string(", ") + name(found.g.status);
  return end;
}
/// How a solve and its gradient end, in words, the same on all ranks.
std::string end_of(const petsc_grid& grid, const petsc_callbacks& calls,
                   const grid_request& asked = {.o = {.fixed_step = 0.1}, .end = 0.2}) {
  std::string end;
  const std::string text = thrown_by([&] {
    end = end_of(solve_by_ksp({grid.layout, calls}, grid.bumps(0), grid.bumps(1), asked));
  });
  end += text;
  CHECK(same_everywhere(end));
  return end;
}
bool is_last() {
  const communicator ranks;
  return ranks.rank() == ranks.size() - 1;
}

TEST_CASE("petsc: what a callback throws or returns on one rank ends all of them alike") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  const petsc_callbacks calls = grid.callbacks();
  CHECK(end_of(grid, calls) == "success, success");
  auto broken = calls;
  broken.value = [&](double t, Vec y, auto p, Vec dy) -> PetscErrorCode {
    if (is_last() && t > 0.05) throw std::runtime_error("no reaction");
    return calls.value(t, y, p, dy);
  };
  CHECK(end_of(grid, broken) == "thrown: no reaction");
  broken = calls;
  broken.jacobian = [&](double t, Vec y, auto p, Mat j) -> PetscErrorCode {
    if (is_last()) throw std::invalid_argument("no Jacobian");
    return calls.jacobian(t, y, p, j);
  };
  CHECK(end_of(grid, broken) == "misuse: no Jacobian");
  broken.jacobian = [&](double t, Vec y, auto p, Mat j) -> PetscErrorCode {
    PetscInt last = 0;
    PetscCall(calls.jacobian(t, y, p, j));
    PetscCall(MatGetSize(j, &last, nullptr));
    return is_last() ? MatSetValue(j, last - 1, 0, 1, ADD_VALUES) : 0;  // no place of the pattern
  };
  CHECK(end_of(grid, broken).starts_with("thrown: PETSc failed (MatSetValues_"));
  broken = calls;
  broken.parameter_vjp = [&](double, Vec, auto, Vec, double&, auto) -> PetscErrorCode {
    if (is_last()) throw 7;
    return 0;
  };
  CHECK(end_of(grid, broken) == "thrown: an exception that is no std::exception");
  broken = calls;
  broken.value = [&](double t, Vec y, auto p, Vec dy) -> PetscErrorCode {
    if (is_last()) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "no rates");
    return calls.value(t, y, p, dy);
  };
  CHECK(end_of(grid, broken) ==
        "thrown: PETSc failed (operator(): no rates) look for its reason in what it was given?");
  CHECK(end_of(grid, calls) == "success, success");  // the grid serves again
}

TEST_CASE("petsc: a number that is not finite on one rank is a status of all") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  const petsc_callbacks calls = grid.callbacks();
  const grid_request adaptive{.o = {.rtol = 1e-4, .atol = 1e-4}};
  auto broken = calls;
  broken.value = [&](double t, Vec y, auto p, Vec dy) -> PetscErrorCode {
    PetscCall(calls.value(t, y, p, dy));
    if (!is_last() || !(t > 0.05)) return 0;
    double* elements = nullptr;
    PetscCall(VecGetArray(dy, &elements));
    elements[0] = std::nan("");
    return VecRestoreArray(dy, &elements);
  };
  CHECK(end_of(grid, broken) == "non_finite_field");
  CHECK(end_of(grid, broken, adaptive) == "non_finite_field");
  broken = calls;
  broken.jacobian = [&](double t, Vec y, auto p, Mat j) -> PetscErrorCode {
    PetscCall(calls.jacobian(t, y, p, j));
    if (!is_last() || !(t > 0.05)) return 0;
    PetscInt first = 0;
    PetscCall(MatGetOwnershipRange(j, &first, nullptr));
    return MatSetValue(j, first, first, std::nan(""), ADD_VALUES);
  };
  CHECK(end_of(grid, broken) == "non_finite_field");
}

/// A preconditioner that does nothing, and nothing but harm when it is transposed.
PetscErrorCode do_nothing(PC, Vec x, Vec y) { return VecCopy(x, y); }
PetscErrorCode do_harm(PC, Vec x, Vec y) { return VecSet(y, 0 * (x != nullptr)); }

TEST_CASE("petsc: a preconditioner whose transpose is none ends in a status of all ranks") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  const auto with = [&](bool explicitly) {
    grid_request asked{.o = {.fixed_step = 0.1}, .end = 0.2};
    asked.how.explicit_transpose = explicitly;
    asked.how.preconditioner = [](PC pc, bool) -> PetscErrorCode {
      PetscCall(PCSetType(pc, PCSHELL));
      PetscCall(PCShellSetApply(pc, do_nothing));
      return PCShellSetApplyTranspose(pc, do_harm);
    };
    return end_of(grid, grid.callbacks(), asked);
  };
  CHECK(with(true) == "success, success");
  CHECK(with(false) == "success, linear_solve_failure");
#ifdef PETSC_HAVE_HYPRE
  grid_request hypre{.o = {.fixed_step = 0.1}, .end = 0.2};
  hypre.how.pc = "hypre";
  CHECK(end_of(grid, grid.callbacks(), hypre) == "success, success");
  hypre.how.explicit_transpose = false;  // it says that it has converged
  CHECK(end_of(grid, grid.callbacks(), hypre) == "success, linear_solve_failure");
#endif
}

TEST_CASE("petsc: a solver that gets nowhere is a status of all ranks") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  grid_request asked{.o = {.fixed_step = 0.1}, .end = 0.2};
  PetscOptionsSetValue(nullptr, "-revode_ksp_max_it", "1");
  CHECK(end_of(grid, grid.callbacks(), asked) == "linear_solve_failure");
  PetscOptionsClear(nullptr);
  asked.how.pc = "abacus";
  std::string text;
  try {
    solve_by_ksp(grid.field(), grid.bumps(0), grid.bumps(1), asked);
  } catch (const std::runtime_error& e) {
    text = e.what();
  }
  CHECK(text.starts_with("PETSc failed (PCSetType: Unable to find requested PC type abacus"));
  CHECK(same_everywhere(text));
}

TEST_CASE("petsc: callbacks and objects that do not belong together are refused on every rank") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape),
      other(PETSC_COMM_WORLD, {.columns = 11, .rows = 9});
  const auto refused = [&](auto change) {
    petsc_callbacks calls = grid.callbacks();
    change(calls);
    const std::string text = thrown_by([&] { petsc_field(grid.layout, calls); });
    CHECK(same_everywhere(text));
    return text;
  };
  CHECK(refused([](auto& c) { c.value = nullptr; }) ==
        "misuse: petsc_callbacks without .value (it is the field itself) give (t, y, p, dy) → dy?");
  CHECK(refused([](auto& c) { c.matrix = nullptr; }) ==
        "misuse: petsc_callbacks with .jacobian and no .matrix (the one says where the other has "
        "elements) give both?");
  CHECK(refused([](auto& c) { c.jacobian = nullptr; }) ==
        "misuse: petsc_callbacks with .matrix and no .jacobian (the one says where the other has "
        "elements) give both?");
  CHECK(refused([&](auto& c) { c.matrix = other.matrix.get(); }).starts_with("misuse: a Mat of "));
  CHECK(end_of(grid,
               [&] {
                 petsc_callbacks calls = grid.callbacks();
                 calls.jacobian = nullptr, calls.matrix = nullptr;
                 return calls;
               }()) ==
        "misuse: the Jacobian of a petsc_callbacks without one (implicit steps, and products that "
        "no callback makes, are by its matrix) give .jacobian and .matrix?");
  CHECK(refused([&](auto& c) { c.halos = other.cells.get(); }).starts_with("misuse: a DM of "));
  auto silent = grid.callbacks();
  silent.parameter_vjp = nullptr;
  CHECK(end_of(grid, silent) ==
        "misuse: a gradient of parameters through petsc_callbacks without .parameter_vjp (it would "
        "be 0, which is for the field to say) give one, which may add nothing?");
  petsc_calls petsc;
  vec_handle nest;
  Vec parts[] = {grid.like.get(), grid.like.get()};
  petsc(VecCreateNest(PETSC_COMM_WORLD, 2, nullptr, parts, nest.fresh()));
  CHECK(
      thrown_by([&] { layout_of(nest.get()); }) ==
      "misuse: a Vec of type nest (states lie in one array of the host a rank) take VECSTANDARD?");
  CHECK(
      thrown_by([&] { state_of(grid.layout, other.like.get()); }).starts_with("misuse: a Vec of "));
}

}  // namespace
}  // namespace revode
