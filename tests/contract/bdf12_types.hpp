// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <revode/linalg/dense/lu.hpp>
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

}  // namespace revode::contract
