// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/imex_adjoint.hpp>

namespace revode {

/// The cubic Hermite polynomial of both ends' values and slopes: y(θ) = y + h Σ b_i(θ) (e_i + k_i)
/// + h b_end(θ) f(t_new, y_new), and derivatives by θ. No stage lies at the new state.
template <class M>
struct imex_weights {
  static constexpr int stages = imex_numbers<M>::stages;
  double b[stages], slope[stages], end, end_slope;

  explicit imex_weights(double x) {
    for (int i = 0; i < stages; ++i) {
      const double weight = M::implicit_method::tableau.a[stages - 1][i];
      b[i] = x * x * (3 - 2 * x) * weight;
      slope[i] = 6 * x * (1 - x) * weight;
    }
    b[0] += x * (1 - x) * (1 - x);
    slope[0] += (1 - x) * (1 - 3 * x);
    end = -x * x * (1 - x);
    end_slope = -x * (2 - 3 * x);
  }
};

template <imex_method M, class Y>
void interpolate(const M&, double t, double t_new, const imex_stages<M, Y>& s,
                 const imex_scratch<M, Y>&, double theta, Y& y) {
  const imex_weights<M> at(theta);
  const scalar_t<Y> h = scalar_t<Y>(t_new - t);
  sum_of_stages(at.b, at.stages, h, s.k, y);
  add_sum_of_stages(at.b, at.stages, h, s.e, y);
  axpy(h * scalar_t<Y>(at.end), s.end, y);
  add(s.y, y);
}

template <imex_method M, class Y>
void pull_interpolate(const M&, double t, double t_new, const imex_stages<M, Y>& s,
                      const imex_scratch<M, Y>&, double theta, const Y& y_bar,
                      imex_stages<M, Y>* seeds, interpolation_bar<scalar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  const imex_weights<M> at(theta);
  const T h = T(t_new - t);
  const auto part = [&](double b, double slope, const Y& k, Y* seed) {
    const T product = dot(y_bar, k);
    bar.theta = muladd(h * T(slope), product, bar.theta);
    bar.h = muladd(T(b), product, bar.h);
    if (seed != nullptr) axpy(h * T(b), y_bar, *seed);
  };
  const bool keep = seeds != nullptr;
  if (keep) add(y_bar, seeds->y);
  for (int i = 0; i < at.stages; ++i) {
    part(at.b[i], at.slope[i], s.k[i], keep ? &seeds->k[i] : nullptr);
    part(at.b[i], at.slope[i], s.e[i], keep ? &seeds->e[i] : nullptr);
  }
  part(at.end, at.end_slope, s.end, keep ? &seeds->end : nullptr);
}

template <imex_method M, class Y>
void push_interpolate(const M&, double t, double t_new, const imex_stages<M, Y>& s,
                      const imex_scratch<M, Y>& w, double theta, scalar_t<Y> theta_dot,
                      const step_ends<scalar_t<Y>>& ends, const Y& y_dot, Y& out) {
  using T = scalar_t<Y>;
  const imex_weights<M> at(theta);
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  const auto part = [&](double b, double slope, const Y& k, const Y& k_dot) {
    axpy(h * T(b), k_dot, out);
    axpy(h_dot * T(b) + h * T(slope) * theta_dot, k, out);
  };
  copy(y_dot, out);
  for (int i = 0; i < at.stages; ++i) {
    part(at.b[i], at.slope[i], s.k[i], w.of_stage[i]);
    part(at.b[i], at.slope[i], s.e[i], w.of_explicit[i]);
  }
  part(at.end, at.end_slope, s.end, w.end);
}

}  // namespace revode
