// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk_adjoint.hpp>
#include <revode/solvers/implicit/esdirk_rows.hpp>

namespace revode {

/// y(θ) = y + h Σ b_i(θ) k_i and the weights' derivatives by θ: esdirk_rows, or with two stages the
/// cubic Hermite polynomial of both ends' values and slopes. Of a pair always that, by k_i + e_i and the slope at
/// the new state, where no stage lies.
template <class M>
struct esdirk_weights {
  static constexpr int stages = esdirk_numbers<M>::stages;
  double b[stages] = {}, slope[stages] = {};
  double end = 0, end_slope = 0;

  explicit esdirk_weights(double x) {
    if constexpr (stages > 2 && !imex_method<M>)
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
    (imex_method<M> ? end : b[stages - 1]) -= x * x * (1 - x);
    (imex_method<M> ? end_slope : slope[stages - 1]) -= x * (2 - 3 * x);
  }
};

template <esdirk_method M, class Y>
void interpolate(const M&, double t, double t_new, const esdirk_stages<M, Y>& s,
                 const esdirk_scratch<M, Y>&, double theta, Y& y) {
  const esdirk_weights<M> at(theta);
  const scalar_t<Y> h(t_new - t);
  sum_of_stages(at.b, at.stages, h, s.k, y);
  if constexpr (imex_method<M>) {
    add_sum_of_stages(at.b, at.stages, h, s.e, y);
    axpy(h * scalar_t<Y>(at.end), s.end, y);
  }
  add(s.y, y);
}

/// out = dy/dθ of dense output.
template <esdirk_method M, class Y>
void interpolate_rate(const M&, double t, double t_new, const esdirk_stages<M, Y>& s,
                      const esdirk_scratch<M, Y>&, double theta, Y& out) {
  const esdirk_weights<M> at(theta);
  const scalar_t<Y> h(t_new - t);
  sum_of_stages(at.slope, at.stages, h, s.k, out);
  if constexpr (imex_method<M>) {
    add_sum_of_stages(at.slope, at.stages, h, s.e, out);
    axpy(h * scalar_t<Y>(at.end_slope), s.end, out);
  }
}

template <esdirk_method M, class Y>
void pull_interpolate(const M&, double t, double t_new, const esdirk_stages<M, Y>& s,
                      const esdirk_scratch<M, Y>&, double theta, const Y& y_bar,
                      esdirk_stages<M, Y>* seeds, interpolation_bar<time_bar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  const esdirk_weights<M> at(theta);
  const T h = T(t_new - t);
  const bool keep = seeds != nullptr;
  const auto part = [&](double b, double slope, const Y& k, Y* seed) {
    const auto product = dot(y_bar, k);
    bar.theta = muladd(h * T(slope), product, bar.theta);
    bar.h = muladd(T(b), product, bar.h);
    if (keep) axpy(h * T(b), y_bar, *seed);
  };
  if (keep) add(y_bar, seeds->y);
  for (int i = 0; i < at.stages; ++i) {
    part(at.b[i], at.slope[i], s.k[i], keep ? &seeds->k[i] : nullptr);
    if constexpr (imex_method<M>) part(at.b[i], at.slope[i], s.e[i], keep ? &seeds->e[i] : nullptr);
  }
  if constexpr (imex_method<M>) part(at.end, at.end_slope, s.end, keep ? &seeds->end : nullptr);
}

template <esdirk_method M, class Y>
void push_interpolate(const M&, double t, double t_new, const esdirk_stages<M, Y>& s,
                      const esdirk_scratch<M, Y>& w, double theta, scalar_t<Y> theta_dot,
                      const step_ends<scalar_t<Y>>& ends, const Y& y_dot, Y& out) {
  using T = scalar_t<Y>;
  const esdirk_weights<M> at(theta);
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  const auto part = [&](double b, double slope, const Y& k, const Y& k_dot) {
    axpy(h * T(b), k_dot, out);
    axpy(h_dot * T(b) + h * T(slope) * theta_dot, k, out);
  };
  copy(y_dot, out);
  for (int i = 0; i < at.stages; ++i) {
    part(at.b[i], at.slope[i], s.k[i], w.of_stage[i]);
    if constexpr (imex_method<M>) part(at.b[i], at.slope[i], s.e[i], w.e[i]);
  }
  if constexpr (imex_method<M>) part(at.end, at.end_slope, s.end, w.end);
}

}  // namespace revode
