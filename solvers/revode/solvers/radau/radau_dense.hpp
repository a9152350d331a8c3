// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/radau/radau_basis.hpp>
#include <revode/solvers/radau/radau_types.hpp>

namespace revode {

/// act(stages_constant<S>) for the S stages of a step.
template <class Y, int S, class Do>
void with_stages_of(const radau_stages<Y, S>&, Do&& act) {
  act(stages_constant<S>{});
}
/// The tangents of the stages, where push has left them.
template <int S, class L, class Y>
const auto& stage_tangents(const radau_scratch<L, Y, S>& w) {
  return w.x;
}

/// y = y_n + Σ Lᵢ(θ) zᵢ: the collocation polynomial.
template <collocation_method M, class Y>
void interpolate(const M&, double, double, const typename method_types<M, Y>::tape& s,
                 const typename method_types<M, Y>::scratch&, double theta, Y& y) {
  with_stages_of(s, [&](auto stages) {
    const radau_basis<stages()> at(theta);
    copy(s.y, y);
    for (int i = 0; i < stages(); ++i) axpy(scalar_t<Y>(at.value[i]), s.z[i], y);
  });
}

/// out = dy/dθ of dense output.
template <collocation_method M, class Y>
void interpolate_rate(const M&, double, double, const typename method_types<M, Y>::tape& s,
                      const typename method_types<M, Y>::scratch&, double theta, Y& out) {
  with_stages_of(s, [&](auto stages) {
    const radau_basis<stages()> at(theta);
    fill(out, scalar_t<Y>(0));
    for (int i = 0; i < stages(); ++i) axpy(scalar_t<Y>(at.slope[i]), s.z[i], out);
  });
}

template <collocation_method M, class Y>
void pull_interpolate(const M&, double, double, const typename method_types<M, Y>::tape& s,
                      const typename method_types<M, Y>::scratch&, double theta, const Y& y_bar,
                      typename method_types<M, Y>::seeds* seeds,
                      interpolation_bar<time_bar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  with_stages_of(s, [&](auto stages) {
    const radau_basis<stages()> at(theta);
    for (int i = 0; i < stages(); ++i)
      bar.theta = muladd(T(at.slope[i]), dot(y_bar, s.z[i]), bar.theta);
    if (seeds == nullptr) return;
    add(y_bar, seeds->y);
    for (int i = 0; i < stages(); ++i) axpy(T(at.value[i]), y_bar, seeds->z[i]);
  });
}

template <collocation_method M, class Y>
void push_interpolate(const M&, double, double, const typename method_types<M, Y>::tape& s,
                      const typename method_types<M, Y>::scratch& w, double theta,
                      scalar_t<Y> theta_dot, const step_ends<scalar_t<Y>>&, const Y& y_dot,
                      Y& out) {
  using T = scalar_t<Y>;
  with_stages_of(s, [&](auto stages) {
    const radau_basis<stages()> at(theta);
    const auto& z_dot = stage_tangents<stages()>(w);
    copy(y_dot, out);
    for (int i = 0; i < stages(); ++i) {
      axpy(T(at.value[i]), z_dot[i], out);
      axpy(T(at.slope[i]) * theta_dot, s.z[i], out);
    }
  });
}

}  // namespace revode
