// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rosenbrock23.hpp"

namespace revode::contract {

/// The tangent of f_t k_t + J k with k held: one row at a time, from the gradient of each.
template <class System, class Y, class P>
Y second_along(System& sys, double t, const Y& y, double k_t, const Y& k, double t_dot,
               const Y& y_dot, const P& p_dot) {
  Y out{};
  for (int i = 0; i < Y::size(); ++i) {
    Y row{}, of_y{};
    P of_p = zero_like(p_dot);
    double of_t = 0;
    row[i] = 1;
    sys.second(t, y, row, k_t, k, &of_t, of_y, of_p);
    out[i] = of_t * t_dot + dot(of_y, y_dot) + dot(of_p, p_dot);
  }
  return out;
}

template <class System, class Y, class W, class P>
void push(const rosenbrock23&, System& sys, double t, double t_new, nothing, const tape_of<Y>& s,
          W& w, Y& y_dot, const P& p_dot, const step_ends<double>& ends) {
  const double h = t_new - t, h_dot = ends.t_new - ends.t;
  Y along = s.k2, slope = s.f_t, half_dot = y_dot, f1_dot{};
  axpy(-1, s.k1, along);
  add(product(s.j, s.k1), slope);
  sys.jvp(t, s.y, ends.t, y_dot, p_dot, w.k1);
  axpy(h_dot * d, slope, w.k1);
  axpy(h * d, second_along(sys, t, s.y, 1, s.k1, ends.t, y_dot, p_dot), w.k1);
  s.w.solve(w.k1);
  axpy(h / 2, w.k1, half_dot);
  axpy(h_dot / 2, s.k1, half_dot);
  sys.jvp(0.5 * (t + t_new), s.half, 0.5 * (ends.t + ends.t_new), half_dot, p_dot, f1_dot);
  w.k2 = f1_dot;
  axpy(-1, w.k1, w.k2);
  axpy(h_dot * d, product(s.j, along), w.k2);
  axpy(h * d, second_along(sys, t, s.y, 0, along, ends.t, y_dot, p_dot), w.k2);
  s.w.solve(w.k2);
  add(w.k1, w.k2);
  axpy(h, w.k2, y_dot);
  axpy(h_dot, s.k2, y_dot);
}

/// y + h (b1(θ) k1 + b2(θ) k2), b1 = θ(1 − θ)/(1 − 2d), b2 = θ(θ − 2d)/(1 − 2d)
struct weights {
  double b1, b2, slope1, slope2;
  explicit weights(double x)
      : b1(x * (1 - x) / (1 - 2 * d)),
        b2(x * (x - 2 * d) / (1 - 2 * d)),
        slope1((1 - 2 * x) / (1 - 2 * d)),
        slope2((2 * x - 2 * d) / (1 - 2 * d)) {}
};

template <class Y, class W>
void interpolate(const rosenbrock23&, double t, double t_new, const tape_of<Y>& s, const W&,
                 double theta, Y& y) {
  const weights b(theta);
  y = s.y;
  axpy(scalar_t<Y>((t_new - t) * b.b1), s.k1, y);
  axpy(scalar_t<Y>((t_new - t) * b.b2), s.k2, y);
}

template <class Y, class W>
void pull_interpolate(const rosenbrock23&, double t, double t_new, const tape_of<Y>& s, const W&,
                      double theta, const Y& y_bar, rosenbrock23::stage_values<Y>* seeds,
                      interpolation_bar<double>& bar) {
  const weights b(theta);
  const double h = t_new - t, along1 = dot(y_bar, s.k1), along2 = dot(y_bar, s.k2);
  bar.theta += h * (b.slope1 * along1 + b.slope2 * along2);
  bar.h += b.b1 * along1 + b.b2 * along2;
  if (seeds == nullptr) return;
  add(y_bar, seeds->y);
  axpy(h * b.b1, y_bar, seeds->k1);
  axpy(h * b.b2, y_bar, seeds->k2);
}

template <class Y, class W>
void push_interpolate(const rosenbrock23&, double t, double t_new, const tape_of<Y>& s, const W& w,
                      double theta, double theta_dot, const step_ends<double>& ends, const Y& y_dot,
                      Y& out) {
  const weights b(theta);
  const double h = t_new - t, h_dot = ends.t_new - ends.t;
  out = y_dot;
  axpy(h * b.b1, w.k1, out);
  axpy(h * b.b2, w.k2, out);
  axpy(h_dot * b.b1 + h * b.slope1 * theta_dot, s.k1, out);
  axpy(h_dot * b.b2 + h * b.slope2 * theta_dot, s.k2, out);
}

}  // namespace revode::contract
