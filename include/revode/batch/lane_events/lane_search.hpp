// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/dual_sweep.hpp>
#include <revode/batch/lane/lane_group.hpp>
#include <revode/batch/lane_events/lane_events.hpp>
#include <revode/solve/events/event_sides.hpp>

namespace revode {

// event_search for one lane, in its arithmetic.

/// What is known of the events in one step of a lane: which are found, at what θ.
template <int Count>
struct found_events {
  double theta = -1;  ///< −1: none
  bool found[Count] = {};
};

enum class lane_verdict { none, found, unresolved };

/// sign_of in loops over lanes.
REVODE_HD double lane_sign(double g) { return select(g > 0, 1.0, 0.0) - select(g < 0, 1.0, 0.0); }

/// Does an event on this side occur with this next one, or is it a body at rest?
template <class E>
REVODE_HD bool crosses(const E& e, double side, double next) {
  return (side != 0) & (next != side) & leaves_side(e, side);
}

template <class Y, class P, class E>
REVODE_HD double condition_in_lane(const E& e, double t, const Y& y, const P& p) {
  return static_cast<double>(e.condition(static_cast<scalar_t<Y>>(t), y, p));
}

/// d condition/dt along a solution of this slope.
template <class E, class Y, class P>
REVODE_HD double condition_slope(const E& e, double t, const Y& y, const P& p, const Y& along) {
  using T = scalar_t<Y>;
  using D = dual<T, 1>;
  field_arrays<Y, P, D> a;
  seed_direction(a, y, p, along, vec<T, 0>{});
  D at(static_cast<T>(t));
  at.d[0] = T(1);
  const D g = e.condition(at, a.y, a.p);
  return static_cast<double>(g.d[0]);
}

/// One step of a lane, whose dense output is asked for.
template <class M, class F, class Y, class P>
struct lane_piece {
  const M& m;
  system<F, Y, P> sys;
  double t, t_new;
  typename method_types<M, Y>::tape tape;
  typename method_types<M, Y>::scratch scratch;
  Y y_new;

  REVODE_HD lane_piece(const M& method, const F& f, const P& p) : m(method), sys(f, p) {}

  template <int W, class Tapes>
  REVODE_HD void read(const lane_group<M, Y, P, W>& g, const Tapes& tapes, int l) {
    t = g.t_from[l], t_new = g.t[l];
    read_lane(tapes.numbers, l, tape);
    read_lane(g.now, l, y_new);
  }
  REVODE_HD void extended() { extend(m, sys, t, t_new, tape, scratch); }
  template <class Theta>
  REVODE_HD void at(const Theta& theta, Y& y) const {
    interpolate(m, t, t_new, tape, scratch, theta, y);
  }
};

/// event_search::locate: the first root among those of the crossed conditions.
template <class Pack, class Piece, int Count, class Y, class P>
REVODE_HD lane_verdict locate(const Pack& pack, const Piece& step, const P& p, double from,
                              double to, const bool (&crossed)[Count], const double* side,
                              const double* value, found_events<Count>& what, Y& y) {
  const double t = step.t, h = step.t_new - step.t;
  const double apart = time_resolution(t, t + h) / std::abs(h);
  const double resolution = std::fmax(apart / 16, 0x1p-54);
  double root[Count] = {};
  bool known = true;
  what.theta = 2;
  for_each_event(pack, [&](auto number, const auto& e) {
    constexpr int k = decltype(number)::value;
    if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
      if (!crossed[k]) return;
      const auto g = [&](double theta) {
        step.at(theta, y);
        return side[k] * condition_in_lane(e, t + theta * h, y, p);
      };
      root[k] = root_between(g, from, to, side[k] * value[k], resolution);
      known = known && root[k] == root[k];
      if (root[k] < what.theta) what.theta = root[k];
    }
  });
  if (!known) return lane_verdict::unresolved;
  for (int k = 0; k < Count; ++k) what.found[k] = crossed[k] && root[k] - what.theta <= apart;
  return lane_verdict::found;
}

/// event_search::occur for lane l, at time t.
template <class Pack, class Piece, int W, int Count, class P>
REVODE_HD bool occur_in_lane(lane_event_state<Pack, W>& ev, int l, double t, const Piece& step,
                             const P& p, const found_events<Count>& what) {
  auto y = step.y_new;
  using Y = decltype(y);
  step.at(what.theta, y);
  bool apart = true;
  for_each_event(*ev.list[l], [&](auto number, const auto& e) {
    constexpr int k = decltype(number)::value;
    if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
      if (!what.found[k]) return;
      apart = apart && std::abs(t - ev.last[k][l]) > same_time(t, step.t_new - step.t);
      ev.last[k][l] = t;
      ev.residual[k][l] = std::abs(condition_in_lane(e, t, y, p));
    }
  });
  return apart;
}

/// event_search::look for lane l.
template <class Pack, class Piece, int W, int Count, class P>
REVODE_HD lane_verdict look_at_lane(lane_event_state<Pack, W>& ev, int l, const Piece& step,
                                    const P& p, int samples, found_events<Count>& what) {
  const Pack& pack = *ev.list[l];
  auto y = step.y_new;
  using Y = decltype(y);
  double side[Count], from = 0;
  for (int k = 0; k < Count; ++k) side[k] = ev.side[k][l];
  for (int j = 1; j <= samples; ++j) {
    const double to = j == samples ? 1.0 : static_cast<double>(j) / samples;
    y = step.y_new;
    if (j < samples) step.at(to, y);
    bool crossed[Count] = {}, any = false, known = true;
    double next[Count] = {}, value[Count] = {};
    for_each_event(pack, [&](auto number, const auto& e) {
      constexpr int k = decltype(number)::value;
      if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
        value[k] = condition_in_lane(e, step.t + to * (step.t_new - step.t), y, p);
        known = next_side(value[k], ev.near[k][l], side[k], next[k]) && known;
        known = known && value[k] == value[k];
        crossed[k] = !at_rest(side[k]) && crosses(e, side[k], next[k]);
        any = any || crossed[k];
      }
    });
    if (!known) return lane_verdict::unresolved;
    for (int k = 0; k < Count; ++k) ev.side[k][l] = side[k];
    if (any) return locate(pack, step, p, from, to, crossed, side, value, what, y);
    for (int k = 0; k < Count; ++k) ev.side[k][l] = side[k] = next[k] != 0 ? next[k] : side[k];
    from = to;
  }
  return lane_verdict::none;
}

}  // namespace revode
