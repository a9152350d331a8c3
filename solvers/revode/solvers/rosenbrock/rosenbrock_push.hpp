// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock/rosenbrock_step.hpp>

namespace revode {

/// out += the tangent of k_t ∂f/∂t + J k at (t, y) with k_t and k held: at once, or of fields that bring derivatives
/// of their own one row at a time, from the gradient of each.
template <class System, class Y, class P>
REVODE_HD void add_second(System& sys, double t, const Y& y, scalar_t<Y> k_t, const Y& k,
                          scalar_t<Y> t_dot, const Y& y_dot, const P& p_dot, Y& row, Y& of_y,
                          Y& out) {
  using T = scalar_t<Y>;
  if constexpr (requires { sys.push_second(t, y, k_t, k, t_dot, y_dot, p_dot, out); })
    return sys.push_second(t, y, k_t, k, t_dot, y_dot, p_dot, out);
  P of_p = zero_like(p_dot);
  fill(row, T(0));
  for (int i = 0, n = length(y); i < n; ++i) {
    T of_t(0);
    fill(of_y, T(0));
    fill(of_p, T(0));
    row.data()[i] = T(1);
    sys.second(t, y, row, k_t, k, &of_t, of_y, of_p);
    row.data()[i] = T(0);
    out.data()[i] += of_t * t_dot + dot(of_y, y_dot) + dot(of_p, p_dot);
  }
}

/// w.v[I …] = tangents of the stages:
///   W U̇ = ḟ + Σ ((c/h) U̇ⱼ − (c ḣ/h²) Uⱼ) + ḣ γᵢ ∂f/∂t + U ḣ/(γ h²)
///       + the tangents of J U and h γᵢ ∂f/∂t, U and h held;
/// a mass matrix stands before the sum and before U ḣ/(γ h²).
template <class M, int I, class System, class Y, class P>
REVODE_HD void push_rosenbrock_stages(System& sys, double t, double t_new,
                                      const rosenbrock_tape<M, Y>& tape,
                                      rosenbrock_scratch<M, Y>& w, const Y& y_dot, const P& p_dot,
                                      const step_ends<scalar_t<Y>>& ends) {
  if constexpr (I < rosenbrock_numbers<M>::kept) {
    using T = scalar_t<Y>;
    using numbers = rosenbrock_numbers<M>;
    constexpr T c = static_cast<T>(numbers::node(I)), d = static_cast<T>(numbers::driven(I));
    const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
    const T* u[I + 1];
    const T* du[I + 1];
    for (int j = 0; j <= I; ++j) u[j] = tape.u[j].data(), du[j] = w.v[j].data();
    add_increments<argument_row<M, I>, I>(tape.y, u, w.stage);
    add_increments<argument_row<M, I>, I>(y_dot, du, w.sum);
    sys.jvp(rosenbrock_time<M, I>(t, t_new), w.stage, (1 - c) * ends.t + c * ends.t_new, w.sum,
            p_dot, w.v[I]);
    T weight[I > 0 ? I : 1], weight_dot[I > 0 ? I : 1];
    scale_row<coupling_row<M, I>, 0, I>(T(1) / h, weight);
    const T rate = h_dot / h / h;  // the square of h may be no number
    scale_row<coupling_row<M, I>, 0, I>(-rate, weight_dot);
    const T own = rate / T(numbers::gamma());
    T* out = w.v[I].data();
    const auto add_couplings = [&](T sum, int i) __attribute__((always_inline)) {
      sum = add_weighted<coupling_row<M, I>, 0, I>(sum, weight, du, i);
      return add_weighted<coupling_row<M, I>, 0, I>(sum, weight_dot, u, i);
    };
    for (int i = 0, n = length(y_dot); i < n; ++i) {
      T sum = out[i];
      if constexpr (!is_massive_v<System>) sum = muladd(own, u[I][i], sum);
      if constexpr (d != 0) sum = muladd(h_dot * d, w.f_t.data()[i], sum);
      if constexpr (is_massive_v<System>)
        out[i] = add_entries(sys.mass.row(i), sum,
                             [&](int k) { return add_couplings(own * u[I][k], k); });
      else
        out[i] = add_couplings(sum, i);
    }
    if constexpr (is_exact_v<M>)
      add_second(sys, t, tape.y, h * d, tape.u[I], ends.t, y_dot, p_dot, w.sum, w.y_bar, w.v[I]);
    solve_stage_derivative<false>(sys, w.matrix, w.v[I]);
    push_rosenbrock_stages<M, I + 1>(sys, t, t_new, tape, w, y_dot, p_dot, ends);
  }
}

/// The exact derivative of one step. Leaves the tangents of the stages in w for dense output.
/// cost    one Jacobian, one factorisation; a field JVP and a second derivative a stage, or n of them
template <rosenbrock_method M, class System, class Y, class P>
REVODE_HD void push(const M& m, System& sys, double t, double t_new, nothing,
                    const rosenbrock_tape<M, Y>& tape, rosenbrock_scratch<M, Y>& w, Y& y_dot,
                    const P& p_dot, const step_ends<scalar_t<Y>>& ends) {
  const double h_gamma = (t_new - t) * rosenbrock_numbers<M>::gamma();
  factor_again(m, sys, t, h_gamma, tape.y, w.matrix);
  sys.time_derivative(t, tape.y, w.f_t);
  push_rosenbrock_stages<M, 0>(sys, t, t_new, tape, w, y_dot, p_dot, ends);
  const scalar_t<Y>* du[rosenbrock_numbers<M>::kept];
  for (int j = 0; j < rosenbrock_numbers<M>::kept; ++j) du[j] = w.v[j].data();
  add_increments<increment_row<M>, rosenbrock_numbers<M>::kept>(y_dot, du, y_dot);
}

}  // namespace revode
