// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/step_error.hpp>
#include <revode/solvers/runge_kutta_step.hpp>

namespace revode {

/// to = Σ Row(j) k_j over the stages of the step
template <class Row, class M, class Y>
REVODE_HD void sum_of_row(const rk_tape<M, Y>& tape, Y& to) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  const T* k[s];
  T weight[s];
  for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
  scale_row<Row, 0, s>(T(1), weight);
  for_each_element(to, [&](int i) { to.data()[i] = add_weighted<Row, 0, s>(T(0), weight, k, i); });
}

/// seeds.k_j += h Row(j) λ
template <class Row, int J, class M, class Y>
REVODE_HD void seed_row(scalar_t<Y> h, const Y& lambda, rk_seeds<M, Y>& seeds) {
  if constexpr (J < coefficients<M>::stages) {
    if constexpr (Row::at(J) != 0) axpy(h * scalar_t<Y>(Row::at(J)), lambda, seeds.k[J]);
    seed_row<Row, J + 1>(h, lambda, seeds);
  }
}

/// E = h Σ eⱼ kⱼ, for DOP853 by as much less as its two estimates say.
/// cost    of the order of one field evaluation's arithmetic on the state; no evaluation
template <explicit_method M, class System, class Y, class P>
REVODE_HD double pull_estimate(const M&, System&, double t, double t_new, const rk_tape<M, Y>& tape,
                               rk_scratch<M, Y>& w, const Y& lambda, rk_seeds<M, Y>& seeds, P&,
                               step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  const double h = t_new - t;
  sum_of_row<error_row<M>>(tape, w.k_bar);
  const double error = norm_of(w.k_bar);
  double share = error_share<M>(std::abs(h) * error, norm_of(tape.y));
  if constexpr (requires { M::b_embedded_low; }) {
    sum_of_row<low_error_row<M>>(tape, w.stage);
    const double low = norm_of(w.stage);
    if (error > 0) share *= error / std::sqrt(error * error + 0.01 * low * low);
  }
  seed_row<error_row<M>, 0>(T(share * h), lambda, seeds);
  const T rate = T(share) * dot(lambda, w.k_bar);
  ends.t -= rate;
  ends.t_new += rate;
  return h * static_cast<double>(rate);
}

}  // namespace revode
