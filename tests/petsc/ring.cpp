// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>

#include "petsc_grid.hpp"
#include "thrown_words.hpp"

namespace revode {
namespace {

/// u' = p₀ (uᵢ₋₁ − 2uᵢ + uᵢ₊₁) + p₁ u (1 − u) on a ring, by products of Mats: callbacks that communicate by
/// themselves.
class matrix_ring {
 public:
  explicit matrix_ring(const spread_layout& of) : layout(of) {
    petsc_calls petsc;
    const auto here = static_cast<PetscInt>(of.size()), all = static_cast<PetscInt>(of.elements());
    petsc(MatCreateAIJ(of.ranks().handle(), here, here, all, all, 3, nullptr, 2, nullptr,
                       second.fresh()));
    const auto first = static_cast<PetscInt>(of.first_row());
    for (PetscInt i = first; i < first + here; ++i) {
      const PetscInt columns[] = {(i + all - 1) % all, i, (i + 1) % all};
      const double values[] = {1, -2, 1};
      petsc(MatSetValues(second.get(), 1, &i, 3, columns, values, INSERT_VALUES));
    }
    petsc(MatAssemblyBegin(second.get(), MAT_FINAL_ASSEMBLY));
    petsc(MatAssemblyEnd(second.get(), MAT_FINAL_ASSEMBLY));
    petsc(MatCreateVecs(second.get(), room.fresh(), nullptr));
  }

  /// room = u (1 − u)
  PetscErrorCode grow(Vec u) const {
    PetscCall(VecPointwiseMult(room.get(), u, u));
    return VecAYPX(room.get(), -1, u);
  }
  petsc_field field() const {
    const auto value = [this](double, Vec u, auto p, Vec du) -> PetscErrorCode {
      PetscCall(grow(u));
      PetscCall(MatMult(second.get(), u, du));
      if (breaks) throw std::runtime_error("the ring is broken");
      return VecAXPBY(du, p[1], p[0], room.get());
    };
    const auto jacobian = [this](double, Vec u, auto p, Mat to) -> PetscErrorCode {
      PetscCall(MatAXPY(to, p[0], second.get(), SAME_NONZERO_PATTERN));
      PetscCall(VecSet(room.get(), p[1]));
      PetscCall(VecAXPY(room.get(), -2 * p[1], u));
      return MatDiagonalSet(to, room.get(), ADD_VALUES);
    };
    const auto pull = [this](double, Vec u, auto, Vec w, double&, auto gp) -> PetscErrorCode {
      const auto add_product = [&](double& to) -> PetscErrorCode {
        const double *x = nullptr, *y = nullptr;
        PetscCall(VecGetArrayRead(w, &x));
        PetscCall(VecGetArrayRead(room.get(), &y));
        for (std::size_t i = 0; i < layout.size(); ++i) to += x[i] * y[i];
        PetscCall(VecRestoreArrayRead(room.get(), &y));
        return VecRestoreArrayRead(w, &x);
      };
      PetscCall(grow(u));
      PetscCall(add_product(gp[1]));
      PetscCall(MatMult(second.get(), u, room.get()));
      return add_product(gp[0]);
    };
    return {layout,
            {.value = value, .jacobian = jacobian, .parameter_vjp = pull, .matrix = second.get()}};
  }

  spread_layout layout;
  mat_handle second;
  vec_handle room;
  bool breaks = false;
};

spread<double> bumps_of(const spread_layout& layout, double phase) {
  spread<double> y(layout);
  for (int i = 0; i < length(y); ++i)
    y[i] = 0.5 + 0.4 * std::sin(phase + 0.37 * static_cast<double>(layout.first_row() + i));
  return y;
}

TEST_CASE("petsc: a ring by blocks has any slots' bits, and beside one rank all but rounding") {
  const spread_shape shape{.rows = 41, .rows_a_block = 5};
  const auto solve_on = [](const spread_layout& layout, int slots) {
    return solve_by_ksp(matrix_ring(layout).field(), bumps_of(layout, 0), bumps_of(layout, 1),
                        {.o = {.rtol = 1e-4, .atol = 1e-6}, .slots = slots, .end = 0.2});
  };
  const spread_layout over_ranks(communicator(), shape);
  const spread_layout alone(communicator(MPI_COMM_SELF), shape);
  const grid_solved many = solve_on(over_ranks, 1000), whole = solve_on(alone, 1000);
  REQUIRE(many.g.status == status::success);
  for (const int slots : {1, 3}) {
    const grid_solved few = solve_on(over_ranks, slots);
    CHECK(same_elements(few.s.y, many.s.y));
    CHECK(same_elements(few.g.y0, many.g.y0));
    for (int k = 0; k < 4; ++k) CHECK(few.g.p[k] == many.g.p[k]);
  }
  const auto first = static_cast<int>(over_ranks.first_row());
  for (int i = 0; i < length(many.s.y); ++i) {
    CHECK(std::abs(many.s.y[i] - whole.s.y[first + i]) < 1e-13);
    CHECK(std::abs(many.g.y0[i] - whole.g.y0[first + i]) < 1e-12);
  }
  for (int k = 0; k < 4; ++k)
    CHECK(std::abs(many.g.p[k] - whole.g.p[k]) < 1e-12 * (1 + std::abs(whole.g.p[k])));
}

TEST_CASE("petsc: what a callback throws behind its own exchange ends all ranks alike") {
  matrix_ring ring({communicator(), {.rows = 41, .rows_a_block = 5}});
  const communicator& ranks = ring.layout.ranks();
  ring.breaks = ranks.rank() == ranks.size() - 1;
  const auto text = thrown_by([&] {
    solve_by_ksp(ring.field(), bumps_of(ring.layout, 0), bumps_of(ring.layout, 1), {.end = 0.2});
  });
  CHECK(text == "thrown: the ring is broken");
  CHECK(same_everywhere(text));
}

}  // namespace
}  // namespace revode
