// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/multistep/adams_step.hpp>
#include <revode/solvers/multistep/nordsieck_dense.hpp>

namespace revode {

// The array's polynomial is y_new at θ = 1 and y_n − (b − a) at θ = 0. With (1 − θ)² (1 + 2θ) (b − a) it passes
// through both ends, and its slopes there are the field's, from the second order on.

/// The weight of the gap, and its derivative by θ.
struct gap_weight {
  double value, slope;
  explicit gap_weight(double theta)
      : value((1 - theta) * (1 - theta) * (1 + 2 * theta)),
        slope(-6 * theta * (1 - theta)) {}
};

template <adams_method M, class Y, class Scratch>
void interpolate(const M& m, double t, double t_new, const adams_tape<Y, M::most_order>& tape,
                 const Scratch& w, double theta, Y& y) {
  const nordsieck_tape<Y, M::most_order>& array = tape;
  interpolate(m, t, t_new, array, w, theta, y);
  axpy(scalar_t<Y>(gap_weight(theta).value), tape.gap, y);
}

template <adams_method M, class Y, class Scratch>
void pull_interpolate(const M& m, double t, double t_new, const adams_tape<Y, M::most_order>& tape,
                      const Scratch& w, double theta, const Y& y_bar, nordsieck_t<M, Y>* seeds,
                      interpolation_bar<scalar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  const nordsieck_tape<Y, M::most_order>& array = tape;
  pull_interpolate(m, t, t_new, array, w, theta, y_bar, seeds, bar);
  const gap_weight of(theta);
  bar.theta = muladd(T(of.slope), dot(y_bar, tape.gap), bar.theta);
  if (seeds != nullptr) axpy(T(of.value), y_bar, seeds->correction);
}

/// The tangents lie in w, where push has left them.
template <adams_method M, class Y, class Scratch>
void push_interpolate(const M& m, double t, double t_new, const adams_tape<Y, M::most_order>& tape,
                      const Scratch& w, double theta, scalar_t<Y> theta_dot,
                      const step_ends<scalar_t<Y>>& ends, const nordsieck_t<M, Y>& state_dot,
                      Y& out) {
  using T = scalar_t<Y>;
  const nordsieck_tape<Y, M::most_order>& array = tape;
  push_interpolate(m, t, t_new, array, w, theta, theta_dot, ends, state_dot, out);
  const gap_weight of(theta);
  axpy(T(of.slope) * theta_dot, tape.gap, out);
  axpy(T(of.value), w.gap_dot, out);
}

}  // namespace revode
