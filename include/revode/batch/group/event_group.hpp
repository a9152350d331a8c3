// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_loop.hpp>
#include <revode/batch/lane_events/lane_cuts.hpp>

namespace revode {

/// The forward solve of one lane group with events: forward_group, and after every round the lanes in
/// which something happens, one by one. Trivially copyable; the pointers are the place's.
template <class M, class F, class Y, class P, int W, class Pack>
struct event_group {
  using forward_type = forward_group<M, F, Y, P, W, false, true>;
  using group_type = typename forward_type::group_type;
  using tapes_type = typename forward_type::tapes_type;
  using state_type = lane_event_state<Pack, W>;
  using cutter = lane_cutter<M, F, Y, P, W, Pack>;

  forward_type forward;
  lane_event_inputs<Pack> events;
  lane_occurrences occurred;

  REVODE_HD void operator()(index) const {
    group_type g{};
    tapes_type tapes{};
    state_type ev{};
    for (int l = 0; l < W; ++l) ev.list[l] = events.lists;
    forward.run(
        g, [&](int l, index lane) { start(g, ev, l, lane); },
        [&](const index* lane) { return round(g, tapes, ev, lane); });
  }

  REVODE_HD cutter cut(group_type& g, state_type& ev, int l, index lane) const {
    return {forward.m, forward.f, forward.rules, forward.in, forward.out, events, occurred, g,
            ev,        l,         lane};
  }

  REVODE_HD void start(group_type& g, state_type& ev, int l, index lane) const {
    forward.guarded(
        [&] {
          begin_lane<false, true>(forward.m, forward.f, forward.rules, forward.in, forward.out, g,
                                  l, lane);
          const std::int64_t how = cut(g, ev, l, lane).start();
          depart_lane<false>(forward.m, forward.f, forward.rules, g, l, how, ev.t1[l]);
        },
        [&] { g.ended[l] = code(status::user_error); });
  }

  /// One attempt of each lane, and what follows from it; how many have ended.
  REVODE_HD int round(group_type& g, tapes_type& tapes, state_type& ev, const index* lane) const {
    for_each_lane<W>([&](int l) __attribute__((always_inline)) {
      ev.tried[l] = g.h[l];
      ev.earlier[l] = g.previous[l];
      ev.hit[l] = 2;
    });
    int ended = 0;
    const bool settles = forward.attempt(g, tapes, ended);
    bool busy = true;
    forward.guarded([&] { busy = watch_lanes(forward.m, forward.f, g, tapes, ev, events.samples); },
                    [] {}, false);
    if (settles || busy) ended += apart([&] { return finish_lanes(g, tapes, ev, lane); });
    return ended;
  }

  REVODE_HD int finish_lanes(group_type& g, const tapes_type& tapes, state_type& ev,
                             const index* lane) const {
    int count = 0;
    for (int l = 0; l < W; ++l) {
      if (g.ended[l] != running) continue;
      const bool accepted = g.error[l] <= 1;
      bool taken = true;
      std::int64_t how = running;
      forward.guarded(
          [&] {
            if (!accepted)
              how = verdict<false>(g, l, ev.t1[l]);
            else if (ev.hit[l] > 0 || g.t[l] == g.t1[l] || g.has_passed_save(l))
              how = finish_step(g, tapes, ev, l, lane[l], taken);
            else
              how = before_next_attempt(g, l);
          },
          [&] { how = code(status::user_error); });
      if (how == running) continue;
      end_lane(g, l, how);
      if (!taken) undo_step(g, tapes, l);
      ++count;
    }
    find_deadline(g);
    return count;
  }

  /// What stepper::accept does of lane l, and whether there can be a next attempt; `taken`: has the
  /// step become part of the solution?
  REVODE_HD std::int64_t finish_step(group_type& g, const tapes_type& tapes, state_type& ev, int l,
                                     index lane, bool& taken) const {
    taken = false;
    P p;
    read_lane(g.p, l, p);
    lane_piece<M, F, Y, P> step(forward.m, forward.f, p);
    step.read(g, tapes, l);
    auto what = take_search(ev, l);
    if constexpr (has_located<Y, P>(static_cast<const Pack*>(nullptr)))
      if (ev.hit[l] > 0 && !look(g, ev, l, step, what)) return code(status::event_not_resolved);
    const double inside = time_in_step(step.t, step.t_new, what.theta);
    const bool whole = what.theta < 0 || what.theta == 1;
    if (g.has_passed_save(l)) {
      const auto& in = forward.in;
      if (whole)
        save_lane(forward.m, forward.f, in, forward.out, g, tapes, l, lane);
      else
        save_inside(forward.m, forward.f, in, forward.out, g, tapes, l, lane, inside, false);
    }
    taken = true;
    if (what.theta >= 0 || g.t[l] == g.t1[l]) {
      const std::int64_t how = cut(g, ev, l, lane).reach(what, &step);
      if (how != running) return how;
      set_out_lane<false>(g, l, ev.t1[l]);
    }
    return before_next_attempt(g, l);
  }

  /// Looks for events in the step of lane l; false: not resolved.
  template <class Piece, class Search>
  REVODE_HD bool look(group_type& g, state_type& ev, int l, Piece& step, Search& what) const {
    step.extended();
    if (ev.hit[l] > 1) g.evaluations[l] += step.sys.counts.field_evaluations;
    const auto each = located_in<Y, P>(*ev.list[l]);
    const auto at = [&](double x, Y& y) { step.at(x, y); };
    const P& p = step.sys.p;
    Y y = step.y_new;
    using verdict = typename Search::verdict;
    const verdict v =
        what.look(each, step.t, step.t_new, g.direction[l], events.samples, at, step.y_new, p, y);
    const double t = time_in_step(step.t, step.t_new, what.theta);
    const bool resolved =
        v == verdict::none ||
        (v == verdict::found && what.occur(each, t, step.t_new - step.t, at, p, y));
    give_search(what, ev, l);
    return resolved;
  }

  /// The lane ends where its last step began; that is neither accepted nor rejected.
  REVODE_HD void undo_step(group_type& g, const tapes_type& tapes, int l) const {
    typename method_types<M, Y>::tape tape;
    read_lane(tapes.numbers, l, tape);
    write_lane(tape.y, g.now, l);
    g.t[l] = g.t_from[l];
    g.steps[l] -= 1;
    if (W > 1) g.evaluations[l] += g.evaluations_each;  // which were counted by attempts
    g.attempts[l] -= 1;
  }
};

}  // namespace revode
