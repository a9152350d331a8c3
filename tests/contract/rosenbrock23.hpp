// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/dense/lu.hpp>
#include <revode/solve/solve.hpp>

namespace revode::contract {

constexpr double d = 0.29289321881345248;  // 1/(2 + √2)

/// A linearly implicit method of order 2 with W = I − h d J:
///   W k1 = f0 + h d f_t,  W (k2 − k1) = f1 − k1,  y_new = y + h k2,  f1 = f(t + h/2, y + h/2 k1)
/// source  Shampine & Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22, section 3
struct rosenbrock23 {
  static constexpr const char* name = "rosenbrock23";
  static constexpr int order = 2, embedded_order = 2, dense_order = 2;

  template <class Y>
  struct stages {
    Y y, f_t, k1, half, f1, k2;
    mat<scalar_t<Y>, Y::size()> j;
    lu<scalar_t<Y>, Y::size()> w;
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      for (auto* part : {&self.y, &self.f_t, &self.k1, &self.f1, &self.k2}) visit(*part);
      visit(self.j);
    }
  };
  template <class Y>
  struct stage_values {
    Y y, k1, k2;
    void clear() { y = k1 = k2 = Y{}; }
  };
  template <class Y>
  struct types : default_types<Y> {
    struct cache {
      Y f0;
    };
    using tape = stages<Y>;
    using seeds = stage_values<Y>;
    using scratch = stage_values<Y>;  // tangents
  };
};
template <class Y>
using tape_of = rosenbrock23::stages<Y>;

template <class Y>
Y product(const mat<scalar_t<Y>, Y::size()>& j, const Y& x) {
  Y out{};
  for (int i = 0; i < Y::size(); ++i)
    for (int k = 0; k < Y::size(); ++k) out[i] = muladd(j(i, k), x[k], out[i]);
  return out;
}

template <class System, class Y>
void refresh(const rosenbrock23&, System& sys, double t, carry<rosenbrock23, Y>& c) {
  sys(t, c.state, c.cache.f0);
}

template <class System, class Y>
void replay(const rosenbrock23&, System& sys, double t, double t_new, nothing,
            carry<rosenbrock23, Y>& c, tape_of<Y>& s) {
  using T = scalar_t<Y>;
  const T h(t_new - t), hd(d * (t_new - t));
  s.y = s.half = c.state;
  sys.jacobian(t, s.y, s.j);
  sys.time_derivative(t, s.y, s.f_t);
  auto w = s.j;
  for (int i = 0; i < w.rows(); ++i)
    for (int k = 0; k < w.cols(); ++k) w(i, k) = T(i == k ? 1 : 0) - hd * s.j(i, k);
  s.w.factor(w);
  s.k1 = c.cache.f0;
  axpy(hd, s.f_t, s.k1);
  s.w.solve(s.k1);
  axpy(h / T(2), s.k1, s.half);
  sys(0.5 * (t + t_new), s.half, s.f1);
  s.k2 = s.f1;
  axpy(T(-1), s.k1, s.k2);
  s.w.solve(s.k2);
  add(s.k1, s.k2);
  axpy(h, s.k2, c.state);
  sys(t_new, c.state, c.cache.f0);
}

template <class System, class Y>
auto attempt(const rosenbrock23& m, System& sys, const tolerance& tol, double t, double t_new,
             const carry<rosenbrock23, Y>& c, tape_of<Y>& s, carry<rosenbrock23, Y>& next) {
  next = c;
  replay(m, sys, t, t_new, nothing{}, next, s);
  Y e = next.cache.f0;
  const double h = t_new - t, e32 = 6 + std::sqrt(2.0);
  for (int i = 0; i < Y::size(); ++i)
    e[i] += h * d * s.f_t[i] - e32 * (s.k2[i] - s.f1[i]) - 2 * (s.k1[i] - c.cache.f0[i]);
  s.w.solve(e);
  for (int i = 0; i < Y::size(); ++i) e[i] = h / 6 * (s.k1[i] - 2 * s.k2[i] + e[i]);
  outcome<nothing> found;
  if (tol.estimate) found.error_squared = scaled_mean_square(e, next.state, tol);
  return found;
}

/// u1, u2: cotangents of the right-hand sides. h d (f_t + J k1) and h d J (k2 − k1) have their own.
template <class System, class Y, class W, class P>
void pull(const rosenbrock23&, System& sys, double t, double t_new, nothing, const tape_of<Y>& s,
          W&, const rosenbrock23::stage_values<Y>* seeds, Y& y_bar, P& p_bar,
          step_ends<double>* ends) {
  const double h = t_new - t;
  Y u2{}, at_half{}, along = s.k2, slope = s.f_t;
  double t_bar = 0, half_bar = 0, h_bar = dot(y_bar, s.k2);
  axpy(h, y_bar, u2);
  if (seeds != nullptr) add(seeds->k2, u2), add(seeds->y, y_bar);
  Y u1 = u2;
  if (seeds != nullptr) add(seeds->k1, u1);
  s.w.solve_transposed(u2);
  axpy(-1, u2, u1);
  sys.vjp(0.5 * (t + t_new), s.half, u2, &half_bar, at_half, p_bar);
  add(at_half, y_bar);
  axpy(h / 2, at_half, u1);
  s.w.solve_transposed(u1);
  sys.vjp(t, s.y, u1, &t_bar, y_bar, p_bar);
  axpy(-1, s.k1, along);
  add(product(s.j, s.k1), slope);
  h_bar += dot(at_half, s.k1) / 2 + d * (dot(u1, slope) + dot(u2, product(s.j, along)));
  for (double& u : u1) u *= h * d;
  for (double& u : u2) u *= h * d;
  sys.second(t, s.y, u1, 1.0, s.k1, &t_bar, y_bar, p_bar);
  sys.second(t, s.y, u2, 0.0, along, &t_bar, y_bar, p_bar);
  if (ends == nullptr) return;
  ends->t += t_bar + half_bar / 2 - h_bar;
  ends->t_new += half_bar / 2 + h_bar;
}

}  // namespace revode::contract
