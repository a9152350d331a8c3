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
  using search_type = event_search<count>;

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
    search_type search;
    give_search(search, ev, l);
    find_end();
    if (pending(g.t[l])) return cut(search, nullptr);
    if (g.t[l] == ev.t1[l]) return code(status::success);
    return know_sides(search, false) ? running : code(status::event_not_resolved);
  }

  /// stepper::reach: at the end of a stretch.
  REVODE_HD std::int64_t reach(search_type& what, piece_type* step) {
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
  REVODE_HD std::int64_t cut(search_type& what, piece_type* step) {
    const double at = step == nullptr ? g.t[l] : time_in_step(step->t, g.t[l], what.theta);
    const index first = ev.due[l];
    double t = at;
    const bool begins = pass_known_times(g.direction[l], events.known, events.known_end.at(0, lane),
                                         ev.due[l], t) ||
                        what.theta >= 0;
    bool terminal = false, moved = false;
    if (begins) terminal = jump(what, step, first, t, what.theta == 1 ? g.t[l] : t, moved);
    g.t[l] = t;
    find_end();
    const double h = step == nullptr ? 0.0 : step->t_new - step->t;
    const bool stuck = is_stuck(what.theta >= 0, at, h, ev.t_event[l], ev.stuck[l]);
    if (terminal) return code(status::terminal_event);
    if (t == ev.t1[l]) return code(status::success);
    const bool lost = stuck || (begins && !know_sides(what, moved));
    return lost ? code(status::event_not_resolved) : running;
  }

  /// visit(number, event, time) for what occurs in a cut, in its order.
  template <class Visit>
  REVODE_HD void in_order(const search_type& what, index first, double located_at,
                          const Visit& visit) const {
    in_order_of_cut(
        events.known, first, ev.due[l], count,
        [&](int from, int before) {
          for_each_event(*ev.list[l], [&](auto number, const auto& e) {
            constexpr int k = decltype(number)::value;
            if (what.found[k] && k >= from && k < before) visit(number, e, located_at);
          });
        },
        [&](index due) {
          for_each_event(*ev.list[l], [&](auto number, const auto& e) {
            if (decltype(number)::value == events.known[due].which)
              visit(number, e, events.known[due].t);
          });
        });
  }

  /// The state behind the events of a cut, from which the method begins afresh at t; does one of them
  /// end the solve? moved: did a jump that may be for parameters alone change the state?
  REVODE_HD bool jump(const search_type& what, piece_type* step, index first, double t,
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

  /// On which side of its surface each event is; `what` was found just before.
  REVODE_HD bool know_sides(search_type& what, bool moved) {
    Y y, slope{};
    P p;
    read_lane(g.now, l, y);
    read_lane(g.p, l, p);
    const double t = g.t[l];
    const bool known = what.start(located_in<Y, P>(*ev.list[l]), t, g.direction[l], y, p, moved,
                                  slope, [&](Y& out) {
                                    system<F, Y, P> sys(f, p);
                                    sys(t, y, out);
                                    g.evaluations[l] += sys.counts.field_evaluations;
                                  });
    give_search(what, ev, l);
    return known;
  }
};

}  // namespace revode
