// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/ad/functions.hpp>
#include <revode/solvers/multistep/bdf_types.hpp>
#include <revode/solvers/multistep/nordsieck_step.hpp>

namespace revode {

/// (z₁ + lead a)/h is the slope of which the corrector equation asks that it be f: lead = l₁ of BDF,
/// (1 − κ) l₁ of NDF.
template <class M>
double lead_of(int q, double l1) {
  return (1 - M::formula::kappa(q)) * l1;
}

/// Jacobian and factors as decided, for a step from (t, y).
template <class M, class System, class Y>
status prepare_bdf_matrix(const M& m, System& sys, double t, const Y& y, double shift,
                          const bdf_record& r, carry<M, Y>& to) {
  const status found = take_jacobian(m, sys, t, y, r, to);
  if (found != status::success || !r.has(r.new_factors)) return found;
  count_factorization(sys);
  to.memo.shift = shift;
  return factor_pencil(to.cache.factors, to.cache.jacobian, scalar_t<Y>(shift), mass_of(sys))
             ? status::success
             : status::linear_solve_failure;
}

/// Iterations begin at the prediction; or, as recorded, at the state y before the step: h f(y) of a stiff start, which
/// no error control makes short, is nothing to begin with.
template <class Y, int K>
void open_iterations(const bdf_record& r, const Y& y, nordsieck<Y, K>& s) {
  fill(s.correction, scalar_t<Y>(0));
  if (!r.has(r.from_start)) return;
  for (int i = 0, n = length(y); i < n; ++i)
    s.correction.data()[i] = y.data()[i] - s.z[0].data()[i];
}

/// c.change = f(t_new, z₀ + a) − M (z₁ + lead a)/h, which is 0 for the solution a.
template <class System, class Y, int K, class Cache>
void bdf_residual(System& sys, double t_new, double h, double lead, const nordsieck<Y, K>& s,
                  Cache& c) {
  using T = scalar_t<Y>;
  copy(s.z[0], c.stage);
  add(s.correction, c.stage);
  sys(t_new, c.stage, c.change);
  const T inverse = T(1) / T(h), of_a = T(lead) * inverse;
  for (int i = 0, n = length(c.stage); i < n; ++i)
    c.change.data()[i] = add_mass_times(
        mass_of(sys), i, -of_a, s.correction.data(),
        add_mass_times(mass_of(sys), i, -inverse, s.z[1].data(), c.change.data()[i]));
}

/// One correction of a, with J where the iteration is and no further than the goal where there is one;
/// whether that was reached. One by factors of another shift is scaled to what lies between the two: where J is
/// diagonalisable with eigenvalues ≤ 0, (s_LU − J)⁻¹ (s − J) has those between 1 and s/s_LU.
/// source  CVODE, modified Newton iterations: 2/(1 + γ/γ_LU) for residuals times γ, which these are not
template <class System, class Y, int K, class Cache>
bool bdf_correction(System& sys, double t_new, double h, double lead, double shift_of_factors,
                    double goal, bool first, const nordsieck<Y, K>& s, Cache& c) {
  using T = scalar_t<Y>;
  bdf_residual(sys, t_new, h, lead, s, c);
  const double shift = lead / h;
  if constexpr (Cache::inexact) {
    if (goal > 0) {
      c.factors.move(t_new, c.stage, T(shift));
      return solve_to(c.factors, goal, first, c.change);
    }
  }
  solve_roughly<false>(c.factors, newton_solve_tolerance, c.change);
  if (shift == shift_of_factors) return true;
  const T scale = T(2 / (1 + shift / shift_of_factors));
  for (int i = 0, n = length(c.change); i < n; ++i) c.change.data()[i] = scale * c.change.data()[i];
  return true;
}

/// Over duals: the tangent of the solved equation, with the Jacobian there, by corrections that leave
/// values alone.
template <class A, class System, class Y, int K, class Cache>
void settle_bdf(const A& algebra, System& sys, double t_new, double h, double lead,
                nordsieck<Y, K>& s, Cache& c) {
  using T = scalar_t<Y>;
  auto jacobian = c.jacobian;
  auto factors = c.factors;
  copy(s.z[0], c.stage);
  add(s.correction, c.stage);
  algebra.evaluate(sys, t_new, c.stage, jacobian);
  if (!factor_pencil(factors, jacobian, T(lead / h), mass_of(sys)))
    report(sys, status::linear_solve_failure);
  for (int round = 0; round < 3; ++round) {
    bdf_residual(sys, t_new, h, lead, s, c);
    for (int i = 0, n = length(c.change); i < n; ++i)
      c.change.data()[i] = c.change.data()[i] - T(value_of(c.change.data()[i]));
    factors.solve(c.change);
    add(c.change, s.correction);
  }
}

template <bdf_method M, class System, class Y>
void refresh(const M& m, System& sys, double, carry<M, Y>& c) {
  algebra_of(m).evaluate(sys, c.memo.t_jacobian, c.memo.y_jacobian, c.cache.jacobian);
  if (c.memo.shift != 0)
    factor_pencil(c.cache.factors, c.cache.jacobian, scalar_t<Y>(c.memo.shift), mass_of(sys));
}

template <bdf_method M, class System, class Y>
void replay(const M& m, System& sys, double t, double t_new, const bdf_record_of<M>& r,
            carry<M, Y>& c, nordsieck_tape<Y, M::most_order>& tape) {
  const double h = t_new - t;
  const typename M::formula by(r.order, h, c.memo.tau);
  const double lead = lead_of<M>(r.order, by.l[1]);
  prepare_bdf_matrix(m, sys, t, c.state.z[0], lead / h, r, c);
  if (r.has(r.from_start)) copy(c.state.z[0], c.cache.change);
  predict_array<M>(c.memo, r.order, h, by, c.state, c.state, tape);
  open_iterations(r, c.cache.change, c.state);
  for (int round = 0; round < r.iterations; ++round) {
    bdf_correction(sys, t_new, h, lead, c.memo.shift, goal_of(r), round == 0, c.state, c.cache);
    add(c.cache.change, c.state.correction);
  }
  if constexpr (is_differentiable_v<scalar_t<Y>>)
    settle_bdf(algebra_of(m), sys, t_new, h, lead, c.state, c.cache);
  finish_nordsieck_step(0, r.order, h, c.state.correction, c.state, tape, c.memo);
}

}  // namespace revode
