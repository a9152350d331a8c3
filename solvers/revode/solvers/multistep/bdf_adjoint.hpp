// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/refinement.hpp>
#include <revode/solvers/multistep/bdf_step.hpp>

namespace revode {

// The derivative of a step is that of the solved equation (implicit function theorem), between linear
// maps of the array that do not depend on it. With J at y_new and u the cotangent of a,
//   (lead/h − Jᵀ) x = u,  z̄₀ += Jᵀx,  z̄₁ −= x/h,  p̄ += f_pᵀ x
// A mass matrix, its transpose here, stands before lead/h and x/h.
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

/// The exact transpose of one step.
/// cost    a Jacobian, a VJP and two or more solves; a factorisation at most
template <bdf_method M, class System, class Y, class P>
void pull(const M& m, System& sys, double t, double t_new, const bdf_record& r,
          const nordsieck_tape<Y, M::most_order>& tape, bdf_scratch_t<M, Y>& w,
          const nordsieck_t<M, Y>* seeds, nordsieck_t<M, Y>& bar, P& p_bar,
          step_ends<scalar_t<Y>>*) {
  using T = scalar_t<Y>;
  const int q = r.order;
  const double h = t_new - t;
  w.kept.open(t_new);
  if (seeds != nullptr)
    for (int j = 0; j <= q; ++j) add(seeds->z[j], bar.z[j]);
  copy(bar.correction, w.right);
  pull_correction(tape, 0, q, bar, w.right);
  solve_bdf_derivative<true>(m, sys, t_new, tape.z[0], lead_of<M>(q, tape.l[1]) / h, w);
  w.kept.close(t);
  sys.vjp(t_new, tape.z[0], w.x[0], nullptr, bar.z[0], p_bar);
  axpy_of_mass<true>(mass_of(sys), T(-1 / h), w.x[0], bar.z[1]);
  pull_prediction(tape, q, bar);
}

/// The exact derivative of one step. Leaves the array's tangent in w.dot.
/// cost    a Jacobian, a JVP and two or more solves; a factorisation at most
template <bdf_method M, class System, class Y, class P>
void push(const M& m, System& sys, double t, double t_new, const bdf_record& r,
          const nordsieck_tape<Y, M::most_order>& tape, bdf_scratch_t<M, Y>& w,
          nordsieck_t<M, Y>& dot, const P& p_dot, const step_ends<scalar_t<Y>>&) {
  using T = scalar_t<Y>;
  const int q = r.order;
  const double h = t_new - t;
  push_prediction(tape, q, dot);
  w.kept.open(t);
  sys.jvp(t_new, tape.z[0], T(0), dot.z[0], p_dot, w.right);
  axpy_of_mass(mass_of(sys), T(-1 / h), dot.z[1], w.right);
  solve_bdf_derivative<false>(m, sys, t_new, tape.z[0], lead_of<M>(q, tape.l[1]) / h, w);
  w.kept.close(t_new);
  copy(w.x[0], dot.correction);
  correct_array(tape, 0, q, w.x[0], dot);
  w.dot = dot;
}

}  // namespace revode
