// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <revode/linalg/lu.hpp>
#include <revode/solve/solve.hpp>

namespace revode::contract {

/// Backward differentiation of orders 1 and 2 in Nordsieck form, z = (y, h y', h² y''/2): rescale
/// by powers of r = h/h_before, predict by Pascal's triangle, add l e with
///   e + z1 = h f(t_new, z0 + l0 e),   l = (1, 1, 1/2) or (2/3, 1, 1/3)
/// source  Gear, Numerical Initial Value Problems in Ordinary Differential Equations (1971), 9.2
struct bdf12 {
  static constexpr const char* name = "bdf12";
  static constexpr int order = 2, embedded_order = 1, dense_order = 2;
  static constexpr bool multistep = true;

  template <class Y>
  struct nordsieck {
    Y z[3];
    void clear() { z[0] = z[1] = z[2] = Y{}; }
  };
  /// Where J was taken, the h l0 of the factors, the step that z is scaled by, what comes next.
  template <class Y>
  struct history {
    double h = 1, factored = 0, t_j = 0;
    Y y_j{};
    index order = 1, steps = 0;
  };
  template <class Y>
  struct matrices {
    mat<scalar_t<Y>, Y::size()> j;
    lu<scalar_t<Y>, Y::size()> w;
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      Y probe{};  // the factors as they act
      for (int i = 0; i < Y::size(); ++i) probe[i] = 1 + i;
      self.w.solve(probe);
      visit(self.j);
      visit(probe);
    }
  };
  template <class Y>
  struct stage {
    nordsieck<Y> after;
    double r;
  };
  struct decisions {
    std::int8_t order, iterations;
    bool new_jacobian, new_factors;
  };
  template <class Y>
  struct types : default_types<Y> {
    using state = nordsieck<Y>;
    using memo = history<Y>;
    using cache = matrices<Y>;
    using tape = stage<Y>;
    using record = decisions;
    using seeds = nordsieck<Y>;
    using scratch = nordsieck<Y>;  // the tangent of the new state
  };
};
template <class Y>
using state_of = bdf12::nordsieck<Y>;

constexpr double l(int order, int i) {
  return order == 1 ? (i < 2 ? 1 : 0.5) : (i == 0 ? 2. / 3 : i == 1 ? 1 : 1. / 3);
}

template <class Y>
void fill(state_of<Y>& s, scalar_t<Y> x) {
  for (Y& z : s.z) revode::fill(z, x);
}
template <class Y>
const Y& value(const bdf12&, const state_of<Y>& s) {
  return s.z[0];
}
template <class Y>
const Y& push_value(const bdf12&, const state_of<Y>& s) {
  return s.z[0];
}
template <class Y>
void pull_value(const bdf12&, const Y& y_bar, state_of<Y>& s) {
  add(y_bar, s.z[0]);
}

template <class Y, class Matrix>
bool factor(const mat<scalar_t<Y>, Y::size()>& j, double hl, Matrix& w) {
  auto a = j;
  for (int i = 0; i < Y::size(); ++i)
    for (int k = 0; k < Y::size(); ++k)
      a(i, k) = scalar_t<Y>(i == k ? 1 : 0) - scalar_t<Y>(hl) * j(i, k);
  return w.factor(a);
}

template <class System, class Y>
void refresh(const bdf12&, System& sys, double, carry<bdf12, Y>& c) {
  sys.jacobian(c.memo.t_j, c.memo.y_j, c.cache.j);
  factor<Y>(c.cache.j, c.memo.factored, c.cache.w);
}

template <class System, class Y>
void begin(const bdf12& m, System& sys, double t, const Y& y, carry<bdf12, Y>& c) {
  c.state = {y, y, Y{}};
  sys(t, y, c.state.z[1]);
  c.memo = {.t_j = t, .y_j = y};
  refresh(m, sys, t, c);
}
template <class System, class Y, class P>
void pull_begin(const bdf12&, System& sys, double t, const Y& y, const state_of<Y>& bar, Y& y_bar,
                P& p_bar, double& t_bar) {
  add(bar.z[0], y_bar);
  sys.vjp(t, y, bar.z[1], &t_bar, y_bar, p_bar);
}
template <class System, class Y, class P>
void push_begin(const bdf12&, System& sys, double t, const Y& y, const Y& y_dot, const P& p_dot,
                double t_dot, state_of<Y>& s) {
  s = {y_dot, y_dot, Y{}};
  sys.jvp(t, y, t_dot, y_dot, p_dot, s.z[1]);
}

/// z ← Pascal's triangle · diag(1, r, r²) z
template <class Y>
void predict(int order, double r, state_of<Y>& s) {
  for (int i = 0; i < Y::size(); ++i) {
    s.z[1][i] *= r;
    s.z[2][i] *= order == 1 ? 0 : r * r;
    s.z[0][i] += s.z[1][i] + s.z[2][i];
    s.z[1][i] += 2 * s.z[2][i];
  }
}

/// The step with all decisions made, and `most` iterations (stopped earlier: by a standstill).
template <class System, class Y>
int take(System& sys, double t, double t_new, bdf12::decisions& r, int most, carry<bdf12, Y>& c,
         bdf12::stage<Y>& tape, Y& e) {
  using T = scalar_t<Y>;
  const double h = t_new - t, hl = h * l(r.order, 0);
  if (r.new_jacobian) {
    sys.jacobian(c.memo.t_j = t, c.memo.y_j = c.state.z[0], c.cache.j);
  }
  if (r.new_factors) factor<Y>(c.cache.j, c.memo.factored = hl, c.cache.w);
  tape.r = h / c.memo.h;
  predict(r.order, tape.r, c.state);
  e = Y{};
  Y y = c.state.z[0], f{};
  int i = 0;
  for (double change = 1; i < most && change > 0;) {
    sys(t_new, y, f);
    for (int k = 0; k < Y::size(); ++k) f[k] = T(h) * f[k] - c.state.z[1][k] - e[k];
    c.cache.w.solve(f);
    add(f, e);
    change = 0;
    for (int k = 0; k < Y::size(); ++k) {
      const T before = y[k];
      y[k] = c.state.z[0][k] + T(l(r.order, 0)) * e[k];
      const double moved = std::abs(value_of(y[k] - before));
      if (moved > 4e-16 * (1 + std::abs(value_of(y[k])))) change = moved;
    }
    ++i;
  }
  for (int j = 0; j < 3; ++j) axpy(T(l(r.order, j)), e, c.state.z[j]);
  c.memo.h = h;
  c.memo.order = 2;
  ++c.memo.steps;
  tape.after = c.state;
  return i;
}

template <class System, class Y>
outcome<bdf12::decisions> attempt(const bdf12&, System& sys, const tolerance& tol, double t,
                                  double t_new, const carry<bdf12, Y>& from, bdf12::stage<Y>& tape,
                                  carry<bdf12, Y>& next) {
  const double hl = (t_new - t) * l(static_cast<int>(from.memo.order), 0);
  const bool stale = std::abs(hl / from.memo.factored - 1) > 0.3 || from.memo.factored == 0;
  bdf12::decisions r{static_cast<std::int8_t>(from.memo.order), 0, from.memo.steps % 20 == 19,
                     stale || from.memo.steps % 20 == 19};
  constexpr int most = 40;
  Y e{};
  for (;;) {
    next = from;
    r.iterations = static_cast<std::int8_t>(take(sys, t, t_new, r, most, next, tape, e));
    if (r.iterations < most) break;
    if (r.new_jacobian) return {HUGE_VAL, status::newton_failure, r};
    r.new_jacobian = r.new_factors = true;
  }
  for (auto& x : e) x *= r.order == 1 ? 0.5 : 4.0 / 15;
  return {tol.estimate ? scaled_mean_square(e, next.state.z[0], tol) : 0, status::success, r};
}

/// The estimate of an order falls with that order.
template <class Controller, class Memory, class Carry>
double propose(const bdf12&, const Controller& controller, Memory& memory,
               const outcome<bdf12::decisions>& found, Carry&, Carry&) {
  return propose_factor(controller, memory, found.error_squared, found.record.order + 1);
}

/// The recorded iterations; over duals, more of them, until the tangent stands still too.
template <class System, class Y>
void replay(const bdf12&, System& sys, double t, double t_new, bdf12::decisions r,
            carry<bdf12, Y>& c, bdf12::stage<Y>& tape) {
  Y e{};
  take(sys, t, t_new, r, r.iterations, c, tape, e);
  if constexpr (is_differentiable_v<scalar_t<Y>>) {
    for (int i = 0; i < 40; ++i) {
      Y f{}, change = c.state.z[1];
      sys(t_new, c.state.z[0], f);
      for (int k = 0; k < Y::size(); ++k) change[k] = scalar_t<Y>(t_new - t) * f[k] - change[k];
      c.cache.w.solve(change);
      for (int j = 0; j < 3; ++j) axpy(scalar_t<Y>(l(r.order, j)), change, c.state.z[j]);
    }
    tape.after = c.state;
  }
}

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
