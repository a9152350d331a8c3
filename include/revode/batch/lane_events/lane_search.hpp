// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/ad/dual_sweep.hpp>
#include <revode/batch/lane/lane_group.hpp>
#include <revode/batch/lane_events/lane_events.hpp>
#include <revode/solve/events/event_search.hpp>

namespace revode {

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

/// A located event of a lane, with the numbers that event_search asks for.
template <class E>
struct lane_event {
  const E& event;
  template <class Y, class P>
  REVODE_HD double condition(double t, const Y& y, const P& p) const {
    return condition_in_lane(event, t, y, p);
  }
  template <class Y, class P>
  REVODE_HD double slope(double t, const Y& y, const P& p, const Y& along) const {
    return condition_slope(event, t, y, p, along);
  }
};
template <class Y, class P, class Pack>
REVODE_HD auto located_in(const Pack& pack) {
  return [&pack](const auto& visit) {
    for_each_event(pack, [&visit](auto number, const auto& e) {
      using E = std::remove_cvref_t<decltype(e)>;
      if constexpr (located_event<E, Y, P>) visit(decltype(number)::value, lane_event<E>{e});
    });
  };
}

/// What lane l remembers of its events, and back.
template <class Pack, int W>
REVODE_HD auto take_search(const lane_event_state<Pack, W>& ev, int l) {
  event_search<lane_event_state<Pack, W>::count> s;
  for (int k = 0; k < ev.count; ++k) {
    s.side[k] = ev.side[k][l], s.near[k] = ev.near[k][l];
    s.residual[k] = ev.residual[k][l], s.last[k] = ev.last[k][l];
  }
  return s;
}
template <class Pack, int W, class Search>
REVODE_HD void give_search(const Search& s, lane_event_state<Pack, W>& ev, int l) {
  for (int k = 0; k < ev.count; ++k) {
    ev.side[k][l] = s.side[k], ev.near[k][l] = s.near[k];
    ev.residual[k][l] = s.residual[k], ev.last[k][l] = s.last[k];
  }
}

}  // namespace revode
