// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/functions.hpp>
#include <revode/concepts.hpp>
#include <revode/solve/controller.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

// What a step got wrong, and its derivative. A method with an estimate E of its step's error has
//   pull_estimate(m, sys, t, t_new, tape, w, λ, seeds, p_bar, ends) -> s λᵀE
// which adds the derivative of s λᵀE to seeds (of y_n and of the stages), p_bar and ends, where λ is
// the cotangent of the new state. What `pull` then makes of the seeds belongs to
//   ε_n = Φ_yᵀ ε_{n+1} + s E_yᵀ λ_{n+1},  ε_p += Φ_pᵀ ε_{n+1} + s E_pᵀ λ_{n+1}:
// the error of a gradient, to first order in those of the steps.

/// √Σ yᵢ²
template <class Y>
REVODE_HD double norm_of(const Y& y) {
  return std::sqrt(static_cast<double>(value_of(dot(y, y))));
}

/// s: how much of E the step's own error is taken to be. E belongs to the formula of order q that the
/// solution of order p is compared with. Where the solution is smooth at the scale of the step the error
/// is smaller than E by E^((p−q)/(q+1)), E relative to y; where order is lost it is E itself. In between
/// lies their geometric mean.
template <class M>
REVODE_HD double error_share(double error, double y) {
  constexpr int p = M::order, q = estimate_order<M>();
  if constexpr (p <= q) return 1;
  if (!(error > 0)) return 1;
  return exp2_approx(0.5 * (p - q) / (q + 1.0) * log2_approx(error / (y + error)));
}

/// Can a method say what its steps got wrong?
template <class M, class System, class Y, class P>
inline constexpr bool has_pull_estimate_v = requires(
    const M& m, System& sys, const typename method_types<M, Y>::tape& tape,
    typename method_types<M, Y>::scratch& w, const typename method_types<M, Y>::state& state_bar,
    typename method_types<M, Y>::seeds& seeds, P& p_bar, step_ends<scalar_t<Y>>& ends) {
  pull_estimate(m, sys, 0.0, 1.0, tape, w, state_bar, seeds, p_bar, ends);
};

}  // namespace revode
