// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/ad/functions.hpp>
#include <revode/solvers/multistep/bdf_types.hpp>

namespace revode {

// Every step starts from the accepted array: order change, one rescale by h/τ₀, prediction. Nothing is
// undone after a rejection, so that a replay has the same bits.

/// z ← the predicted array of a step of length h and order q; what it was made with goes to the tape.
template <class Y, int K>
void predict_bdf(const bdf_memo<Y, K>& memo, int q, double h, nordsieck<Y, K>& s,
                 bdf_tape<Y, K>& tape) {
  using T = scalar_t<Y>;
  const int before = memo.order;
  const bdf_order_change<K> by(before, q, memo.tau);
  tape.before = before;
  tape.raise = by.raise;
  tape.scale = h / memo.tau[0];
  for (int j = 0; j <= K; ++j) tape.change[j] = by.c[j];
  if (q > before) {
    copy(s.correction, s.z[q]);
    for (int i = 0, n = length(s.z[q]); i < n; ++i)
      s.z[q].data()[i] = T(by.raise) * s.z[q].data()[i];
    for (int j = 2; j < q; ++j) axpy(T(tape.change[j]), s.z[q], s.z[j]);
  } else if (q < before) {
    for (int j = 2; q > 1 && j <= q; ++j) axpy(T(-tape.change[j]), s.z[before], s.z[j]);
    for (int j = q + 1; j <= before; ++j) fill(s.z[j], T(0));
  }
  double power = 1;
  for (int j = 1; j <= q; ++j) {
    power *= tape.scale;
    for (int i = 0, n = length(s.z[j]); i < n; ++i) s.z[j].data()[i] = T(power) * s.z[j].data()[i];
  }
  for (int k = 1; k <= q; ++k)
    for (int j = q; j >= k; --j) add(s.z[j], s.z[j - 1]);
}

/// Jacobian and factors as decided, for a step from (t, y).
template <class M, class System, class Y>
status prepare_bdf_matrix(const M& m, System& sys, double t, const Y& y, double shift,
                          const bdf_record& r, carry<M, Y>& to) {
  const status found = take_jacobian(m, sys, t, y, r, to);
  if (found != status::success || !r.has(r.new_factors)) return found;
  count_factorization(sys);
  to.memo.shift = shift;
  return factor_pencil(to.cache.factors, to.cache.jacobian, scalar_t<Y>(shift), mass_of(sys))
             ? status::success
             : status::linear_solve_failure;
}

/// c.change = f(t_new, z₀ + a) − M (z₁ + l₁ a)/h, which is 0 for the solution a.
template <class System, class Y, int K, class Cache>
void bdf_residual(System& sys, double t_new, double h, double l1, const nordsieck<Y, K>& s,
                  Cache& c) {
  using T = scalar_t<Y>;
  copy(s.z[0], c.stage);
  add(s.correction, c.stage);
  sys(t_new, c.stage, c.change);
  const T inverse = T(1) / T(h), of_a = T(l1) * inverse;
  for (int i = 0, n = length(c.stage); i < n; ++i)
    c.change.data()[i] = add_mass_times(
        mass_of(sys), i, -of_a, s.correction.data(),
        add_mass_times(mass_of(sys), i, -inverse, s.z[1].data(), c.change.data()[i]));
}

/// One correction of a, with J where the iteration is and no further than the goal where there is one;
/// whether that was reached. One by factors of another shift is scaled to what lies between the two.
/// source  CVODE, modified Newton iterations: 2/(1 + γ/γ_LU)
template <class System, class Y, int K, class Cache>
bool bdf_correction(System& sys, double t_new, double h, double l1, double shift_of_factors,
                    double goal, bool first, const nordsieck<Y, K>& s, Cache& c) {
  using T = scalar_t<Y>;
  bdf_residual(sys, t_new, h, l1, s, c);
  const double shift = l1 / h;
  if constexpr (Cache::inexact) {
    if (goal > 0) {
      c.factors.move(t_new, c.stage, T(shift));
      return solve_to(c.factors, goal, first, c.change);
    }
  }
  solve_roughly<false>(c.factors, newton_solve_tolerance, c.change);
  if (shift == shift_of_factors) return true;
  const T scale = T(2 / (1 + shift_of_factors / shift));
  for (int i = 0, n = length(c.change); i < n; ++i) c.change.data()[i] = scale * c.change.data()[i];
  return true;
}

/// Over duals: the tangent of the solved equation, with the Jacobian there, by corrections that leave
/// values alone.
template <class A, class System, class Y, int K, class Cache>
void settle_bdf(const A& algebra, System& sys, double t_new, double h, double l1,
                nordsieck<Y, K>& s, Cache& c) {
  using T = scalar_t<Y>;
  auto jacobian = c.jacobian;
  auto factors = c.factors;
  copy(s.z[0], c.stage);
  add(s.correction, c.stage);
  algebra.evaluate(sys, t_new, c.stage, jacobian);
  if (!factor_pencil(factors, jacobian, T(l1 / h), mass_of(sys)))
    report(sys, status::linear_solve_failure);
  for (int round = 0; round < 3; ++round) {
    bdf_residual(sys, t_new, h, l1, s, c);
    for (int i = 0, n = length(c.change); i < n; ++i)
      c.change.data()[i] = c.change.data()[i] - T(value_of(c.change.data()[i]));
    factors.solve(c.change);
    add(c.change, s.correction);
  }
}

/// z ← z + l a, and the history with this step.
template <class M, class Y>
void finish_bdf_step(int q, double h, const bdf_formula<M::most_order>& by, bdf_tape_t<M, Y>& tape,
                     carry<M, Y>& to) {
  constexpr int most = M::most_order;
  auto& s = to.state;
  for (int j = 0; j <= most; ++j) {
    tape.l[j] = j <= q ? by.l[j] : 0.0;
    if (j <= q) axpy(scalar_t<Y>(tape.l[j]), s.correction, s.z[j]);
    copy(s.z[j], tape.z[j]);
  }
  to.memo.order = q;
  for (int j = most - 1; j > 0; --j) to.memo.tau[j] = to.memo.tau[j - 1];
  to.memo.tau[0] = h;
}

template <bdf_method M, class System, class Y>
void refresh(const M& m, System& sys, double, carry<M, Y>& c) {
  algebra_of(m).evaluate(sys, c.memo.t_jacobian, c.memo.y_jacobian, c.cache.jacobian);
  if (c.memo.shift != 0)
    factor_pencil(c.cache.factors, c.cache.jacobian, scalar_t<Y>(c.memo.shift), mass_of(sys));
}

/// z = (y, f(t, y)) in units of a step of 1; with a mass matrix y is consistent and M z₁ = f, 0 where M leaves
/// z₁ open, which steps do not read.
template <bdf_method M, class System, class Y>
void begin(const M& m, System& sys, double t, const Y& y, carry<M, Y>& c) {
  c.state.clear();
  copy(y, c.state.z[0]);
  if constexpr (is_massive_v<System>) make_consistent(sys, t, c.state.z[0]);
  c.memo = bdf_memo<Y, M::most_order>(c.state.z[0]);
  c.memo.t_jacobian = t;
  sys(t, c.state.z[0], c.state.z[1]);
  if constexpr (is_massive_v<System>) solve_open_slope<false>(sys, c.state.z[1]);
  refresh(m, sys, t, c);
}
template <bdf_method M, class System, class Y, class P, class T>
void pull_begin(const M&, System& sys, double t, const Y& y, const nordsieck<Y, M::most_order>& bar,
                Y& y_bar, P& p_bar, T& t_bar) {
  scalar_t<Y> moved(0);
  if constexpr (is_massive_v<System>) {
    Y at = y, of_start = bar.z[0], weight = bar.z[1];
    make_consistent(sys, t, at);
    solve_open_slope<true>(sys, weight);
    sys.vjp(t, at, weight, &moved, of_start, p_bar);
    pull_consistent(sys, t, y, of_start, y_bar, p_bar, t_bar);
  } else {
    add(bar.z[0], y_bar);
    sys.vjp(t, y, bar.z[1], &moved, y_bar, p_bar);
  }
  t_bar += T(moved);
}
template <bdf_method M, class System, class Y, class P, class T>
void push_begin(const M&, System& sys, double t, const Y& y, const Y& y_dot, const P& p_dot,
                const T& t_dot, nordsieck<Y, M::most_order>& dot) {
  dot.clear();
  if constexpr (is_massive_v<System>) {
    Y at = y;
    make_consistent(sys, t, at);
    push_consistent(sys, t, y, y_dot, p_dot, scalar_t<Y>(t_dot), dot.z[0]);
    sys.jvp(t, at, scalar_t<Y>(t_dot), dot.z[0], p_dot, dot.z[1]);
    solve_open_slope<false>(sys, dot.z[1]);
  } else {
    copy(y_dot, dot.z[0]);
    sys.jvp(t, y, scalar_t<Y>(t_dot), y_dot, p_dot, dot.z[1]);
  }
}

template <bdf_method M, class System, class Y>
void replay(const M& m, System& sys, double t, double t_new, const bdf_record_of<M>& r,
            carry<M, Y>& c, bdf_tape_t<M, Y>& tape) {
  const double h = t_new - t;
  const bdf_formula<M::most_order> by(r.order, h, c.memo.tau);
  prepare_bdf_matrix(m, sys, t, c.state.z[0], by.l[1] / h, r, c);
  predict_bdf(c.memo, r.order, h, c.state, tape);
  fill(c.state.correction, scalar_t<Y>(0));
  for (int round = 0; round < r.iterations; ++round) {
    bdf_correction(sys, t_new, h, by.l[1], c.memo.shift, goal_of(r), round == 0, c.state, c.cache);
    add(c.cache.change, c.state.correction);
  }
  if constexpr (is_differentiable_v<scalar_t<Y>>)
    settle_bdf(algebra_of(m), sys, t_new, h, by.l[1], c.state, c.cache);
  finish_bdf_step(r.order, h, by, tape, c);
}

}  // namespace revode
