// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane_pull/lane_loss.hpp>
#include <revode/batch/lane_pull/lane_pull.hpp>
#include <revode/solve/course/rules.hpp>

namespace revode {

/// The save points of a lane: listed times, cotangents of all points and, if asked for, of the times.
template <class Y>
struct lane_save_bars {
  index first, end;  ///< listed points of the lane
  bool save_t0;
  lane_points<Y> bars;
  double* ts;  ///< of listed point k at k ts_stride; null: not asked for
  index ts_stride;

  /// The cotangent of listed point k.
  REVODE_HD Y at(index k) const { return bars.at(k - first + save_t0); }
  REVODE_HD double& time(index k) const { return ts[(k - first) * ts_stride]; }
};

/// Gives the cotangents of the ends of lane l's step to t_new to t0 and t1, with which they move: see
/// ends_of_step.
template <class Group, class T, int W>
REVODE_HD void give_ends(const Group& g, lane_time_bars<W>& bars, double t_new,
                         const step_ends<T>& ends, int l) {
  const double a = static_cast<double>(ends.t), b = static_cast<double>(ends.t_new);
  const double n = g.equal_steps[l];
  if (n > 0) {
    const double i = bars.steps[l] -= 1;
    bars.t0[l] += a * (1 - share_of_t1(i, n));
    bars.t1[l] += a * share_of_t1(i, n);
    bars.t0[l] += b * (1 - share_of_t1(i + 1, n));
    bars.t1[l] += b * share_of_t1(i + 1, n);
  } else {
    if (g.t[l] == g.t0[l]) bars.t0[l] += a;
    if (t_new == g.t1[l]) bars.t1[l] += b;
  }
}

/// pull_lane for a step with save points in it or at its end, not yet pulled, or with an end that
/// moves: their cotangents become seeds or reach the new state, as in pull_course. False,
/// and nothing done, for any other step.
template <class M, class F, class Y, class P, int W, bool Times>
REVODE_HD bool pull_special_lane(const M& m, const F& f, const double* save_ts,
                                 const lane_group<M, Y, P, W>& g,
                                 lane_bars<M, Y, P, W, Times>& bars, double t_new,
                                 const lane_save_bars<Y>& points, int l) {
  using T = scalar_t<Y>;
  using types = method_types<M, Y>;
  const double t = g.t[l], direction = g.direction[l];
  const bool starts = Times && t == g.t0[l];
  const bool moves = Times && (starts || t_new == g.t1[l] || g.equal_steps[l] > 0);
  index next = bars.next_save[l];
  const auto due = [&] {
    return next > points.first && (starts || direction * (save_ts[next - 1] - t) > 0);
  };
  if (!due() && !moves) return false;

  P p, p_bar;
  read_lane(g.p, l, p);
  carry<M, Y> from, reached;
  typename types::tape tape;
  typename types::state state_bar;
  read_lane(g.now, l, from);
  read_lane(bars.state, l, state_bar);
  read_lane(bars.p, l, p_bar);
  system<F, Y, P> sys(f, p);
  refresh(m, sys, t, from);
  attempt_in_lane(m, sys, tolerance{.estimate = false}, t, t_new, from, tape, reached);

  typename types::scratch scratch;
  [[maybe_unused]] typename types::seeds seeds;
  typename types::seeds* seeded = nullptr;
  [[maybe_unused]] bool extended = false;
  step_ends<T> ends;
  while (due()) {
    const double at = save_ts[--next];
    const Y y_bar = points.at(next);
    const bool inside = at != t_new && at != t;
    if (at == t_new) pull_value(m, y_bar, state_bar);
    if constexpr (has_dense_output_v<M>) {
      if (!inside && !Times) continue;
      if (!extended) extend(m, sys, t, t_new, tape, scratch);
      extended = true;
      if (inside && seeded == nullptr) (seeded = &seeds)->clear();
      const double slope = pull_dense(m, t, t_new, tape, scratch, (at - t) / (t_new - t), y_bar,
                                      inside ? seeded : nullptr, inside, ends);
      if constexpr (Times) points.time(next) = slope;
    }
  }
  const typename types::seeds* all_seeds = seeded;
  pull(m, sys, t, t_new, typename types::record{}, tape, scratch, all_seeds, state_bar, p_bar,
       moves ? &ends : nullptr);
  if constexpr (Times)
    if (moves) give_ends(g, bars.times, t_new, ends, l);
  bars.next_save[l] = next;
  write_lane(state_bar, bars.state, l);
  write_lane(p_bar, bars.p, l);
  return true;
}

/// A lane without a step: moving an end of its span would make one.
template <class F, class Y, class P, int W>
REVODE_HD void pull_no_step(const F& f, const P& p, double t0, const Y& y0, const Y& y_bar,
                            const lane_save_bars<Y>& points, lane_time_bars<W>& bars, int l) {
  system<F, Y, P> sys(f, p);
  Y slope;
  sys(t0, y0, slope);
  bars.t1[l] = static_cast<double>(dot(slope, y_bar));
  bars.t0[l] = -bars.t1[l];
  for (index k = points.first; k < points.end; ++k) {
    points.time(k) = static_cast<double>(dot(slope, points.at(k)));
    bars.t0[l] -= points.time(k);
  }
}

/// The cotangents of save points at t0 reach y0 directly.
template <class Y>
REVODE_HD void add_start_bars(const double* save_ts, double t0, const lane_save_bars<Y>& points,
                              Y& y_bar) {
  if (points.save_t0) add(points.bars.at(0), y_bar);
  for (index k = points.first; k < points.end && save_ts[k] == t0; ++k) add(points.at(k), y_bar);
}

}  // namespace revode
