// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_start.hpp>
#include <revode/batch/lane_events/lane_watch.hpp>

namespace revode {

// What solve_cuts does at the end of an accepted step, for one lane among others.

/// The lane a cut is made in.
template <class M, class F, class Y, class P, int W, class Pack>
struct lane_cutter {
  using T = scalar_t<Y>;
  using group_type = lane_group<M, Y, P, W>;
  using piece_type = lane_piece<M, F, Y, P>;
  static constexpr int count = lane_event_state<Pack, W>::count;
  using found_type = found_events<count>;

  const M& m;
  const F& f;
  const lane_rules& rules;
  const lane_inputs<T>& in;
  const lane_outputs<T>& out;
  const lane_event_inputs<Pack>& events;
  const lane_occurrences& occurred;
  group_type& g;
  lane_event_state<Pack, W>& ev;
  int l;
  index lane;

  REVODE_HD bool pending(double t) const {
    return ev.due[l] < events.known_end.at(0, lane) &&
           reaches(g.direction[l], t, events.known[ev.due[l]].end);
  }
  REVODE_HD void find_end() {
    const bool more = ev.due[l] < events.known_end.at(0, lane);
    g.t1[l] = more ? events.known[ev.due[l]].end : ev.t1[l];
  }

  /// stepper::start behind the call of `begin`: `running`, or how the lane has ended at t0.
  REVODE_HD std::int64_t start() {
    ev.list[l] = events.lists + events.step * lane;
    ev.due[l] = events.known_begin.at(0, lane);
    ev.t1[l] = g.t1[l];
    ev.t_event[l] = -infinite;
    ev.stuck[l] = 0;
    ev.hit[l] = ev.tried[l] = ev.earlier[l] = 0;
    for (int k = 0; k < count; ++k) {
      ev.side[k][l] = ev.near[k][l] = ev.residual[k][l] = 0;
      ev.last[k][l] = -infinite;
    }
    if (g.t[l] == g.t1[l]) return code(status::success);
    find_end();
    if (pending(g.t[l])) return cut(found_type{}, nullptr);
    return know_sides(found_type{}, false) ? running : code(status::event_not_resolved);
  }

  /// stepper::reach: at the end of a stretch.
  REVODE_HD std::int64_t reach(const found_type& what, piece_type* step) {
    const bool due = pending(g.t[l]);
    if (what.theta < 0 && !due && g.t[l] == ev.t1[l]) return code(status::success);
    restore_length();
    if (!(what.theta >= 0 && what.theta < 1) && due) {
      Y y;
      read_lane(g.now, l, y);
      const double until = events.known[ev.due[l]].t;
      for (; g.next_save[l] < in.save_end.at(0, lane) &&
             reaches(g.direction[l], until, in.save_ts[g.next_save[l]]);
           ++g.next_save[l])
        keep_point(g, l, out, lane, y);
    }
    const std::int64_t how = cut(what, step);
    find_next_save(g, l, in, lane);
    return how;
  }

  /// attempts::restore_length
  REVODE_HD void restore_length() {
    if (!cut_short(g.t_from[l], g.t[l], g.t1[l], ev.tried[l])) return;
    if (magnitude(ev.tried[l]) > magnitude(g.h[l])) g.h[l] = ev.tried[l];
    if constexpr (is_linearly_implicit_v<M>) {
      g.previous[l] = g.before[l];
      g.most[l] = 0;
    } else {
      g.previous[l] = g.before[l] = ev.earlier[l];
      g.most[l] = rules.controller.factor_max;
    }
  }

  /// Cuts behind the step just made, or at t0: the jumps, what they lead to, and how the lane ends.
  REVODE_HD std::int64_t cut(const found_type& what, piece_type* step) {
    const double end = g.t[l], theta = what.theta;
    const double at = theta < 0 || theta == 1 ? end : step->t + theta * (step->t_new - step->t);
    const index first = ev.due[l];
    double t = at;
    bool begins = theta >= 0;
    for (; pending(t); ++ev.due[l]) {
      const known_time& k = events.known[ev.due[l]];
      begins = begins || k.which >= 0 || k.after != k.t || k.end != k.t;
      if (g.direction[l] * (k.after - t) > 0) t = k.after;
    }
    bool terminal = false, moved = false;
    if (begins) terminal = jump(what, step, first, t, theta == 1 ? end : t, moved);
    g.t[l] = t;
    find_end();
    const bool still =
        theta >= 0 && magnitude(at - ev.t_event[l]) <= same_time(at, step->t_new - step->t);
    ev.stuck[l] = still ? ev.stuck[l] + 1 : 0;
    ev.t_event[l] = at;
    if (terminal) return code(status::terminal_event);
    if (t == ev.t1[l]) return code(status::success);
    const bool lost = ev.stuck[l] > most_stuck || (begins && !know_sides(what, moved));
    return lost ? code(status::event_not_resolved) : running;
  }

  /// visit(number, event, time) for what occurs in a cut: known times in their order, and before each
  /// the located events that the list has before it.
  template <class Visit>
  REVODE_HD void in_order(const found_type& what, index first, double located_at,
                          const Visit& visit) const {
    int done = 0;
    for (index due = first; due <= ev.due[l]; ++due) {
      const bool last = due == ev.due[l];
      const int before = last ? count : events.known[due].which;
      for_each_event(*ev.list[l], [&](auto number, const auto& e) {
        constexpr int k = decltype(number)::value;
        if (what.found[k] && k >= done && k < before) visit(number, e, located_at);
      });
      if (before > done) done = before;
      if (last || before < 0) continue;
      for_each_event(*ev.list[l], [&](auto number, const auto& e) {
        if (decltype(number)::value == before) visit(number, e, events.known[due].t);
      });
    }
  }

  /// The state behind the events of a cut, from which the method begins afresh at t; does one of them
  /// end the solve? moved: did a jump that may be for parameters alone change the state?
  REVODE_HD bool jump(const found_type& what, piece_type* step, index first, double t,
                      double located_at, bool& moved) {
    Y y;
    P p;
    read_lane(g.p, l, p);
    if (what.theta < 0) {
      read_lane(g.now, l, y);
    } else {
      const index before = step->sys.counts.field_evaluations;
      step->extended();
      g.evaluations[l] += step->sys.counts.field_evaluations - before;
      step->at(what.theta, y);
    }
    in_order(what, first, located_at, [&](auto, const auto& e, double time) {
      using E = std::remove_cvref_t<decltype(e)>;
      const Y y_before = y;
      if constexpr (jumps_parameters<E, Y, P>) {
        const P p_before = p;
        e.jump(static_cast<T>(time), y_before, p_before, y, p);
        moved = moved || !same_elements(y_before, y);
      } else if constexpr (jumps_state<E, Y, P>) {
        e.jump(static_cast<T>(time), y_before, p, y);
      }
    });
    system<F, Y, P> sys(f, p);
    carry<M, Y> c{};
    copy(y, c.state);
    begin(m, sys, t, y, c);
    write_lane(c, g.now, l);
    write_lane(p, g.p, l);
    g.evaluations[l] += sys.counts.field_evaluations;
    bool terminal = false;
    const index after = static_cast<index>(g.steps[l]) - 1;
    in_order(what, first, located_at, [&](auto number, const auto& e, double time) {
      occurred.put(lane, {time, decltype(number)::value, after});
      terminal = terminal || is_terminal_v<std::remove_cvref_t<decltype(e)>>;
    });
    return terminal;
  }

  /// event_search::view
  template <class E>
  REVODE_HD surface_view view(const E& e, const Y& y, const P& p, const Y& slope, double value,
                              double residual) const {
    const double t = g.t[l], rate = condition_slope(e, t, y, p, slope);
    const double beside = t + few_ulps<T> * t;
    Y moved = y;
    const double noise = rounding_of(
        [&](const Y& at) { return condition_in_lane(e, beside, at, p); }, value, y, moved);
    const double still = rounding_of([&](const Y& at) { return condition_slope(e, t, y, p, at); },
                                     rate, slope, moved);
    const double moving = time_resolution(t, t) * std::abs(rate);
    return {value, std::fmax(2 * residual, std::fmax(moving, noise)), g.direction[l] * rate, still};
  }

  /// event_search::start: on which side of its surface each event is; `what` was found just before.
  REVODE_HD bool know_sides(const found_type& what, bool moved) {
    bool known = true, sloped = false;
    const double t = g.t[l];
    Y y, slope{};
    P p;
    read_lane(g.now, l, y);
    read_lane(g.p, l, p);
    for_each_event(*ev.list[l], [&](auto number, const auto& e) {
      constexpr int k = decltype(number)::value;
      if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
        const double value = condition_in_lane(e, t, y, p), from = ev.side[k][l];
        double side = sign_of(value);
        known = known && value == value;
        ev.side[k][l] = side;
        const bool behind = at_rest(from) || what.found[k];
        if (value != 0 && !behind && (from == 0 || from == side)) return;
        if (!sloped) {
          system<F, Y, P> sys(f, p);
          sys(t, y, slope);
          g.evaluations[l] += sys.counts.field_evaluations;
          sloped = true;
        }
        const surface_view v = view(e, y, p, slope, value, ev.residual[k][l]);
        const bool wall = is_wall<Y, P>(e, moved || at_rest(from)) && leaves_side(e, from);
        known = find_side(v, from, wall, side) && known;
        ev.side[k][l] = side;
        ev.near[k][l] = v.near;
      }
    });
    return known;
  }
};

}  // namespace revode
