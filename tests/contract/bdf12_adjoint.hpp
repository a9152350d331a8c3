// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bdf12_types.hpp"

namespace revode::contract {

/// (I − h l0 J)⁻ᵀ or ⁻¹ with J at the converged stage.
template <class System, class Y>
auto factors_at(System& sys, double t_new, double hl, const Y& y) {
  mat<double, Y::size()> j;
  lu<double, Y::size()> w;
  sys.jacobian(t_new, y, j);
  factor<Y>(j, hl, w);
  return w;
}

template <class System, class Y, class W, class P>
void pull(const bdf12&, System& sys, double t, double t_new, bdf12::decisions r,
          const bdf12::stage<Y>& s, W&, const state_of<Y>* seeds, state_of<Y>& bar, P& p_bar,
          step_ends<double>*) {
  const double h = t_new - t;
  Y u{};
  for (int j = 0; j < 3; ++j) {
    if (seeds != nullptr) add(seeds->z[j], bar.z[j]);
    axpy(l(r.order, j), bar.z[j], u);
  }
  factors_at(sys, t_new, h * l(r.order, 0), s.after.z[0]).solve_transposed(u);
  axpy(-1, u, bar.z[1]);
  for (double& x : u) x *= h;
  sys.vjp(t_new, s.after.z[0], u, nullptr, bar.z[0], p_bar);
  for (int i = 0; i < Y::size(); ++i) {
    bar.z[2][i] = r.order == 1 ? 0 : s.r * s.r * (bar.z[0][i] + 2 * bar.z[1][i] + bar.z[2][i]);
    bar.z[1][i] = s.r * (bar.z[0][i] + bar.z[1][i]);
  }
}

template <class System, class Y, class P>
void push(const bdf12&, System& sys, double t, double t_new, bdf12::decisions r,
          const bdf12::stage<Y>& s, state_of<Y>& w, state_of<Y>& dot, const P& p_dot,
          const step_ends<double>&) {
  const double h = t_new - t;
  predict(r.order, s.r, dot);
  Y e{};
  sys.jvp(t_new, s.after.z[0], 0, dot.z[0], p_dot, e);
  for (int i = 0; i < Y::size(); ++i) e[i] = h * e[i] - dot.z[1][i];
  factors_at(sys, t_new, h * l(r.order, 0), s.after.z[0]).solve(e);
  for (int j = 0; j < 3; ++j) axpy(l(r.order, j), e, dot.z[j]);
  w = dot;
}

/// z0 + x z1 + x² z2 with x = θ − 1
template <class Y, class W>
void interpolate(const bdf12&, double, double, const bdf12::stage<Y>& s, const W&, double theta,
                 Y& y) {
  y = s.after.z[0];
  axpy(scalar_t<Y>(theta - 1), s.after.z[1], y);
  axpy(scalar_t<Y>((theta - 1) * (theta - 1)), s.after.z[2], y);
}
template <class Y, class W>
void pull_interpolate(const bdf12&, double, double, const bdf12::stage<Y>& s, const W&,
                      double theta, const Y& y_bar, state_of<Y>* seeds,
                      interpolation_bar<double>& bar) {
  const double x = theta - 1;
  bar.theta += dot(y_bar, s.after.z[1]) + 2 * x * dot(y_bar, s.after.z[2]);
  if (seeds == nullptr) return;
  add(y_bar, seeds->z[0]);
  axpy(x, y_bar, seeds->z[1]);
  axpy(x * x, y_bar, seeds->z[2]);
}
template <class Y>
void push_interpolate(const bdf12&, double, double, const bdf12::stage<Y>& s, const state_of<Y>& w,
                      double theta, double theta_dot, const step_ends<double>&, const state_of<Y>&,
                      Y& out) {
  const double x = theta - 1;
  out = w.z[0];
  axpy(x, w.z[1], out);
  axpy(x * x, w.z[2], out);
  axpy(theta_dot, s.after.z[1], out);
  axpy(2 * x * theta_dot, s.after.z[2], out);
}

}  // namespace revode::contract
