// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscdmda.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/petsc/petsc_field.hpp>
#include <revode/petsc/petsc_ksp.hpp>

namespace revode {

/// Which terms of the grid's equations a field has.
struct grid_terms {
  bool diffusion = true, reaction = true;
};

/// Two substances in cells with walls about the grid: u' = p₀ Δu − u v² + p₂ (1 − u),
/// v' = p₁ Δv + u v² − (p₂ + p₃ (1 + t/10)) v, in the cell (i, j); x(i, j, c) is substance c there.
struct grid_shape {
  int columns, rows;

  template <class Visit>
  void visit_neighbours(int i, int j, const Visit& visit) const {
    if (i > 0) visit(i - 1, j);
    if (i < columns - 1) visit(i + 1, j);
    if (j > 0) visit(i, j - 1);
    if (j < rows - 1) visit(i, j + 1);
  }
  template <class T, class P, class Read>
  std::array<T, 2> rates(const grid_terms& terms, int i, int j, const T& t, const P& p,
                         const Read& x) const {
    const T u = x(i, j, 0), v = x(i, j, 1), made = u * v * v;
    std::array<T, 2> found{T(0), T(0)};
    if (terms.diffusion)
      visit_neighbours(i, j, [&](int k, int l) {
        found[0] = found[0] + p[0] * (x(k, l, 0) - u);
        found[1] = found[1] + p[1] * (x(k, l, 1) - v);
      });
    if (terms.reaction) {
      found[0] = found[0] - made + p[2] * (1 - u);
      found[1] = found[1] + made - (p[2] + p[3] * (1 + t / 10)) * v;
    }
    return found;
  }
  /// What p₀ … p₃ do to a rate, weighted by w; and t.
  template <class Read>
  void add_cotangents(const grid_terms& terms, int i, int j, double t, std::span<const double> p,
                      const Read& x, double w0, double w1, double& gt, std::span<double> gp) const {
    const double u = x(i, j, 0), v = x(i, j, 1);
    if (terms.diffusion)
      visit_neighbours(i, j, [&](int k, int l) {
        gp[0] += w0 * (x(k, l, 0) - u);
        gp[1] += w1 * (x(k, l, 1) - v);
      });
    if (!terms.reaction) return;
    gp[2] += w0 * (1 - u) - w1 * v;
    gp[3] -= w1 * (1 + t / 10) * v;
    gt -= w1 * p[3] / 10 * v;
  }
};

/// The grid over the ranks of a communicator, in boxes as PETSc chooses them.
class petsc_grid {
 public:
  petsc_grid(MPI_Comm comm, const grid_shape& of) : shape(of) {
    petsc_calls petsc;
    petsc(DMDACreate2d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, of.columns,
                       of.rows, PETSC_DECIDE, PETSC_DECIDE, 2, 1, nullptr, nullptr, cells.fresh()));
    petsc(DMSetUp(cells.get()));
    petsc(DMCreateGlobalVector(cells.get(), like.fresh()));
    petsc(DMCreateMatrix(cells.get(), matrix.fresh()));
    layout = layout_of(like.get());
  }

  /// visit(element here, column, row, substance)
  template <class Visit>
  void for_each(const Visit& visit) const {
    DMDALocalInfo box;
    DMDAGetLocalInfo(cells.get(), &box);
    int k = 0;
    for (int j = box.ys; j < box.ys + box.ym; ++j)
      for (int i = box.xs; i < box.xs + box.xm; ++i)
        for (int c = 0; c < 2; ++c) visit(k++, i, j, c);
  }
  spread<double> bumps(double phase) const {
    spread<double> y(layout);
    for_each([&](int k, int i, int j, int c) {
      y[k] = 0.4 + 0.3 * std::sin(phase + 0.7 * i + 1.3 * j + 2.1 * c);
    });
    return y;
  }

  /// The field's terms; copies keep the grid alive by PETSc's own counts.
  petsc_callbacks callbacks(const grid_terms& terms = {}) const {
    const auto rows = [dm = cells.get()](Vec y, const auto& body) {
      DMDALocalInfo box;
      PetscCall(DMDAGetLocalInfo(dm, &box));
      const double*** x = nullptr;
      PetscCall(DMDAVecGetArrayDOFRead(dm, y, &x));
      const auto read = [&](int i, int j, int c) { return x[j][i][c]; };
      for (int j = box.ys; j < box.ys + box.ym; ++j)
        for (int i = box.xs; i < box.xs + box.xm; ++i) body(i, j, read);
      return DMDAVecRestoreArrayDOFRead(dm, y, &x);
    };
    const auto value = [=, dm = cells.get(), shape = shape](double t, Vec y, const auto& p,
                                                            Vec dy) -> PetscErrorCode {
      double*** to = nullptr;
      PetscCall(DMDAVecGetArrayDOF(dm, dy, &to));
      PetscCall(rows(y, [&](int i, int j, const auto& x) {
        const auto found = shape.rates(terms, i, j, t, p, x);
        for (int c = 0; c < 2; ++c) to[j][i][c] = found[static_cast<std::size_t>(c)];
      }));
      return DMDAVecRestoreArrayDOF(dm, dy, &to);
    };
    const auto jacobian = [=, shape = shape](double t, Vec y, const auto& p,
                                             Mat to) -> PetscErrorCode {
      return rows(y, [&](int i, int j, const auto& x) {
        const auto set = [&](int c, int k, int l, int from, double of) {
          const MatStencil row{0, j, i, c}, column{0, l, k, from};
          MatSetValuesStencil(to, 1, &row, 1, &column, &of, ADD_VALUES);
        };
        if (terms.diffusion)
          shape.visit_neighbours(i, j, [&](int k, int l) {
            for (int c = 0; c < 2; ++c) {
              const double rate = p[static_cast<std::size_t>(c)];
              set(c, k, l, c, rate), set(c, i, j, c, -rate);
            }
          });
        if (!terms.reaction) return;
        const double u = x(i, j, 0), v = x(i, j, 1);
        set(0, i, j, 0, -v * v - p[2]), set(0, i, j, 1, -2 * u * v);
        set(1, i, j, 0, v * v), set(1, i, j, 1, 2 * u * v - p[2] - p[3] * (1 + t / 10));
      });
    };
    const auto pull = [=, dm = cells.get(), shape = shape](double t, Vec y, const auto& p, Vec w,
                                                           double& gt,
                                                           std::span<double> gp) -> PetscErrorCode {
      const double*** of = nullptr;
      PetscCall(DMDAVecGetArrayDOFRead(dm, w, &of));
      PetscCall(rows(y, [&](int i, int j, const auto& x) {
        shape.add_cotangents(terms, i, j, t, p, x, of[j][i][0], of[j][i][1], gt, gp);
      }));
      return DMDAVecRestoreArrayDOFRead(dm, w, &of);
    };
    return {.value = value,
            .jacobian = jacobian,
            .parameter_vjp = pull,
            .matrix = matrix.get(),
            .halos = cells.get()};
  }
  petsc_field field() const { return {layout, callbacks()}; }

  grid_shape shape;
  petsc_handle<DM, DMDestroy> cells;
  vec_handle like;
  mat_handle matrix;
  spread_layout layout;
};

inline constexpr std::array<double, 4> grid_rates{3.0, 1.5, 0.3, 0.4};

using grid_parameters = block_parameters<double>;
struct grid_solved {
  solution<spread<double>> s;
  gradient<spread<double>, grid_parameters> g;
};
/// From 0 to `end` by kencarp4 and KSPs, and what `w` makes of it. One unit compiles it.
struct grid_request {
  petsc_settings how{.rough = 1e-12};
  options o{};
  int slots = 1000;
  std::array<double, 4> p = grid_rates;
  double end = 1;
  bool pulls = true;
};
grid_solved solve_by_ksp(const petsc_field& f, const spread<double>& y0, const spread<double>& w,
                         const grid_request& asked);

/// ⟨x, y⟩ over all ranks.
inline double product(const spread<double>& x, const spread<double>& y) {
  return sums_over<1>(x, [&](int i, double* sum) { *sum += x[i] * y[i]; }).of[0];
}
inline bool same_elements(const spread<double>& x, const spread<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}
/// The largest difference on any rank, `of(element, column, row, substance)` beside it.
template <class Of>
double distance(const petsc_grid& grid, const spread<double>& x, const Of& of) {
  double most = 0;
  grid.for_each(
      [&](int k, int i, int j, int c) { most = std::fmax(most, std::abs(x[k] - of(i, j, c))); });
  return most_of_all(x, most);
}
/// A slope by values at ±h and ±2h.
template <class Value>
double slope_of(const Value& value, double h) {
  return (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
}

}  // namespace revode
