// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/solve/mass/consistent_start.hpp>
#include <revode/solvers/multistep/nordsieck.hpp>

namespace revode {

// Every step starts from the accepted array: order change, one rescale by h/τ₀, prediction. Nothing is
// undone after a rejection, so that a replay has the same bits. All of it is linear in the array, with numbers
// that follow from lengths and orders of steps, which are constants of the derivative.

/// column(x) of every element's numbers x₀ … x_q in the array, from one array to another or the same. Columns are long:
/// a pass over them for each sum would read every number q times.
template <class Order, class Y, int K, class Column>
void sweep_columns(Order q, const nordsieck<Y, K>& from, nordsieck<Y, K>& to,
                   const Column& column) {
  using T = scalar_t<Y>;
  const T* in[K + 1];
  T* out[K + 1];
  for (int j = 0; j <= q; ++j) in[j] = from.z[j].data(), out[j] = to.z[j].data();
  sweep_parts(to.z[0], [&](int first, int last) {
#if !defined(__clang__)  // whose pragma warns where duals are not vectorised
#pragma GCC ivdep
#endif
    for (int i = first; i < last; ++i) {
      T x[K + 1];
      for (int j = 0; j <= q; ++j) x[j] = in[j][i];
      column(x);
      for (int j = 0; j <= q; ++j) out[j][i] = x[j];
    }
  });
}
/// call(q), with q ≤ Q known to the compiler for numbers that registers hold.
template <class T, int Q, class Call>
void with_order(int q, const Call& call) {
  if constexpr (!std::is_floating_point_v<T>) {
    call(q);
  } else {
    if constexpr (Q > 1)
      if (q < Q) return with_order<T, Q - 1>(q, call);
    call(std::integral_constant<int, Q>());
  }
}

/// xⱼ ← powerⱼ xⱼ, and by Pascal's triangle xⱼ ← Σ_k (k over j) x_k.
template <class Order, class T>
REVODE_HD void push_column(Order order, const T* power, T* x) {
  const int q = order;
#pragma GCC unroll 16
  for (int j = 1; j <= q; ++j) x[j] = power[j] * x[j];
#pragma GCC unroll 16
  for (int k = 1; k <= q; ++k)
#pragma GCC unroll 16
    for (int j = q; j >= k; --j) x[j - 1] = x[j - 1] + x[j];
}
/// Its transpose.
template <class Order, class T>
REVODE_HD void pull_column(Order order, const T* power, T* x) {
  const int q = order;
#pragma GCC unroll 16
  for (int k = q; k >= 1; --k)
#pragma GCC unroll 16
    for (int j = k; j <= q; ++j) x[j] = x[j] + x[j - 1];
#pragma GCC unroll 16
  for (int j = 1; j <= q; ++j) x[j] = power[j] * x[j];
}
/// The powers of an array's scale.
template <class T, int K>
struct scale_powers {
  T of[K + 1];
  explicit scale_powers(double scale) {
    double power = 1;
    for (T& x : of) x = T(power), power *= scale;
  }
};

/// The order change of a tape, for arrays and their tangents, in place.
template <class Y, int K>
void push_order_change(const nordsieck_tape<Y, K>& tape, int q, nordsieck<Y, K>& s) {
  using T = scalar_t<Y>;
  const int before = static_cast<int>(tape.before);
  if (q > before) {
    copy(s.correction, s.z[q]);
    for (int i = 0, n = length(s.z[q]); i < n; ++i)
      s.z[q].data()[i] = T(tape.raise) * s.z[q].data()[i];
    for (int j = 2; j < q; ++j) axpy(T(tape.change[j]), s.z[q], s.z[j]);
  } else {
    for (int j = 2; q > 1 && j <= q; ++j) axpy(T(-tape.change[j]), s.z[before], s.z[j]);
    for (int j = q + 1; j <= before; ++j) fill(s.z[j], T(0));
  }
}

/// `to` ← order change, rescale and prediction of `from`, which may be `to`, but for the correction.
template <class Y, int K>
void push_prediction(const nordsieck_tape<Y, K>& tape, int q, const nordsieck<Y, K>& from,
                     nordsieck<Y, K>& to) {
  using T = scalar_t<Y>;
  const nordsieck<Y, K>* by = &from;
  if (q != static_cast<int>(tape.before)) {
    if (&from != &to) to = from;
    push_order_change(tape, q, to);
    by = &to;
  } else if (&from != &to) {
    for (int j = q + 1; j <= K; ++j) fill(to.z[j], T(0));
  }
  const scale_powers<T, K> power(tape.scale);
  with_order<T, K>(q, [&](auto order) {
    sweep_columns(order, *by, to, [&](T* x) { push_column(order, power.of, x); });
  });
}

/// Its transpose.
template <class Y, int K>
void pull_prediction(const nordsieck_tape<Y, K>& tape, int q, nordsieck<Y, K>& bar) {
  using T = scalar_t<Y>;
  for (int j = q + 1; j <= K; ++j) fill(bar.z[j], T(0));
  const scale_powers<T, K> power(tape.scale);
  with_order<T, K>(q, [&](auto order) {
    sweep_columns(order, bar, bar, [&](T* x) { pull_column(order, power.of, x); });
  });
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

/// `to` ← the array that a step of length h and order q predicts from `from`; what it was made with goes to the tape.
template <class M, class Memo, class Y, int K>
void predict_array(const Memo& memo, int q, double h, const typename M::formula& formula,
                   const nordsieck<Y, K>& from, nordsieck<Y, K>& to, nordsieck_tape<Y, K>& tape) {
  const typename M::order_change by(memo.order, q, memo.tau);
  tape.before = memo.order;
  tape.raise = by.raise;
  tape.scale = h / memo.tau[0];
  for (int j = 0; j <= K; ++j) {
    tape.change[j] = by.c[j];
    tape.l[j] = j <= q ? formula.l[j] : 0.0;
  }
  push_prediction(tape, q, from, to);
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

/// correct_array, its array to the tape as well, and the step to the history.
template <class Memo, class Y, int K>
void finish_nordsieck_step(int first, int q, double h, const Y& a, nordsieck<Y, K>& s,
                           nordsieck_tape<Y, K>& tape, Memo& memo) {
  for (int j = 0; j <= K; ++j) {
    const auto* by = a.data();
    auto *out = s.z[j].data(), *kept = tape.z[j].data();
    if (const auto l = scalar_t<Y>(tape.l[j]); first <= j && j <= q)
      sweep_elements(
          a, [=](int i)
                 __attribute__((always_inline)) { kept[i] = out[i] = muladd(l, by[i], out[i]); });
    else
      copy(s.z[j], tape.z[j]);
  }
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
