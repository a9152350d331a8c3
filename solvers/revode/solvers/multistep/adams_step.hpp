// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <revode/ad/functions.hpp>
#include <revode/solvers/multistep/adams_types.hpp>
#include <revode/solvers/multistep/nordsieck_control.hpp>

namespace revode {

/// out = (h f(t_new, y) − z₁)/l₁ for the predicted z₁.
template <class System, class Y>
void correction_of(System& sys, double t_new, const Y& y, double h, double l1, const Y& z1,
                   Y& out) {
  using T = scalar_t<Y>;
  sys(t_new, y, out);
  const T inverse = T(1 / l1), of_slope = T(h / l1);
  for (int i = 0, n = length(out); i < n; ++i)
    out.data()[i] = muladd(of_slope, out.data()[i], -(inverse * z1.data()[i]));
}

/// Prediction, first evaluation and correction of y.
template <class M, class System, class Y>
void correct_adams_step(System& sys, double t_new, int q, double h, const typename M::formula& by,
                        const nordsieck_t<M, Y>& from, adams_tape<Y, M::most_order>& tape,
                        carry<M, Y>& c) {
  auto& s = c.state;
  predict_array<M>(c.memo, q, h, by, from, s, tape);
  copy(s.z[0], tape.predicted);
  correction_of(sys, t_new, s.z[0], h, by.l[1], s.z[1], s.correction);
  add(s.correction, s.z[0]);
}
/// Second evaluation, and the array by it.
template <class M, class System, class Y>
void evaluate_adams_step(System& sys, double t_new, int q, double h,
                         adams_tape<Y, M::most_order>& tape, carry<M, Y>& c) {
  auto& s = c.state;
  correction_of(sys, t_new, s.z[0], h, tape.l[1], s.z[1], c.cache.change);
  for (int i = 0, n = length(tape.gap); i < n; ++i)
    tape.gap.data()[i] = c.cache.change.data()[i] - s.correction.data()[i];
  finish_nordsieck_step(1, q, h, c.cache.change, s, tape, c.memo);
}

template <adams_method M, class System, class Y>
outcome<adams_record> attempt(const M&, System& sys, const tolerance& tol, double t, double t_new,
                              const carry<M, Y>& from, adams_tape<Y, M::most_order>& tape,
                              carry<M, Y>& next) {
  const double h = t_new - t;
  const int q = choose_order<M>(from.memo, h, tol.estimate);
  const typename M::formula by(q, h, from.memo.tau);
  outcome<adams_record> found;
  found.record = {1, static_cast<std::uint8_t>(q), static_cast<std::uint8_t>(q)};
  next.memo = from.memo;
  correct_adams_step<M>(sys, t_new, q, h, by, from.state, tape, next);
  double error = 0;
  if (tol.estimate) {
    fill_weights(from.state.z[0], tol, next.cache.weight);
    error = nordsieck_honesty * by.error *
            std::sqrt(error_squared(tol, next.state.correction, next.cache.weight));
    found.error_squared = error * error;
    if (!(found.error_squared <= 1)) return found;
  }
  evaluate_adams_step<M>(sys, t_new, q, h, tape, next);
  if (!all_finite(next.cache.change)) found.what = status::non_finite_field;
  if (tol.estimate && found.what == status::success)
    choose_growth<M>(tol, error, by, from.memo.next, q != from.memo.order, M::most_order,
                     found.record, next);
  return found;
}

template <adams_method M, class System, class Y>
void replay(const M&, System& sys, double t, double t_new, const adams_record& r, carry<M, Y>& c,
            adams_tape<Y, M::most_order>& tape) {
  const double h = t_new - t;
  const typename M::formula by(r.order, h, c.memo.tau);
  correct_adams_step<M>(sys, t_new, r.order, h, by, c.state, tape, c);
  evaluate_adams_step<M>(sys, t_new, r.order, h, tape, c);
}

/// Nothing beside what all families decide by.
template <class Record>
void note_of_family(const outcome<Record>&, bool, nordsieck_decisions&, nordsieck_decisions&) {}

/// The exact transpose of one step.
/// cost    two VJPs
template <adams_method M, class System, class Y, class P>
void pull(const M&, System& sys, double t, double t_new, const adams_record& r,
          const adams_tape<Y, M::most_order>& tape, adams_scratch<Y, M::most_order>& w,
          const nordsieck_t<M, Y>* seeds, nordsieck_t<M, Y>& bar, P& p_bar,
          step_ends<scalar_t<Y>>*) {
  using T = scalar_t<Y>;
  const int q = r.order;
  const T inverse = T(1 / tape.l[1]), of_slope = T((t_new - t) / tape.l[1]);
  if (seeds != nullptr)
    for (int j = 0; j <= q; ++j) add(seeds->z[j], bar.z[j]);
  // Seeds of dense output name the gap b − a by the correction's place.
  const auto pull_evaluation = [&](const Y& at) {
    axpy(-inverse, w.first, bar.z[1]);
    fill(w.second, T(0));
    axpy(of_slope, w.first, w.second);
    sys.vjp(t_new, at, w.second, nullptr, bar.z[0], p_bar);
  };
  fill(w.first, T(0));
  pull_correction(tape, 1, q, bar, w.first);
  if (seeds != nullptr) add(seeds->correction, w.first);
  pull_evaluation(tape.z[0]);
  copy(bar.z[0], w.first);
  add(bar.correction, w.first);
  if (seeds != nullptr) axpy(T(-1), seeds->correction, w.first);
  pull_evaluation(tape.predicted);
  pull_prediction(tape, q, bar);
}

/// The exact derivative of one step. Leaves the array's tangent in w.dot.
/// cost    two JVPs
template <adams_method M, class System, class Y, class P>
void push(const M&, System& sys, double t, double t_new, const adams_record& r,
          const adams_tape<Y, M::most_order>& tape, adams_scratch<Y, M::most_order>& w,
          nordsieck_t<M, Y>& dot, const P& p_dot, const step_ends<scalar_t<Y>>&) {
  using T = scalar_t<Y>;
  const int q = r.order;
  const T inverse = T(1 / tape.l[1]), of_slope = T((t_new - t) / tape.l[1]);
  push_prediction(tape, q, dot, dot);
  const auto push_evaluation = [&](const Y& at, Y& out) {
    sys.jvp(t_new, at, T(0), dot.z[0], p_dot, w.first);
    fill(out, T(0));
    axpy(of_slope, w.first, out);
    axpy(-inverse, dot.z[1], out);
  };
  push_evaluation(tape.predicted, dot.correction);
  add(dot.correction, dot.z[0]);
  push_evaluation(tape.z[0], w.second);
  correct_array(tape, 1, q, w.second, dot);
  copy(w.second, w.gap_dot);
  axpy(T(-1), dot.correction, w.gap_dot);
  w.dot = dot;
}

}  // namespace revode
