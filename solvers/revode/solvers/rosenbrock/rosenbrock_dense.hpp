// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock/rosenbrock_step.hpp>

namespace revode {

/// b_j(θ) = θ (m_j + (1 − θ)(row₁ⱼ + θ (row₂ⱼ + …))) and their slopes: y(θ) = y + Σ b_j(θ) Uⱼ.
template <class M, class T>
struct rosenbrock_weights {
  T b[rosenbrock_numbers<M>::kept], slope[rosenbrock_numbers<M>::kept];

  REVODE_HD explicit rosenbrock_weights(double at) {
    constexpr auto tableau = M::rosenbrock;
    constexpr auto rows = M::dense_rows;
    const T theta = T(at), left = T(1 - at);
    for (int j = 0; j < rosenbrock_numbers<M>::kept; ++j) {
      T inner(0), inner_slope(0);
      for (int l = rosenbrock_numbers<M>::rows - 1; l >= 0; --l) {
        inner_slope = muladd(inner_slope, theta, inner);
        inner = muladd(inner, theta, T(rows.row[l][j]));
      }
      const T product = theta * left;
      b[j] = muladd(product, inner, theta * T(tableau.m[j]));
      slope[j] = muladd(product, inner_slope, muladd(left - theta, inner, T(tableau.m[j])));
    }
  }
};

template <rosenbrock_method M, class Y>
REVODE_HD void interpolate(const M&, double, double, const rosenbrock_tape<M, Y>& tape,
                           const rosenbrock_scratch<M, Y>&,
                           const rosenbrock_weights<M, scalar_t<Y>>& weight, Y& y) {
  using T = scalar_t<Y>;
  for (int i = 0, n = length(y); i < n; ++i) {
    T sum = tape.y.data()[i];
    for (int j = 0; j < rosenbrock_numbers<M>::kept; ++j)
      sum = muladd(weight.b[j], tape.u[j].data()[i], sum);
    y.data()[i] = sum;
  }
}

template <rosenbrock_method M, class Y>
REVODE_HD auto weights_at(const M&, const rosenbrock_tape<M, Y>&, double theta) {
  return rosenbrock_weights<M, scalar_t<Y>>(theta);
}
template <rosenbrock_method M, class Y>
REVODE_HD void interpolate(const M& m, double t, double t_new, const rosenbrock_tape<M, Y>& tape,
                           const rosenbrock_scratch<M, Y>& w, double theta, Y& y) {
  interpolate(m, t, t_new, tape, w, weights_at(m, tape, theta), y);
}

/// out = dy/dθ of dense output.
template <rosenbrock_method M, class Y>
REVODE_HD void interpolate_rate(const M&, double, double, const rosenbrock_tape<M, Y>& tape,
                                const rosenbrock_scratch<M, Y>&, double theta, Y& out) {
  const rosenbrock_weights<M, scalar_t<Y>> weight(theta);
  fill(out, scalar_t<Y>(0));
  for (int j = 0; j < rosenbrock_numbers<M>::kept; ++j) axpy(weight.slope[j], tape.u[j], out);
}

/// y(θ) depends on h through θ and the stages alone.
template <rosenbrock_method M, class Y>
REVODE_HD void pull_interpolate(const M&, double, double, const rosenbrock_tape<M, Y>& tape,
                                const rosenbrock_scratch<M, Y>&, double theta, const Y& y_bar,
                                rosenbrock_seeds<M, Y>* seeds,
                                interpolation_bar<time_bar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  const rosenbrock_weights<M, T> weight(theta);
  if (seeds != nullptr) add(y_bar, seeds->y);
  for (int j = 0; j < rosenbrock_numbers<M>::kept; ++j) {
    bar.theta = muladd(weight.slope[j], dot(y_bar, tape.u[j]), bar.theta);
    if (seeds != nullptr) axpy(weight.b[j], y_bar, seeds->u[j]);
  }
}

template <rosenbrock_method M, class Y>
REVODE_HD void push_interpolate(const M&, double, double, const rosenbrock_tape<M, Y>& tape,
                                const rosenbrock_scratch<M, Y>& w, double theta,
                                scalar_t<Y> theta_dot, const step_ends<scalar_t<Y>>&,
                                const Y& y_dot, Y& out) {
  using T = scalar_t<Y>;
  const rosenbrock_weights<M, T> weight(theta);
  for (int i = 0, n = length(y_dot); i < n; ++i) {
    T sum = y_dot.data()[i];
    for (int j = 0; j < rosenbrock_numbers<M>::kept; ++j) {
      sum = muladd(weight.b[j], w.v[j].data()[i], sum);
      sum = muladd(weight.slope[j] * theta_dot, tape.u[j].data()[i], sum);
    }
    out.data()[i] = sum;
  }
}

}  // namespace revode
