// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_end.hpp>
#include <revode/solve/stepping/first_step.hpp>

namespace revode {

/// Number of equal steps of length H from t0 to t1: fixed_step_count for lanes.
REVODE_HD double equal_step_count(double t0, double t1, double h) {
  using std::ceil;
  const double n = ceil(magnitude(t1 - t0) / h - 1e-9);
  return n < 1 && t0 != t1 ? 1.0 : n;
}

/// Writes save point number g.saved[l] of a lane.
template <class M, class Y, class P, int W, class State>
REVODE_HD void keep_point(lane_group<M, Y, P, W>& g, int l, const lane_outputs<scalar_t<Y>>& out,
                          index lane, const State& y) {
  const index first = g.saved[l]++ * length(y);
  for (int i = 0; i < length(y); ++i) out.ys[(first + i) * out.stride + lane] = y.data()[i];
}

/// The next listed save point of a lane, in g.next_time.
template <class M, class Y, class P, int W>
REVODE_HD void find_next_save(lane_group<M, Y, P, W>& g, int l, const lane_inputs<scalar_t<Y>>& in,
                              index lane) {
  const bool more = g.next_save[l] < in.save_end.at(0, lane);
  g.next_time[l] = more ? in.save_ts[g.next_save[l]] : g.direction[l] * infinite;
}

/// The listed save points at time t, where a lane has state y, and the next behind it.
template <class M, class Y, class P, int W>
REVODE_HD void keep_points_at(lane_group<M, Y, P, W>& g, int l, const lane_inputs<scalar_t<Y>>& in,
                              const lane_outputs<scalar_t<Y>>& out, index lane, double t,
                              const Y& y) {
  const index end = in.save_end.at(0, lane);
  for (; g.next_save[l] < end && in.save_ts[g.next_save[l]] == t; ++g.next_save[l])
    keep_point(g, l, out, lane, y);
  find_next_save(g, l, in, lane);
}

/// The first step (signed) of a lane at y0.
template <class M, class System, class Y, class P, int W>
REVODE_HD double start_step(System& sys, const lane_rules& rules, const lane_group<M, Y, P, W>& g,
                            int l, double t1, const Y& y0) {
  if (rules.first_step != 0) return rules.first_step;
  const tolerance tol{g.rtol[l], g.atol[l]};
  return first_step(sys, g.t[l], t1, y0, tol, lane_order<M>);
}

/// Lane l of the group takes up problem `lane`: its times, tolerances and counts.
template <bool Fixed, class M, class Y, class P, int W>
REVODE_HD void take_problem(const lane_rules& rules, const lane_inputs<scalar_t<Y>>& in,
                            lane_group<M, Y, P, W>& g, int l, index lane) {
  const double t0 = in.t0.at(0, lane), t1 = in.t1.at(0, lane);
  g.t0[l] = g.t[l] = t0;
  g.t1[l] = t1;
  g.direction[l] = t1 < t0 ? -1 : 1;
  g.max_step = rules.max_step > 0 ? rules.max_step : infinite;
  g.rtol[l] = in.rtol.at(0, lane);
  g.atol[l] = in.atol.at(0, lane);
  g.previous[l] = g.before[l] = is_linearly_implicit_v<M> ? 1 : 0;
  g.most[l] = is_linearly_implicit_v<M> ? 0 : rules.controller.factor_max;
  g.h[l] = 0;
  g.started[l] = g.attempted[l] = g.clock;
  g.attempts[l] = g.evaluations[l] = g.saved[l] = 0;
  g.attempts_allowed[l] = in.max_steps.at(0, lane);
  g.steps[l] = 0;
  g.equal_steps[l] = Fixed ? equal_step_count(t0, t1, rules.fixed_step) : 0;
  g.ended[l] = code(status::user_error);  // until f has been called without an exception
  rest_lane(g, l);
}

/// stepper::start of problem `lane` up to the first step. What the field throws passes through, with a
/// lane that stands at t0.
template <bool Fixed, bool Saves, class M, class F, class Y, class P, int W>
REVODE_HD void begin_lane(const M& m, const F& f, const lane_rules& rules,
                          const lane_inputs<scalar_t<Y>>& in, const lane_outputs<scalar_t<Y>>& out,
                          lane_group<M, Y, P, W>& g, int l, index lane) {
  using T = scalar_t<Y>;
  Y y0;
  P p;
  for_each_number(y0, 0, [&](int i, T& x) { x = in.y0.at(i, lane); });
  for_each_number(p, 0, [&](int i, T& x) { g.p[i][l] = x = in.p.at(i, lane); });
  take_problem<Fixed>(rules, in, g, l, lane);
  carry<M, Y> c{};
  copy(y0, c.state);
  write_lane(c, g.now, l);
  if constexpr (Saves) {
    g.next_save[l] = in.save_begin.at(0, lane);
    if (rules.save_t0) keep_point(g, l, out, lane, y0);
  }

  system<F, Y, P> sys(f, p);
  begin(m, sys, g.t0[l], y0, c);
  write_lane(c, g.now, l);
  if constexpr (Saves) keep_points_at(g, l, in, out, lane, g.t0[l], value(m, c.state));
  g.evaluations[l] = sys.counts.field_evaluations;
}

/// What follows: the first step, towards t1, unless the lane has ended.
template <bool Fixed, class M, class F, class Y, class P, int W>
REVODE_HD void depart_lane(const M& m, const F& f, const lane_rules& rules,
                           lane_group<M, Y, P, W>& g, int l, std::int64_t ended, double t1) {
  if (ended == running && !Fixed) {
    typename method_types<M, Y>::state state;
    P p;
    read_lane(g.now, l, state);
    read_lane(g.p, l, p);
    system<F, Y, P> sys(f, p);
    const double h = start_step(sys, rules, g, l, t1, value(m, state));
    if (h != h) ended = code(status::non_finite_field);
    g.h[l] = bounded_step(rules, h);
    g.evaluations[l] += sys.counts.field_evaluations;
  }
  if (ended == running) {
    set_out_lane<Fixed>(g, l, t1);
    ended = before_next_attempt(g, l);
    if (Fixed && ended == code(status::step_underflow)) ended = running;
  }
  g.ended[l] = ended;
  if (ended != running) return rest_lane(g, l);
  heed_deadline(g, l);
}

/// Both.
template <bool Fixed, bool Saves, class M, class F, class Y, class P, int W>
REVODE_HD void start_lane(const M& m, const F& f, const lane_rules& rules,
                          const lane_inputs<scalar_t<Y>>& in, const lane_outputs<scalar_t<Y>>& out,
                          lane_group<M, Y, P, W>& g, int l, index lane) {
  begin_lane<Fixed, Saves>(m, f, rules, in, out, g, l, lane);
  const bool somewhere = g.t0[l] != g.t1[l];
  depart_lane<Fixed>(m, f, rules, g, l, somewhere ? running : code(status::success), g.t1[l]);
}

/// The save points inside the step that lane l has just made, from its dense output: those before its
/// end or, where only a part of the step is whole, up to and with `until`.
template <class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD void save_inside(const M& m, const F& f, const lane_inputs<scalar_t<Y>>& in,
                           const lane_outputs<scalar_t<Y>>& out, lane_group<M, Y, P, W>& g,
                           const Tapes& tapes, int l, index lane, double until, bool whole) {
  const double t = g.t_from[l], t_new = g.t[l], direction = g.direction[l];
  const index end = in.save_end.at(0, lane);
  const auto before = [&](double at) { return lies_inside(direction, until, at, whole); };
  if constexpr (has_dense_output_v<M>) {
    if (before(g.next_time[l])) {
      P p;
      read_lane(g.p, l, p);
      system<F, Y, P> sys(f, p);
      typename method_types<M, Y>::tape tape;
      typename method_types<M, Y>::scratch scratch;
      read_lane(tapes.numbers, l, tape);
      extend(m, sys, t, t_new, tape, scratch);
      g.evaluations[l] += sys.counts.field_evaluations;
      for (; g.next_save[l] < end; ++g.next_save[l]) {
        const double at = in.save_ts[g.next_save[l]];
        if (!before(at)) break;
        Y y;
        interpolate(m, t, t_new, tape, scratch, (at - t) / (t_new - t), y);
        keep_point(g, l, out, lane, y);
      }
    }
  }
}

/// Those of the whole step: inside it, and at its end from the new state.
template <class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD void save_lane(const M& m, const F& f, const lane_inputs<scalar_t<Y>>& in,
                         const lane_outputs<scalar_t<Y>>& out, lane_group<M, Y, P, W>& g,
                         const Tapes& tapes, int l, index lane) {
  save_inside(m, f, in, out, g, tapes, l, lane, g.t[l], true);
  typename method_types<M, Y>::state state;
  read_lane(g.now, l, state);
  keep_points_at(g, l, in, out, lane, g.t[l], value(m, state));
}

/// What a lane that has ended leaves behind.
template <bool Saves, class M, class Y, class P, int W>
REVODE_HD void retire_lane(const M& m, const lane_rules& rules, lane_group<M, Y, P, W>& g, int l,
                           const lane_outputs<scalar_t<Y>>& out, index lane) {
  typename method_types<M, Y>::state state;
  read_lane(g.now, l, state);
  const Y& y = value(m, state);
  if constexpr (Saves)
    if (rules.save_t1 &&
        (g.ended[l] == code(status::success) || g.ended[l] == code(status::terminal_event)))
      keep_point(g, l, out, lane, y);
  for (int i = 0; i < length(y); ++i) out.y[i * out.stride + lane] = y.data()[i];
  out.t[lane] = g.t[l];
  out.ended[lane] = g.ended[l];
  out.attempts[lane] = g.attempts[l];
  out.accepted[lane] = static_cast<index>(g.steps[l]);
  out.evaluations[lane] = g.evaluations_of(l);
  if constexpr (Saves) out.saved[lane] = g.saved[l];
}

}  // namespace revode
