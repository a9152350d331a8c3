// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/kencarp4.hpp>

#include "petsc_grid.hpp"

namespace revode {
namespace {

constexpr grid_shape shape{.columns = 7, .rows = 5};

/// The same equations of a state in one place, for dense matrices.
struct dense_grid {
  template <class T, class P>
  void operator()(const T& t, const std::vector<T>& y, const P& p, std::vector<T>& dy) const {
    const auto at = [](int i, int j, int c) {
      return static_cast<std::size_t>((j * shape.columns + i) * 2 + c);
    };
    for (int j = 0; j < shape.rows; ++j)
      for (int i = 0; i < shape.columns; ++i) {
        const auto rates =
            shape.rates({}, i, j, t, p, [&](int k, int l, int c) { return y[at(k, l, c)]; });
        for (int c = 0; c < 2; ++c) dy[at(i, j, c)] = rates[static_cast<std::size_t>(c)];
      }
  }
};

/// Both on all ranks and on each by itself.
struct two_grids {
  petsc_grid over_ranks{PETSC_COMM_WORLD, shape}, alone{PETSC_COMM_SELF, shape};

  /// Differences of elements from those of one rank.
  double apart(const spread<double>& x, const spread<double>& whole) const {
    return distance(over_ranks, x,
                    [&](int i, int j, int c) { return whole[(j * shape.columns + i) * 2 + c]; });
  }
};

TEST_CASE(
    "petsc: by KSPs the bits are those of any slots, on other ranks all but rounding is the same") {
  const two_grids on;
  const auto solve_on = [](const petsc_grid& grid, int slots) {
    return solve_by_ksp(grid.field(), grid.bumps(0), grid.bumps(1),
                        {.o = {.rtol = 1e-4, .atol = 1e-6}, .slots = slots, .end = 0.5});
  };
  const grid_solved many = solve_on(on.over_ranks, 1000), whole = solve_on(on.alone, 1000);
  REQUIRE(many.g.status == status::success);
  CHECK(many.s.stats.accepted > 5);
  for (const int slots : {1, 3}) {
    const grid_solved few = solve_on(on.over_ranks, slots);
    CHECK(same_elements(few.s.y, many.s.y));
    CHECK(same_elements(few.g.y0, many.g.y0));
    for (int k = 0; k < 4; ++k) CHECK(few.g.p[k] == many.g.p[k]);
  }
  CHECK(many.s.stats.accepted == whole.s.stats.accepted);
  CHECK(on.apart(many.s.y, whole.s.y) < 1e-13);
  CHECK(on.apart(many.g.y0, whole.g.y0) < 1e-12);
  for (int k = 0; k < 4; ++k)
    CHECK(std::abs(many.g.p[k] - whole.g.p[k]) < 1e-12 * (1 + std::abs(whole.g.p[k])));
}

TEST_CASE("petsc: the gradient is that of kencarp4 with dense matrices on one core") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  const options o{.fixed_step = 0.1};
  const grid_solved found =
      solve_by_ksp(grid.field(), grid.bumps(0), grid.bumps(1), {.o = o, .end = 0.5});
  const petsc_grid alone(PETSC_COMM_SELF, shape);
  const auto list = [](const spread<double>& x) {
    return std::vector<double>(x.data(), x.data() + x.size());
  };
  const problem q{dense_grid{}, list(alone.bumps(0)), 0.0, 0.5,
                  std::vector<double>(grid_rates.begin(), grid_rates.end())};
  auto s = solve(q, kencarp4{}, o, recursive_checkpoint{});
  const auto g = s.pullback(list(alone.bumps(1)));
  const auto apart = [&](const spread<double>& x, const std::vector<double>& y) {
    return distance(grid, x, [&](int i, int j, int c) {
      return y[static_cast<std::size_t>((j * shape.columns + i) * 2 + c)];
    });
  };
  CHECK(apart(found.s.y, s.y) < 1e-12);
  CHECK(apart(found.g.y0, g.y0) < 1e-12);
  for (int k = 0; k < 4; ++k)
    CHECK(std::abs(found.g.p[k] - g.p[static_cast<std::size_t>(k)]) < 1e-11);
  CHECK(std::abs(found.g.t0 - g.t0) < 1e-11);
  CHECK(std::abs(found.g.t1 - g.t1) < 1e-11);
}

TEST_CASE("petsc: the gradient is that of quotients") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  const petsc_field f = grid.field();
  const auto y0 = grid.bumps(0), w = grid.bumps(1), along = grid.bumps(2);
  constexpr std::array<double, 4> direction{1, -2, 3, -4};
  const grid_request asked{.o = {.fixed_step = 0.1}, .end = 0.3};
  const auto value = [&](double h) {
    grid_request moved = asked;
    for (std::size_t k = 0; k < 4; ++k) moved.p[k] += h * direction[k];
    auto y = y0;
    axpy(h, along, y);
    moved.pulls = false;
    return product(w, solve_by_ksp(f, y, w, moved).s.y);
  };
  const grid_solved found = solve_by_ksp(f, y0, w, asked);
  double slope = product(along, found.g.y0);
  for (int k = 0; k < 4; ++k) slope += direction[static_cast<std::size_t>(k)] * found.g.p[k];
  CHECK(std::abs(slope_of(value, 1e-3) - slope) < 1e-9);
}

TEST_CASE("petsc: preconditioners by name and by option give one gradient") {
  const petsc_grid grid(PETSC_COMM_WORLD, shape);
  const petsc_field f = grid.field();
  const grid_request asked{.o = {.fixed_step = 0.1}, .end = 0.1};
  const auto y0 = grid.bumps(0), w = grid.bumps(1);
  const grid_solved found = solve_by_ksp(f, y0, w, asked);
  const auto apart = [&](const grid_request& other) {
    const grid_solved by = solve_by_ksp(f, y0, w, other);
    REQUIRE(by.g.status == status::success);
    auto rest = by.g.y0;
    axpy(-1.0, found.g.y0, rest);
    return std::sqrt(product(rest, rest)) + std::abs(by.g.p[0] - found.g.p[0]);
  };
  for (const char* pc : {"asm", "gamg",
#ifdef PETSC_HAVE_MUMPS
                         "mumps",
#endif
#ifdef PETSC_HAVE_HYPRE
                         "hypre",
#endif
                         "jacobi"}) {
    CAPTURE(pc);
    grid_request other = asked;
    other.how.pc = pc;
    CHECK(apart(other) < 1e-11);
  }
  PetscOptionsSetValue(nullptr, "-revode_pc_type", "gamg");
  PetscOptionsSetValue(nullptr, "-revode_ksp_type", "bcgs");
  CHECK(apart(asked) < 1e-11);
  PetscOptionsClear(nullptr);
}

}  // namespace
}  // namespace revode
