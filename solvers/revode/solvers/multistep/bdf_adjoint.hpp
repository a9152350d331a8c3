// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/refinement.hpp>
#include <revode/solvers/multistep/bdf_step.hpp>

namespace revode {

// The derivative of a step is that of the solved equation (implicit function theorem), between linear
// maps of the array that do not depend on it. With J at y_new and u the cotangent of a,
//   (l₁/h − Jᵀ) x = u,  z̄₀ += Jᵀx,  z̄₁ −= x/h,  p̄ += f_pᵀ x
// A mass matrix, its transpose here, stands before l₁/h and x/h.
// Lengths and orders of steps are constants of the derivative.

/// w.x = (shift − J)⁻¹ w.right, or with Jᵀ, to rounding; J at (t_new, y). Factors of a step before serve as
/// long as refinement with them is cheaper than new ones. Reports a system that was not solved.
template <bool Transposed, class M, class System, class Y>
void solve_bdf_derivative(const M& m, System& sys, double t_new, const Y& y, double shift,
                          bdf_scratch_t<M, Y>& w) {
  using T = scalar_t<Y>;
  algebra_of(m).evaluate(sys, t_new, y, w.jacobian);
  const auto residual = [&] {
    copy(w.right, w.rest[0]);
    axpy_of_mass<Transposed>(mass_of(sys), T(-shift), w.x[0], w.rest[0]);
    if constexpr (Transposed)
      add_transposed_product(w.jacobian, w.x[0], w.rest[0]);
    else
      add_product(w.jacobian, w.x[0], w.rest[0]);
  };
  const auto correct = [&] { solve_roughly<Transposed>(w.factors, 1e-8, w.rest[0]); };
  const auto from_zero = [&](int most) {
    fill(w.x[0], T(0));
    return refine(w.x, w.rest, residual, correct, most);
  };
  if (length(y) > 8 && w.kept.serve(shift) && from_zero(sweeps_worth_trying(w.jacobian))) return;
  count_factorization(sys);
  const bool factored = factor_pencil(w.factors, w.jacobian, T(shift), mass_of(sys));
  w.kept.renew(shift);
  if (!factored) return report(sys, trouble_of_factors(w.jacobian));
  if (from_zero(30)) return;
  const double size = std::abs(shift) + largest_element(w.jacobian);
  report(sys, trouble_of_solution(&w.right, w.x, w.rest, 1, size, residual));
}

/// The transposes of prediction, rescale and order change.
template <class Y, int K>
void pull_prediction(const bdf_tape<Y, K>& tape, int q, nordsieck<Y, K>& bar) {
  using T = scalar_t<Y>;
  for (int k = q; k >= 1; --k)
    for (int j = k; j <= q; ++j) add(bar.z[j - 1], bar.z[j]);
  double power = 1;
  for (int j = 1; j <= q; ++j) {
    power *= tape.scale;
    for (int i = 0, n = length(bar.z[j]); i < n; ++i)
      bar.z[j].data()[i] = T(power) * bar.z[j].data()[i];
  }
  const int before = static_cast<int>(tape.before);
  fill(bar.correction, T(0));
  if (q > before) {
    for (int j = 2; j < q; ++j) axpy(T(tape.change[j]), bar.z[j], bar.z[q]);
    axpy(T(tape.raise), bar.z[q], bar.correction);
    fill(bar.z[q], T(0));
  } else if (q < before && q > 1) {
    for (int j = 2; j <= q; ++j) axpy(T(-tape.change[j]), bar.z[j], bar.z[before]);
  }
}

/// The exact transpose of one step.
/// cost    a Jacobian, a VJP and two or more solves; a factorisation at most
template <bdf_method M, class System, class Y, class P>
void pull(const M& m, System& sys, double t, double t_new, const bdf_record& r,
          const bdf_tape_t<M, Y>& tape, bdf_scratch_t<M, Y>& w, const bdf_state_t<M, Y>* seeds,
          bdf_state_t<M, Y>& bar, P& p_bar, step_ends<scalar_t<Y>>*) {
  using T = scalar_t<Y>;
  const int q = r.order;
  const double h = t_new - t;
  w.kept.open(t_new);
  if (seeds != nullptr)
    for (int j = 0; j <= q; ++j) add(seeds->z[j], bar.z[j]);
  copy(bar.correction, w.right);
  for (int j = 0; j <= q; ++j) axpy(T(tape.l[j]), bar.z[j], w.right);
  solve_bdf_derivative<true>(m, sys, t_new, tape.z[0], tape.l[1] / h, w);
  w.kept.close(t);
  sys.vjp(t_new, tape.z[0], w.x[0], nullptr, bar.z[0], p_bar);
  axpy_of_mass<true>(mass_of(sys), T(-1 / h), w.x[0], bar.z[1]);
  for (int j = q + 1; j <= M::most_order; ++j) fill(bar.z[j], T(0));
  pull_prediction(tape, q, bar);
}

/// The exact derivative of one step. Leaves the array's tangent in w.dot.
/// cost    a Jacobian, a JVP and two or more solves; a factorisation at most
template <bdf_method M, class System, class Y, class P>
void push(const M& m, System& sys, double t, double t_new, const bdf_record& r,
          const bdf_tape_t<M, Y>& tape, bdf_scratch_t<M, Y>& w, bdf_state_t<M, Y>& dot,
          const P& p_dot, const step_ends<scalar_t<Y>>&) {
  using T = scalar_t<Y>;
  const int q = r.order, before = static_cast<int>(tape.before);
  const double h = t_new - t;
  if (q > before) {
    fill(dot.z[q], T(0));
    axpy(T(tape.raise), dot.correction, dot.z[q]);
    for (int j = 2; j < q; ++j) axpy(T(tape.change[j]), dot.z[q], dot.z[j]);
  } else if (q < before && q > 1) {
    for (int j = 2; j <= q; ++j) axpy(T(-tape.change[j]), dot.z[before], dot.z[j]);
  }
  for (int j = q + 1; j <= M::most_order; ++j) fill(dot.z[j], T(0));
  double power = 1;
  for (int j = 1; j <= q; ++j) {
    power *= tape.scale;
    for (int i = 0, n = length(dot.z[j]); i < n; ++i)
      dot.z[j].data()[i] = T(power) * dot.z[j].data()[i];
  }
  for (int k = 1; k <= q; ++k)
    for (int j = q; j >= k; --j) add(dot.z[j], dot.z[j - 1]);
  w.kept.open(t);
  sys.jvp(t_new, tape.z[0], T(0), dot.z[0], p_dot, w.right);
  axpy_of_mass(mass_of(sys), T(-1 / h), dot.z[1], w.right);
  solve_bdf_derivative<false>(m, sys, t_new, tape.z[0], tape.l[1] / h, w);
  w.kept.close(t_new);
  copy(w.x[0], dot.correction);
  for (int j = 0; j <= q; ++j) axpy(T(tape.l[j]), w.x[0], dot.z[j]);
  w.dot = dot;
}

}  // namespace revode
