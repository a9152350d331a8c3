// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/step_error.hpp>
#include <revode/solvers/esdirk_estimate.hpp>
#include <revode/solvers/imex_adjoint.hpp>

namespace revode {

/// As in esdirk_estimate.hpp: E = (I − hγJ_I)⁻¹ h Σ (b_j − b̂_j)(e_j + k_j)
/// cost    a Jacobian, a factorisation and two or more solves
template <imex_method M, class System, class Y, class P>
double pull_estimate(const M& m, System& sys, double t, double t_new, const imex_stages<M, Y>& s,
                     imex_scratch<M, Y>& w, const Y& lambda, imex_stages<M, Y>& seeds, P&,
                     step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  using numbers = imex_numbers<M>;
  constexpr int stages = numbers::stages, last = stages - 1;
  const double h = t_new - t;
  const T shift = T(1) / T(h * numbers::gamma);
  const auto& row = numbers::estimate.w;
  imex_increment(last, T(h), s, w.stage);
  add(s.y, w.stage);
  fill(w.right, T(0));
  axpy(shift, lambda, w.right);
  auto stiff = sys.implicit_part();
  bool factored = false;
  solve_imex_derivative<true>(m, stiff, t_new, shift, factored, w);
  Y& error = w.right;
  sum_of_stages(row, stages, T(1), s.k, error);
  add_sum_of_stages(row, stages, T(1), s.e, error);
  const T rate = dot(w.x[0], error);
  const double share = error_share<stiff_orders<typename M::implicit_method>>(
      std::abs(h) * norm_of(error), norm_of(s.y));
  for (int j = 0; j < stages; ++j) {
    axpy(T(share * h * row[j]), w.x[0], seeds.k[j]);
    axpy(T(share * h * row[j]), w.x[0], seeds.e[j]);
  }
  ends.t -= T(share) * rate;
  ends.t_new += T(share) * rate;
  return share * h * static_cast<double>(value_of(rate));
}

}  // namespace revode
