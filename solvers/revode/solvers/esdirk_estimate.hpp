// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/step_error.hpp>
#include <revode/solvers/esdirk_adjoint.hpp>

namespace revode {

/// Stages of order 2 leave h³ in stiff components, whatever the orders of the method and its estimate.
template <class M>
struct stiff_orders {
  static constexpr int order = M::order < 3 ? M::order : 3;
  static constexpr int estimate_order =
      revode::estimate_order<M>() < 3 ? revode::estimate_order<M>() : 3;
};

/// E = (I − hγJ)⁻¹ h Σ (b_j − b̂_j) k_j, J that of the last stage and constant. Also where the step's
/// own estimate is not filtered: components that a step damps have no part in what it got wrong, but
/// their slopes are large.
/// cost    a Jacobian, a factorisation where those at hand do not serve, and two or more solves
template <esdirk_method M, class System, class Y, class P>
double pull_estimate(const M& m, System& sys, double t, double t_new, const esdirk_stages<M, Y>& s,
                     esdirk_scratch<M, Y>& w, const Y& lambda, esdirk_stages<M, Y>& seeds, P&,
                     step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  constexpr int stages = esdirk_numbers<M>::stages, last = stages - 1;
  const double h = t_new - t;
  const T shift = T(1) / T(h * esdirk_numbers<M>::gamma);
  double row[stages];
  for (int j = 0; j < stages; ++j) row[j] = M::tableau.a[last][j] - M::tableau.b_embedded[j];
  esdirk_stage<M>(last, T(h), s, w.stage);
  fill(w.right, T(0));
  axpy(shift, lambda, w.right);
  sweep_factors of_step, &kept = sweep_of(w, of_step);
  kept.open(t_new);
  solve_stage_derivative<true>(m, sys, t_new, shift, kept, w);
  kept.close(t_new);
  Y& error = w.right;
  sum_of_stages(row, stages, T(1), s.k, error);
  const T rate = dot(w.x[0], error);
  const double share = error_share<stiff_orders<M>>(std::abs(h) * norm_of(error), norm_of(s.y));
  for (int j = 0; j < stages; ++j) axpy(T(share * h * row[j]), w.x[0], seeds.k[j]);
  ends.t -= T(share) * rate;
  ends.t_new += T(share) * rate;
  return share * h * static_cast<double>(value_of(rate));
}

}  // namespace revode
