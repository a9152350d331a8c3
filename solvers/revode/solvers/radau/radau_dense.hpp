// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/radau/radau_step.hpp>

namespace revode {

/// y = y_n + Σ Lᵢ(θ) zᵢ: the collocation polynomial.
template <radau_method M, class Y>
void interpolate(const M&, double, double, const radau_stages_t<M, Y>& s,
                 const radau_scratch_t<M, Y>&, double theta, Y& y) {
  const radau_basis<M::stages> at(theta);
  copy(s.y, y);
  for (int i = 0; i < M::stages; ++i) axpy(scalar_t<Y>(at.value[i]), s.z[i], y);
}

template <radau_method M, class Y>
void pull_interpolate(const M&, double, double, const radau_stages_t<M, Y>& s,
                      const radau_scratch_t<M, Y>&, double theta, const Y& y_bar,
                      radau_stages_t<M, Y>* seeds, interpolation_bar<scalar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  const radau_basis<M::stages> at(theta);
  for (int i = 0; i < M::stages; ++i)
    bar.theta = muladd(T(at.slope[i]), dot(y_bar, s.z[i]), bar.theta);
  if (seeds == nullptr) return;
  add(y_bar, seeds->y);
  for (int i = 0; i < M::stages; ++i) axpy(T(at.value[i]), y_bar, seeds->z[i]);
}

/// The tangents of the stages lie in w.x, where push has left them.
template <radau_method M, class Y>
void push_interpolate(const M&, double, double, const radau_stages_t<M, Y>& s,
                      const radau_scratch_t<M, Y>& w, double theta, scalar_t<Y> theta_dot,
                      const step_ends<scalar_t<Y>>&, const Y& y_dot, Y& out) {
  using T = scalar_t<Y>;
  const radau_basis<M::stages> at(theta);
  copy(y_dot, out);
  for (int i = 0; i < M::stages; ++i) {
    axpy(T(at.value[i]), w.x[i], out);
    axpy(T(at.slope[i]) * theta_dot, s.z[i], out);
  }
}

}  // namespace revode
