// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_group.hpp>
#include <revode/batch/lane/lane_system.hpp>

namespace revode {

/// Cotangents of the ends of each lane's span.
template <int W>
struct lane_time_bars {
  double t0[W], t1[W];
  double steps[W];  // not pulled yet, where the steps are equal
};
struct no_time_bars {};

/// The reverse pass of a group: where each lane stands, and its cotangents; those of times if asked.
template <class M, class Y, class P, int W, bool Times = false>
struct alignas(64) lane_bars {
  using T = scalar_t<Y>;
  static constexpr int states = static_size_v<Y>;
  static constexpr int parameters = static_size_v<P>;

  T state[numbers_in<typename method_types<M, Y>::state, T>][W];
  T p[parameters > 0 ? parameters : 1][W];
  std::int64_t counts[W];  // 1: the lane's result is differentiated
  std::int64_t pulled[W];  // the last round pulled, for the sake of exceptions
  std::int64_t moved[W];   // 1: the lane made a step
  index next_save[W];      // save points from this on have been pulled
  [[no_unique_address]] std::conditional_t<Times, lane_time_bars<W>, no_time_bars> times;
};

/// The step of lane l from where it stands to t_new, again; none where it stands there. Doing it
/// twice does no harm.
template <class M, class F, class Y, class P, int W>
REVODE_HD void replay_lane(const M& m, const F& f, lane_group<M, Y, P, W>& g, double t_new, int l) {
  P p;
  read_lane(g.p, l, p);
  carry<M, Y> from, next;
  read_lane(g.now, l, from);
  typename method_types<M, Y>::tape tape;
  step_system<M, F, Y, P, W> sys(f, p);
  const double t = g.t[l];
  const bool steps = t_new != t;
  attempt_in_lane(m, sys, tolerance{.estimate = false}, t, t_new, from, tape, next);
  write_lane_if(steps, next, g.now, l);
  g.t[l] = t_new;
}

/// The cache of lane l, after its state has been put back.
template <class M, class F, class Y, class P, int W>
REVODE_HD void refresh_lane(const M& m, const F& f, lane_group<M, Y, P, W>& g, int l) {
  P p;
  read_lane(g.p, l, p);
  carry<M, Y> c;
  read_lane(g.now, l, c);
  system<F, Y, P> sys(f, p);
  refresh(m, sys, g.t[l], c);
  write_lane(c, g.now, l);
}

/// The transpose of the step from (g.t, g.now) to t_new of lane l; none where they are equal. The
/// stages are computed again; among several lanes the cache as well, which refresh_lane would take
/// through memory.
template <lane_vjp Kind, class M, class F, class Y, class P, int W, bool Times>
REVODE_HD void pull_lane(const M& m, const F& f, const lane_group<M, Y, P, W>& g,
                         lane_bars<M, Y, P, W, Times>& bars, double t_new, std::int64_t round,
                         int l) {
  const double t = g.t[l];
  const bool steps = t_new != t && bars.counts[l] != 0 && bars.pulled[l] != round;
  P p, p_bar;
  read_lane(g.p, l, p);
  carry<M, Y> from, next;
  read_lane(g.now, l, from);
  typename method_types<M, Y>::tape tape;
  typename method_types<M, Y>::state state_bar;
  lane_system<F, Y, P, Kind> sys(f, p);
  read_lane(bars.state, l, state_bar);
  read_lane(bars.p, l, p_bar);
  if constexpr (W > 1) refresh(m, sys, t, from);
  attempt_in_lane(m, sys, tolerance{.estimate = false}, t, t_new, from, tape, next);
  pull_in_lane(m, sys, t, t_new, tape, state_bar, p_bar);
  write_lane_if(steps, state_bar, bars.state, l);
  write_lane_if(steps, p_bar, bars.p, l);
  bars.pulled[l] = round;
}

/// body(l) for every lane, or body.all(); `Body` is a functor of this file or of lane_stages.hpp.
template <int W, class Body>
REVODE_HD void for_all_lanes(const Body& body) {
  if constexpr (requires { body.all(); })
    body.all();
  else
    for_each_lane<W>(body);
}

/// The same in a function of its own.
template <int W, class Body>
REVODE_HD void for_each_lane_apart(const Body& body) {
  flat_apart([&] { for_all_lanes<W>(body); });
}

/// body(l) of one lane, likewise: what hardly ever runs is compiled once.
template <class Body>
REVODE_HD void one_lane_apart(const Body& body, int l) {
  apart([&] { body(l); });
}

template <class M, class F, class Group>
struct replay_body {
  const M& m;
  const F& f;
  Group& g;
  const double* t_new;
  REVODE_HD void operator()(int l) const { replay_lane(m, f, g, t_new[l], l); }
};

template <class M, class F, class Group>
struct refresh_body {
  const M& m;
  const F& f;
  Group& g;
  REVODE_HD void operator()(int l) const { refresh_lane(m, f, g, l); }
};

}  // namespace revode
