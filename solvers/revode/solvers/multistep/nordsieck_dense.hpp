// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/multistep/nordsieck.hpp>

namespace revode {

/// y(θ) = Σ (θ − 1)ʲ zⱼ, which is y_n at θ = 0.
template <nordsieck_method M, class Y, class Scratch>
void interpolate(const M&, double, double, const nordsieck_tape<Y, M::most_order>& tape,
                 const Scratch&, double theta, Y& y) {
  double power = 1;
  copy(tape.z[0], y);
  for (int j = 1; j <= M::most_order; ++j) axpy(scalar_t<Y>(power *= theta - 1), tape.z[j], y);
}

template <nordsieck_method M, class Y, class Scratch>
void pull_interpolate(const M&, double, double, const nordsieck_tape<Y, M::most_order>& tape,
                      const Scratch&, double theta, const Y& y_bar, nordsieck_t<M, Y>* seeds,
                      interpolation_bar<scalar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  double power = 1;
  if (seeds != nullptr) add(y_bar, seeds->z[0]);
  for (int j = 1; j <= M::most_order; ++j) {
    bar.theta = muladd(T(j * power), dot(y_bar, tape.z[j]), bar.theta);
    power *= theta - 1;
    if (seeds != nullptr) axpy(T(power), y_bar, seeds->z[j]);
  }
}

/// The array's tangent lies in w.dot, where push has left it.
template <nordsieck_method M, class Y, class Scratch>
void push_interpolate(const M&, double, double, const nordsieck_tape<Y, M::most_order>& tape,
                      const Scratch& w, double theta, scalar_t<Y> theta_dot,
                      const step_ends<scalar_t<Y>>&, const nordsieck_t<M, Y>&, Y& out) {
  using T = scalar_t<Y>;
  double power = 1;
  copy(w.dot.z[0], out);
  for (int j = 1; j <= M::most_order; ++j) {
    axpy(T(j * power) * theta_dot, tape.z[j], out);
    power *= theta - 1;
    axpy(T(power), w.dot.z[j], out);
  }
}

}  // namespace revode
