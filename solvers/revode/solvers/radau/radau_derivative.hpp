// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/linalg/krylov/gmres_solver.hpp>
#include <revode/linalg/krylov/krylov_space.hpp>
#include <revode/linalg/mass_row.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solvers/radau/radau_types.hpp>

namespace revode {

// The derivative of a step is that of its solved stage equations G(z) = A⁻¹z/h − f(y + z) = 0, with
// the Jacobians Jᵢ at the stages (implicit function theorem):
//   A⁻¹ż/h − J(ẏ + ż) = f_t ṫ + f_p ṗ + (ḣ/h²) A⁻¹z,        pull: A⁻ᵀκ/h − Jᵀκ = z̄
// A mass matrix stands before each A⁻¹.
// Both are solved to rounding by refinement, with factors of A⁻¹/h − J at the last stage of this
// step or an earlier one of the sweep.

/// y_n + zᵢ
template <class Y, int S>
void radau_stage(const radau_stages<Y, S>& s, int i, Y& stage) {
  copy(s.y, stage);
  add(s.z[i], stage);
}

/// Jacobians at the stages.
template <class L, class System, class Y, int S>
void prepare_radau_derivative(const L& algebra, System& sys, double t, double t_new,
                              const radau_stages<Y, S>& s, radau_scratch<L, Y, S>& w) {
  for (int i = 0; i < S; ++i) {
    radau_stage(s, i, w.rest[0]);
    algebra.evaluate(sys, radau_time<S>(i, t, t_new), w.rest[0], w.jacobian[i]);
  }
}

/// xᵀ M y
template <class Mass, class Y>
time_bar_t<Y> dot_of_mass(const Mass& mass, const Y& x, const Y& y) {
  using T = scalar_t<Y>;
  if constexpr (std::is_same_v<Mass, nothing>) {
    return dot(x, y);
  } else {
    T sum(0);
    for (int k = 0, n = length(x); k < n; ++k)
      sum = muladd(x.data()[k], add_mass_times(mass, k, T(1), y.data(), T(0)), sum);
    return sum;
  }
}

/// out = out − A⁻¹ x / h, or with the transpose of A⁻¹
template <bool Transposed, class Mass, class Y, int S>
void subtract_radau_matrix(const Mass& mass, scalar_t<Y> h, const Y (&x)[S], Y (&out)[S]) {
  using T = scalar_t<Y>;
  using n = radau_numbers<S>;
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j)
      axpy_of_mass<Transposed>(mass, -T(Transposed ? n::inverse[j][i] : n::inverse[i][j]) / h, x[j],
                               out[i]);
}

/// out = out − (A⁻¹/h − diag J) x, or with its transpose
template <bool Transposed, class Mass, class Matrix, class Y, int S>
void subtract_radau_product(const Mass& mass, scalar_t<Y> h, const Matrix (&j)[S], const Y (&x)[S],
                            Y (&out)[S]) {
  for (int i = 0; i < S; ++i)
    if constexpr (Transposed)
      add_transposed_product(j[i], x[i], out[i]);
    else
      add_product(j[i], x[i], out[i]);
  subtract_radau_matrix<Transposed>(mass, h, x, out);
}

/// w.rest = what is left of (A⁻¹/h − diag J) x = right, or its transpose.
template <bool Transposed, class Mass, class L, class Y, int S>
void radau_derivative_residual(const Mass& mass, scalar_t<Y> h, radau_scratch<L, Y, S>& w) {
  for (int i = 0; i < S; ++i) copy(w.right[i], w.rest[i]);
  subtract_radau_product<Transposed>(mass, h, w.jacobian, w.x, w.rest);
}

/// x ← (A⁻¹/h − J)⁻¹ x, or with the transpose, where all stages have one J, that of the factors.
template <bool Transposed, class L, class Y, int S>
void solve_with_one_jacobian(const radau_factors<L, Y, S>& factors, Y (&x)[S]) {
  using n = radau_numbers<S>;
  if constexpr (Transposed) {
    transform_transposed(n::t, x, x);
    factors.solve_transposed(x);
    transform_transposed(n::t_inverse, x, x);
  } else {
    transform(n::t_inverse, x, x);
    factors.solve(x);
    transform(n::t, x, x);
  }
}

/// Solves it for w.x from w.right, in so many sweeps at most that correct w.rest.
template <bool Transposed, class Mass, class L, class Y, int S, class Correct>
bool refine_radau_derivative(const Mass& mass, scalar_t<Y> h, radau_scratch<L, Y, S>& w, int most,
                             const Correct& correct) {
  using T = scalar_t<Y>;
  for (Y& part : w.x) fill(part, T(0));
  const auto residual = [&] { radau_derivative_residual<Transposed>(mass, h, w); };
  const bool found = refine(w.x, w.rest, residual, correct, most);
  if (found && has_higher_index(mass)) refine_each(w.x, w.rest, residual, correct);
  return found;
}
/// By the factors, where J changes little across the step.
template <bool Transposed, class Mass, class L, class Y, int S>
bool solve_radau_derivative(const Mass& mass, scalar_t<Y> h, radau_scratch<L, Y, S>& w, int most) {
  const auto correct = [&] { solve_with_one_jacobian<Transposed>(w.factors, w.rest); };
  return refine_radau_derivative<Transposed>(mass, h, w, most, correct);
}

/// The same by products with the Jacobians of all stages, in a Krylov space that such solves precondition, for steps
/// across which J changes too much.
/// memory  (restart + 8) S n numbers, for such a step only
template <bool Transposed, class Mass, class L, class Y, int S>
bool solve_radau_derivative_in_space(const Mass& mass, scalar_t<Y> h, radau_scratch<L, Y, S>& w) {
  using T = scalar_t<Y>;
  krylov_space<Y, S, gmres_solver> space;
  space.fit(w.x[0], w.jacobian[0].limits);
  const auto multiply = [&](const Y(&x)[S], Y(&out)[S]) {
    for (Y& part : out) fill(part, T(0));
    subtract_radau_product<Transposed>(mass, h, w.jacobian, x, out);
    for (Y& part : out)
      for (int k = 0, n = length(part); k < n; ++k) part.data()[k] = -part.data()[k];
  };
  const auto precondition = [&](Y(&x)[S]) { solve_with_one_jacobian<Transposed>(w.factors, x); };
  const auto correct = [&] {
    typename krylov_space<Y, S, gmres_solver>::parts_of rest;
    for (int i = 0; i < S; ++i) rest.at[i] = w.rest[i].data();
    space.template solve<Transposed>(rest, {1e-6}, multiply, precondition);
  };
  return refine_radau_derivative<Transposed>(mass, h, w, 30, correct);
}

/// The same from one matrix of all stages, for steps across which J changes too much.
/// cost    S³ n³/3 multiply-adds and S² n² numbers, for such a step only
template <bool Transposed, class Mass, class L, class Y, int S>
bool solve_radau_derivative_whole(const Mass& mass, scalar_t<Y> h, radau_scratch<L, Y, S>& w) {
  using T = scalar_t<Y>;
  const int n = length(w.x[0]);
  dense_matrix<T> all(S * n);
  std::vector<T> x(static_cast<std::size_t>(S * n));
  for (int i = 0; i < S; ++i) {
    for (int j = 0; j < S; ++j)
      for (int k = 0; k < n; ++k) {
        const T rate = T(radau_numbers<S>::inverse[i][j]) / h;
        visit_row(mass, k, [&](int l, double m) { all(i * n + k, j * n + l) = T(m) * rate; });
      }
    for (int k = 0; k < n; ++k) {
      for (int l = 0; l < n; ++l)
        all(i * n + k, i * n + l) = all(i * n + k, i * n + l) - w.jacobian[i](k, l);
    }
  }
  dense_lu<T> factors;
  if (!factors.factor(all)) return false;
  for (Y& part : w.x) fill(part, T(0));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < S; ++i)
      for (int k = 0; k < n; ++k) {
        T rest = w.right[i].data()[k];
        for (int j = 0; j < S; ++j)
          for (int l = 0; l < n; ++l) {
            const int row = i * n + k, column = j * n + l;
            rest =
                muladd(Transposed ? -all(column, row) : -all(row, column), w.x[j].data()[l], rest);
          }
        x[static_cast<std::size_t>(i * n + k)] = rest;
      }
    if constexpr (Transposed)
      factors.solve_transposed(x);
    else
      factors.solve(x);
    for (int i = 0; i < S; ++i)
      for (int k = 0; k < n; ++k)
        w.x[i].data()[k] = w.x[i].data()[k] + x[static_cast<std::size_t>(i * n + k)];
  }
  return true;
}

/// What is wrong with w.x where refinement has not ended, or nothing.
template <bool Transposed, class Mass, class L, class Y, int S>
status trouble_of_radau_derivative(const Mass& mass, scalar_t<Y> h, bool factored,
                                   radau_scratch<L, Y, S>& w) {
  double size = radau_numbers<S>::inverse[0][0] / std::abs(static_cast<double>(value_of(h)));
  for (const auto& j : w.jacobian) {
    if (const status why = trouble_of_factors(j); why == status::non_finite_field) return why;
    size = std::fmax(size, largest_element(j));
  }
  if (!factored) return status::linear_solve_failure;
  const auto residual = [&] { radau_derivative_residual<Transposed>(mass, h, w); };
  return trouble_of_solution(w.right, w.x, w.rest, S, size, w.jacobian[0], residual);
}

/// With factors of the step before as long as that is cheaper than new ones. Where new ones do not
/// converge, algebras with a solver of their own for coupled stages use that, those of products a Krylov space; others
/// without random access to elements have refinement alone, with more patience. Reports a system that was not solved.
template <bool Transposed, class System, class L, class Y, int S>
void solve_radau_derivative_exactly(System& sys, scalar_t<Y> h, radau_scratch<L, Y, S>& w) {
  using T = scalar_t<Y>;
  const double now = 1 / static_cast<double>(value_of(h));
  const auto& mass = mass_of(sys);
  if (count_of(w.x[0]) > 8 && w.kept.serve(now) &&
      solve_radau_derivative<Transposed>(mass, h, w, sweeps_worth_trying(w.jacobian[S - 1])))
    return;
  count_factorization(sys);
  bool found = true_of_all(w.x[0], w.factors.factor(w.jacobian[S - 1], h, mass));
  w.kept.renew(now);
  T a[S][S];
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) a[i][j] = T(radau_numbers<S>::inverse[i][j]) / h;
  if constexpr (requires {
                  L::template solve_stages<Transposed>(a, mass, w.jacobian, w.right, w.x);
                }) {
    if (found && solve_radau_derivative<Transposed>(mass, h, w, 12)) return;
    found = L::template solve_stages<Transposed>(a, mass, w.jacobian, w.right, w.x);
  } else if constexpr (requires { w.jacobian[0](0, 0); }) {
    if (found && solve_radau_derivative<Transposed>(mass, h, w, 12)) return;
    found = solve_radau_derivative_whole<Transposed>(mass, h, w);
  } else {
    if (found && solve_radau_derivative<Transposed>(mass, h, w, 100)) return;
    if constexpr (requires { w.jacobian[0].near; })
      if (found && solve_radau_derivative_in_space<Transposed>(mass, h, w)) return;
  }
  report(sys, trouble_of_radau_derivative<Transposed>(mass, h, found, w));
}

}  // namespace revode
