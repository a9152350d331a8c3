// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/mass/consistent_start.hpp>
#include <revode/solvers/multistep/nordsieck.hpp>

namespace revode {

// Every step starts from the accepted array: order change, one rescale by h/τ₀, prediction. Nothing is
// undone after a rejection, so that a replay has the same bits. All of it is linear in the array, with numbers
// that follow from lengths and orders of steps, which are constants of the derivative.

/// zⱼ ← scaleʲ zⱼ, its own transpose.
template <class Y, int K>
void rescale_array(double scale, int q, nordsieck<Y, K>& s) {
  using T = scalar_t<Y>;
  double power = 1;
  for (int j = 1; j <= q; ++j) {
    power *= scale;
    for (int i = 0, n = length(s.z[j]); i < n; ++i) s.z[j].data()[i] = T(power) * s.z[j].data()[i];
  }
}

/// The order change of a tape, rescale and prediction, for arrays and their tangents.
template <class Y, int K>
void push_prediction(const nordsieck_tape<Y, K>& tape, int q, nordsieck<Y, K>& s) {
  using T = scalar_t<Y>;
  const int before = static_cast<int>(tape.before);
  if (q > before) {
    copy(s.correction, s.z[q]);
    for (int i = 0, n = length(s.z[q]); i < n; ++i)
      s.z[q].data()[i] = T(tape.raise) * s.z[q].data()[i];
    for (int j = 2; j < q; ++j) axpy(T(tape.change[j]), s.z[q], s.z[j]);
  } else if (q < before) {
    for (int j = 2; q > 1 && j <= q; ++j) axpy(T(-tape.change[j]), s.z[before], s.z[j]);
    for (int j = q + 1; j <= before; ++j) fill(s.z[j], T(0));
  }
  rescale_array(tape.scale, q, s);
  for (int k = 1; k <= q; ++k)
    for (int j = q; j >= k; --j) add(s.z[j], s.z[j - 1]);
}

/// Its transpose.
template <class Y, int K>
void pull_prediction(const nordsieck_tape<Y, K>& tape, int q, nordsieck<Y, K>& bar) {
  using T = scalar_t<Y>;
  for (int j = q + 1; j <= K; ++j) fill(bar.z[j], T(0));
  for (int k = q; k >= 1; --k)
    for (int j = k; j <= q; ++j) add(bar.z[j - 1], bar.z[j]);
  rescale_array(tape.scale, q, bar);
  const int before = static_cast<int>(tape.before);
  fill(bar.correction, T(0));
  if (q > before) {
    for (int j = 2; j < q; ++j) axpy(T(tape.change[j]), bar.z[j], bar.z[q]);
    axpy(T(tape.raise), bar.z[q], bar.correction);
    fill(bar.z[q], T(0));
  } else if (q < before && q > 1) {
    for (int j = 2; j <= q; ++j) axpy(T(-tape.change[j]), bar.z[j], bar.z[before]);
  }
}

/// z ← the predicted array of a step of length h and order q; what it was made with goes to the tape.
template <class M, class Memo, class Y, int K>
void predict_array(const Memo& memo, int q, double h, const typename M::formula& formula,
                   nordsieck<Y, K>& s, nordsieck_tape<Y, K>& tape) {
  const typename M::order_change by(memo.order, q, memo.tau);
  tape.before = memo.order;
  tape.raise = by.raise;
  tape.scale = h / memo.tau[0];
  for (int j = 0; j <= K; ++j) {
    tape.change[j] = by.c[j];
    tape.l[j] = j <= q ? formula.l[j] : 0.0;
  }
  push_prediction(tape, q, s);
}

/// zⱼ ← zⱼ + lⱼ a for j ≥ first.
template <class Y, int K>
void correct_array(const nordsieck_tape<Y, K>& tape, int first, int q, const Y& a,
                   nordsieck<Y, K>& s) {
  for (int j = first; j <= q; ++j) axpy(scalar_t<Y>(tape.l[j]), a, s.z[j]);
}
/// out ← out + Σ lⱼ z̄ⱼ over j ≥ first, its transpose.
template <class Y, int K>
void pull_correction(const nordsieck_tape<Y, K>& tape, int first, int q, const nordsieck<Y, K>& bar,
                     Y& out) {
  for (int j = first; j <= q; ++j) axpy(scalar_t<Y>(tape.l[j]), bar.z[j], out);
}

/// The corrected array to the tape, and the step to the history.
template <class Memo, class Y, int K>
void finish_nordsieck_step(int q, double h, const nordsieck<Y, K>& s, nordsieck_tape<Y, K>& tape,
                           Memo& memo) {
  for (int j = 0; j <= K; ++j) copy(s.z[j], tape.z[j]);
  memo.order = q;
  for (int j = K - 1; j > 0; --j) memo.tau[j] = memo.tau[j - 1];
  memo.tau[0] = h;
}

/// z = (y, f(t, y)) in units of a step of 1; with a mass matrix y is consistent and M z₁ = f, 0 where M leaves
/// z₁ open, which steps do not read.
template <nordsieck_method M, class System, class Y>
void begin(const M& m, System& sys, double t, const Y& y, carry<M, Y>& c) {
  c.state.clear();
  copy(y, c.state.z[0]);
  if constexpr (is_massive_v<System>) make_consistent(sys, t, c.state.z[0]);
  c.memo = typename method_types<M, Y>::memo(c.state.z[0]);
  if constexpr (requires { c.memo.t_jacobian; }) c.memo.t_jacobian = t;
  sys(t, c.state.z[0], c.state.z[1]);
  if constexpr (is_massive_v<System>) solve_open_slope<false>(sys, c.state.z[1]);
  refresh(m, sys, t, c);
}
template <nordsieck_method M, class System, class Y, class P, class T>
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
template <nordsieck_method M, class System, class Y, class P, class T>
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

}  // namespace revode
