// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk_adjoint.hpp>
#include <revode/solvers/implicit/esdirk_rows.hpp>

namespace revode {

/// y(θ) = y + h Σ b_i(θ) k_i and the weights' derivatives by θ: esdirk_rows, or with two stages the
/// cubic Hermite polynomial of both ends' values and slopes.
template <class M>
struct esdirk_weights {
  static constexpr int stages = esdirk_numbers<M>::stages;
  double b[stages] = {}, slope[stages] = {};

  explicit esdirk_weights(double x) {
    if constexpr (stages > 2)
      take_rows(x);
    else
      take_hermite(x);
  }

 private:
  void take_rows(double x) {
    constexpr esdirk_rows<M> rows;
    for (int i = 0; i < stages; ++i)
      for (int j = rows.order - 1; j >= 0; --j) {
        slope[i] = muladd(slope[i], x, (j + 1) * rows.weights[i][j]);
        b[i] = x * (b[i] + rows.weights[i][j]);
      }
  }
  void take_hermite(double x) {
    for (int i = 0; i < stages; ++i) {
      b[i] = x * x * (3 - 2 * x) * M::tableau.a[stages - 1][i];
      slope[i] = 6 * x * (1 - x) * M::tableau.a[stages - 1][i];
    }
    b[0] += x * (1 - x) * (1 - x);
    slope[0] += (1 - x) * (1 - 3 * x);
    b[stages - 1] -= x * x * (1 - x);
    slope[stages - 1] -= x * (2 - 3 * x);
  }
};

template <esdirk_method M, class Y>
void interpolate(const M&, double t, double t_new, const esdirk_stages<M, Y>& s,
                 const esdirk_scratch<M, Y>&, double theta, Y& y) {
  const esdirk_weights<M> at(theta);
  sum_of_stages(at.b, at.stages, scalar_t<Y>(t_new - t), s.k, y);
  add(s.y, y);
}

template <esdirk_method M, class Y>
void pull_interpolate(const M&, double t, double t_new, const esdirk_stages<M, Y>& s,
                      const esdirk_scratch<M, Y>&, double theta, const Y& y_bar,
                      esdirk_stages<M, Y>* seeds, interpolation_bar<scalar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  const esdirk_weights<M> at(theta);
  const T h = T(t_new - t);
  if (seeds != nullptr) add(y_bar, seeds->y);
  for (int i = 0; i < at.stages; ++i) {
    const T product = dot(y_bar, s.k[i]);
    bar.theta = muladd(h * T(at.slope[i]), product, bar.theta);
    bar.h = muladd(T(at.b[i]), product, bar.h);
    if (seeds != nullptr) axpy(h * T(at.b[i]), y_bar, seeds->k[i]);
  }
}

template <esdirk_method M, class Y>
void push_interpolate(const M&, double t, double t_new, const esdirk_stages<M, Y>& s,
                      const esdirk_scratch<M, Y>& w, double theta, scalar_t<Y> theta_dot,
                      const step_ends<scalar_t<Y>>& ends, const Y& y_dot, Y& out) {
  using T = scalar_t<Y>;
  const esdirk_weights<M> at(theta);
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  copy(y_dot, out);
  for (int i = 0; i < at.stages; ++i) {
    axpy(h * T(at.b[i]), w.of_stage[i], out);
    axpy(h_dot * T(at.b[i]) + h * T(at.slope[i]) * theta_dot, s.k[i], out);
  }
}

}  // namespace revode
