// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta_slices.hpp>

namespace revode {

/// The weights of dense output at θ, bᵢ(θ) = Σⱼ weights[i][j−1] θʲ, and their derivatives.
template <class M, class T>
struct interpolation_weights {
  T b[coefficients<M>::all];
  T slope[coefficients<M>::all];

  REVODE_HD explicit interpolation_weights(double theta) {
    constexpr auto dense = M::dense;
    constexpr int degree = coefficients<M>::degree;
    const T x = static_cast<T>(theta);
#if !defined(__CUDACC__) && !defined(__clang__)
#pragma GCC unroll 32
#endif
    for (int i = 0; i < coefficients<M>::all; ++i) {
      T value = static_cast<T>(dense.weights[i][degree - 1]);
      T derivative = static_cast<T>(degree) * value;
#if !defined(__CUDACC__) && !defined(__clang__)
#pragma GCC unroll 32
#endif
      for (int j = degree - 1; j > 0; --j) {
        const T w = static_cast<T>(dense.weights[i][j - 1]);
        value = muladd(x, value, w);
        derivative = muladd(x, derivative, static_cast<T>(j) * w);
      }
      b[i] = x * value;
      slope[i] = derivative;
    }
  }
};

template <class M, int I, class System, class Y>
REVODE_HD void evaluate_extra_stages(System& sys, double t, double t_new, const rk_tape<M, Y>& tape,
                                     const stage_pointers<M, Y>& s, rk_scratch<M, Y>& w) {
  if constexpr (I < coefficients<M>::all) {
    const Y& at = stage_value<M, I>(static_cast<scalar_t<Y>>(t_new - t), tape, s.k, w);
    sys(stage_time<M, I>(t, t_new), at, w.k_extra[I - coefficients<M>::stages]);
    evaluate_extra_stages<M, I + 1>(sys, t, t_new, tape, s, w);
  }
}

/// The stages that only dense output needs, once a step before its interpolations.
template <explicit_method M, class System, class Y>
REVODE_HD void extend(const M&, System& sys, double t, double t_new, const rk_tape<M, Y>& tape,
                      rk_scratch<M, Y>& w) {
  const stage_pointers<M, Y> s(tape, w);
  evaluate_extra_stages<M, coefficients<M>::stages>(sys, t, t_new, tape, s, w);
}

/// y = y_n + h Σ bᵢ(θ) kᵢ ≈ y(t + θ h), for θ or its weights
template <explicit_method M, class Y>
REVODE_HD void interpolate(const M&, double t, double t_new, const rk_tape<M, Y>& tape,
                           const rk_scratch<M, Y>& w,
                           const interpolation_weights<M, scalar_t<Y>>& weight, Y& y) {
  using T = scalar_t<Y>;
  const stage_pointers<M, Y> s(tape, w);
  const T h = static_cast<T>(t_new - t);
  for (int i = 0, n = length(y); i < n; ++i) {
    T sum = weight.b[0] * s.k[0][i];
    for (int j = 1; j < coefficients<M>::all; ++j) sum = muladd(weight.b[j], s.k[j][i], sum);
    y.data()[i] = muladd(h, sum, tape.y.data()[i]);
  }
}

template <explicit_method M, class Y>
REVODE_HD auto weights_at(const M&, const rk_tape<M, Y>&, double theta) {
  return interpolation_weights<M, scalar_t<Y>>(theta);
}
template <explicit_method M, class Y>
REVODE_HD void interpolate(const M& m, double t, double t_new, const rk_tape<M, Y>& tape,
                           const rk_scratch<M, Y>& w, double theta, Y& y) {
  interpolate(m, t, t_new, tape, w, weights_at(m, tape, theta), y);
}

/// out = dy/dθ of dense output.
template <explicit_method M, class Y>
REVODE_HD void interpolate_rate(const M&, double t, double t_new, const rk_tape<M, Y>& tape,
                                const rk_scratch<M, Y>& w, double theta, Y& out) {
  using T = scalar_t<Y>;
  const stage_pointers<M, Y> s(tape, w);
  const interpolation_weights<M, T> weight(theta);
  const T h = static_cast<T>(t_new - t);
  for (int i = 0, n = length(out); i < n; ++i) {
    T sum = weight.slope[0] * s.k[0][i];
    for (int j = 1; j < coefficients<M>::all; ++j) sum = muladd(weight.slope[j], s.k[j][i], sum);
    out.data()[i] = h * sum;
  }
}

/// Takes the cotangent of an interpolated state to the seeds of its step (unless null) and to θ, h.
template <explicit_method M, class Y>
REVODE_HD void pull_interpolate(const M&, double t, double t_new, const rk_tape<M, Y>& tape,
                                const rk_scratch<M, Y>& w, double theta, const Y& y_bar,
                                rk_seeds<M, Y>* seeds, interpolation_bar<time_bar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  const stage_pointers<M, Y> s(tape, w);
  const interpolation_weights<M, T> weight(theta);
  const T h = static_cast<T>(t_new - t);
  if (seeds != nullptr) {
    add(y_bar, seeds->y);
    seeds->dense = true;
  }
  for (int j = 0; j < coefficients<M>::all; ++j) {
    const auto product = sum_by_parts(y_bar, [&](int first, int last) {
      T sum(0);
      for (int i = first; i < last; ++i) sum = muladd(y_bar.data()[i], s.k[j][i], sum);
      return sum;
    });
    if (seeds != nullptr) axpy(h * weight.b[j], y_bar, seeds->k[j]);
    bar.theta = muladd(h * weight.slope[j], product, bar.theta);
    bar.h = muladd(weight.b[j], product, bar.h);
  }
}

template <explicit_method M, class System, class Y, class P>
REVODE_HD void push_extend(const M&, System& sys, double t, double t_new, const rk_tape<M, Y>& tape,
                           rk_scratch<M, Y>& w, const Y& y_dot, const P& p_dot,
                           const step_ends<scalar_t<Y>>& ends) {
  const stage_pointers<M, Y> s(tape, w);
  push_stages<M, coefficients<M>::stages, coefficients<M>::all>(sys, t, t_new, tape, s, w, y_dot,
                                                                p_dot, ends);
}

/// out = tangent of y(θ); y_dot is that of y_n, theta_dot that of θ.
template <explicit_method M, class Y>
REVODE_HD void push_interpolate(const M&, double t, double t_new, const rk_tape<M, Y>& tape,
                                const rk_scratch<M, Y>& w, double theta, scalar_t<Y> theta_dot,
                                const step_ends<scalar_t<Y>>& ends, const Y& y_dot, Y& out) {
  using T = scalar_t<Y>;
  const stage_pointers<M, Y> s(tape, w);
  const interpolation_weights<M, T> weight(theta);
  const T h = static_cast<T>(t_new - t), h_dot = ends.t_new - ends.t;
  for (int i = 0, n = length(y_dot); i < n; ++i) {
    T sum = y_dot.data()[i];
    for (int j = 0; j < coefficients<M>::all; ++j) {
      const T along = muladd(h * weight.slope[j], theta_dot, h_dot * weight.b[j]);
      sum = muladd(h * weight.b[j], w.theta[j].data()[i], sum);
      sum = muladd(along, s.k[j][i], sum);
    }
    out.data()[i] = sum;
  }
}

}  // namespace revode
