// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/concepts.hpp>
#include <revode/config.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>

namespace revode {

// The rules of a course on plain numbers, for a solve by itself and for one lane of many.

/// Does an attempt of length h from t end where its stretch does? It is stretched by up to 1 %, so that no
/// sliver is left there. direction: ±1, of time.
REVODE_HD bool fills_stretch(double direction, double t, double end, double h) {
  return direction * (end - t - 1.01 * h) <= 0;
}
/// Has a solution that is at `now` come to t?
REVODE_HD bool reaches(double direction, double now, double t) {
  return direction * (now - t) >= 0;
}
/// The time at θ of a step; −1: at its end.
REVODE_HD double time_in_step(double t, double t_new, double theta) {
  return theta < 0 || theta == 1 ? t_new : t + theta * (t_new - t);
}
/// Does t lie inside a step of which counts what is up to `until`? That belongs to it, unless it is the end of
/// a whole step.
REVODE_HD bool lies_inside(double direction, double until, double t, bool whole) {
  return whole ? direction * (until - t) > 0 : reaches(direction, until, t);
}
/// Did the end of the stretch leave less than half of the length h to a step? It then says little about
/// the length of the next.
REVODE_HD bool cut_short(double t, double t_new, double end, double h) {
  return t_new == end && 2 * std::abs(t_new - t) < std::abs(h);
}
/// Is a length of the size of rounding, at t and in a span?
REVODE_HD bool too_short(double t, double span, double h) {
  constexpr double eps = 0x1p-52;
  const double at = std::abs(t), least = 1e-10 * std::abs(span);
  return std::abs(h) < 4 * eps * (at > least ? at : least);
}

/// The share that t1 has in the end of the i-th of n equal steps; the rest is t0's.
REVODE_HD double share_of_t1(double i, double n) { return i / n; }

/// pull_interpolate at a place that stands still. `whole` is false where the seeds are left out, and with
/// them what the length of the step has of them.
template <class M, class Stages, class Scratch, class Y, class Seeds>
REVODE_HD auto pull_place(const M& m, double t, double t_new, const Stages& stages,
                          const Scratch& w, double theta, const Y& y_bar, Seeds* seeds,
                          bool whole) {
  interpolation_bar<time_bar_t<Y>> bar;
  pull_interpolate(m, t, t_new, stages, w, theta, y_bar, seeds, bar);
  if (!whole) bar.h = time_bar_t<Y>(0);
  return bar;
}

/// Takes y_bar of dense output at a time that stands still, which lies at θ of the step, to the seeds and
/// to the ends of the step. Returns y_barᵀ dy/dt.
template <class M, class Stages, class Scratch, class Time, class Y, class Seeds>
REVODE_HD time_bar_t<Y, Time> pull_dense(const M& m, double t, double t_new, const Stages& stages,
                                         const Scratch& w, const Time& theta, const Y& y_bar,
                                         Seeds* seeds, bool whole, step_ends<time_bar_t<Y>>& ends) {
  using T = time_bar_t<Y>;
  using Bar = time_bar_t<Y, Time>;
  const auto bar = pull_place(m, t, t_new, stages, w, theta, y_bar, seeds, whole);
  const Bar theta_bar = static_cast<Bar>(bar.theta), h_bar = static_cast<Bar>(bar.h);
  const Time h(t_new - t);
  ends.t += static_cast<T>((theta - 1) * theta_bar / h - h_bar);
  ends.t_new += static_cast<T>(-theta * theta_bar / h + h_bar);
  return theta_bar / h;
}

}  // namespace revode
