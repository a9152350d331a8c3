// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/derivative_solve.hpp>
#include <revode/solvers/multistep/bdf_step.hpp>

namespace revode {

// The derivative of a step is that of the solved equation (implicit function theorem), between linear
// maps of the array that do not depend on it. With J at y_new and u the cotangent of a,
//   (lead/h − Jᵀ) x = u,  z̄₀ += Jᵀx,  z̄₁ −= x/h,  p̄ += f_pᵀ x
// A mass matrix, its transpose here, stands before lead/h and x/h.
// Lengths and orders of steps are constants of the derivative.

/// The exact transpose of one step.
/// cost    a VJP and two or more solves; a Jacobian and a factorisation at most (derivative_solve.hpp)
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
  solve_derivative<true>(algebra_of(m), sys, t_new, tape.z[0], T(lead_of<M>(q, tape.l[1]) / h), w);
  w.kept.close(t);
  sys.vjp(t_new, tape.z[0], w.x[0], nullptr, bar.z[0], p_bar);
  axpy_of_mass<true>(mass_of(sys), T(-1 / h), w.x[0], bar.z[1]);
  pull_prediction(tape, q, bar);
}

/// The exact derivative of one step. Leaves the array's tangent in w.dot.
/// cost    a JVP and two or more solves; a Jacobian and a factorisation at most
template <bdf_method M, class System, class Y, class P>
void push(const M& m, System& sys, double t, double t_new, const bdf_record& r,
          const nordsieck_tape<Y, M::most_order>& tape, bdf_scratch_t<M, Y>& w,
          nordsieck_t<M, Y>& dot, const P& p_dot, const step_ends<scalar_t<Y>>&) {
  using T = scalar_t<Y>;
  const int q = r.order;
  const double h = t_new - t;
  push_prediction(tape, q, dot, dot);
  w.kept.open(t);
  sys.jvp(t_new, tape.z[0], T(0), dot.z[0], p_dot, w.right);
  axpy_of_mass(mass_of(sys), T(-1 / h), dot.z[1], w.right);
  solve_derivative<false>(algebra_of(m), sys, t_new, tape.z[0], T(lead_of<M>(q, tape.l[1]) / h), w);
  w.kept.close(t_new);
  copy(w.x[0], dot.correction);
  correct_array(tape, 0, q, w.x[0], dot);
  w.dot = dot;
}

}  // namespace revode
