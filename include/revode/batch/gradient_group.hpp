// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane_arena.hpp>
#include <revode/batch/lane_loop.hpp>
#include <revode/batch/lane_loss.hpp>
#include <revode/batch/lane_pull.hpp>
#include <revode/batch/lane_saves_pull.hpp>
#include <revode/batch/lane_stages.hpp>
#include <revode/schedule/binomial_numbers.hpp>

namespace revode {

/// The gradients. Number i of lane l is at y0[i stride + l].
template <class T>
struct lane_gradients {
  index stride = 0;
  T* y0 = nullptr;
  T* p = nullptr;
  T* loss = nullptr;
  double *t0 = nullptr, *t1 = nullptr, *ts = nullptr;  ///< null: not asked for
  index* rounds = nullptr;                             ///< of the lane's group
  index* replayed = nullptr;  ///< rounds that its group repeated, without those pulled
};

/// Forward and reverse pass of one lane group after another. All lanes of a group go through the same
/// rounds (see lane_memory_plan) by one schedule; in a round without a step of its own, a lane is
/// left alone. Which rounds are repeated never changes a bit.
template <class M, class F, class Y, class P, int W, bool Fixed, bool Saves, class Loss,
          bool Times = false>
struct gradient_group {
  using T = scalar_t<Y>;
  using group_type = lane_group<M, Y, P, W>;
  using bars_type = lane_bars<M, Y, P, W, Times>;
  using tapes_type = std::conditional_t<Saves, lane_tapes<M, Y, W>, no_tapes>;
  static constexpr index state_rows = bars_type::states;
  static constexpr bool may_be_alone =
      W == 1 || derivatives<F, Y, P>::vjp_source != derivative_source::duals;

  /// No loop over lanes shares vectors: one copy of the code serves them all.
  static constexpr bool one_by_one =
      is_linearly_implicit_v<M> && static_size_v<Y> > most_written_out;

  forward_group<M, F, Y, P, W, Fixed, Saves> forward;
  Loss loss;
  lane_arena<T> arena;
  lane_gradients<T> out;
  lane_vjp vjp = lane_vjp::directions;

  REVODE_HD void operator()(index worker) const {
    for (;;) {
      const index first = forward.queue.pull(W);
      if (first >= forward.queue.end) return;
      group_type g{};
      bars_type bars{};
      index lane[W];
      start(g, bars, first, lane);
      const index rounds = sweep(g, lane, worker);
      if (rounds < 0) continue;
      seed(g, bars, lane, worker);
      const index replayed = reverse(g, bars, lane, worker, rounds);
      finish(g, bars, lane, worker, rounds, replayed);
    }
  }

 private:
  REVODE_HD void start(group_type& g, bars_type& bars, index first, index* lane) const {
    const auto& in = forward.in;
    for (int l = 0; l < W; ++l) {
      const index k = first + l;
      lane[l] = k >= in.lanes ? -1 : in.order == nullptr ? k : in.order[k];
      g.ended[l] = code(status::success);
      rest_lane(g, l);
      bars.pulled[l] = -1;
      if (lane[l] >= 0) forward.start(g, l, lane[l]);
    }
  }

  // --- memory ---------------------------------------------------------------------------------

  REVODE_HD T* state_row(index worker, index slot, index i) const {
    return arena.row(arena.states, arena.slots * state_rows, worker, slot * state_rows + i);
  }
  REVODE_HD double* log_row(index worker, index round) const {
    return arena.row(arena.log, arena.rounds + 1, worker, round);
  }
  REVODE_HD double* control_row(index worker, index slot, index i) const {
    return arena.row(arena.control, arena.slots * lane_control_rows, worker,
                     slot * lane_control_rows + i);
  }
  REVODE_HD index& stack(index worker, index depth) const {
    return arena.interleaved() ? arena.stack[depth * arena.workers + worker]
                               : arena.stack[worker * arena.slots + depth];
  }

  REVODE_HD void store(const group_type& g, index worker, index slot) const {
    for (index i = 0; i < state_rows; ++i) {
      T* to = state_row(worker, slot, i);
      for (int l = 0; l < W; ++l) to[l] = g.now[i][l];
    }
    if (arena.plan != lane_memory_plan::controller) return;
    double* rows[lane_control_rows];
    for (index i = 0; i < lane_control_rows; ++i) rows[i] = control_row(worker, slot, i);
    for (int l = 0; l < W; ++l) {
      rows[0][l] = g.t[l];
      rows[1][l] = g.h[l];
      rows[2][l] = g.previous[l];
      rows[3][l] = g.before[l];
      rows[4][l] = g.most[l];
      rows[5][l] = g.steps[l];
      rows[6][l] = static_cast<double>(g.ended[l]);
    }
  }

  /// The group before round `round`, from a slot; caches are computed again where a round repeated
  /// from here reads them.
  REVODE_HD void load(group_type& g, bars_type& bars, const index* lane, index worker, index slot,
                      index round, bool repeats) const {
    for (index i = 0; i < state_rows; ++i) {
      const T* from = state_row(worker, slot, i);
      for (int l = 0; l < W; ++l) g.now[i][l] = from[l];
    }
    if (arena.plan == lane_memory_plan::controller) {
      const double* rows[lane_control_rows];
      for (index i = 0; i < lane_control_rows; ++i) rows[i] = control_row(worker, slot, i);
      for (int l = 0; l < W; ++l) {
        g.t[l] = rows[0][l];
        g.h[l] = rows[1][l];
        g.previous[l] = rows[2][l];
        g.before[l] = rows[3][l];
        g.most[l] = rows[4][l];
        g.steps[l] = rows[5][l];
        g.ended[l] = static_cast<std::int64_t>(rows[6][l]);
        g.attempted[l] = round;
        if constexpr (W == 1) g.attempts[l] = round;
        if (g.ended[l] == running)
          set_out_lane<Fixed>(g, l);
        else
          rest_lane(g, l);
      }
      g.clock = round;
      find_deadline(g);
    } else {
      const double* t = log_row(worker, round);
      for (int l = 0; l < W; ++l) g.t[l] = t[l];
    }
    if (W == 1 || repeats || arena.plan == lane_memory_plan::controller)
      each(bars, lane, refresh_body<M, F, group_type>{forward.m, forward.f, g});
  }

  // --- the first sweep ------------------------------------------------------------------------

  /// All lanes of the group to their ends; how many rounds that took, −1 when the log is too short.
  REVODE_HD index sweep(group_type& g, index* lane, index worker) const {
    tapes_type tapes{};
    index round = 0;
    int at_rest = 0;
    for (int l = 0; l < W; ++l) at_rest += g.ended[l] != running;
    remember(g, worker, 0);
    while (at_rest < W) {
      if (arena.plan != lane_memory_plan::controller && round == arena.rounds) {
        *arena.overflow = 1;
        return -1;
      }
      at_rest += forward.attempt_round(g, tapes);
      if constexpr (Saves) forward.save(g, tapes, lane, at_rest);
      remember(g, worker, ++round);
    }
    for (int l = 0; l < W; ++l)
      if (lane[l] >= 0) retire_lane<Saves>(forward.m, forward.rules, g, l, forward.out, lane[l]);
    return round;
  }

  REVODE_HD void remember(const group_type& g, index worker, index round) const {
    if (arena.plan != lane_memory_plan::controller) {
      double* t = log_row(worker, round);
      for (int l = 0; l < W; ++l) t[l] = g.t[l];
    }
    if (round == 0 || (arena.plan == lane_memory_plan::states && round < arena.slots))
      store(g, worker, round);
  }

  // --- cotangents -----------------------------------------------------------------------------

  REVODE_HD void seed(const group_type& g, bars_type& bars, const index* lane, index worker) const {
    for (int l = 0; l < W; ++l) {
      if (lane[l] < 0) continue;
      const index save_rows = Saves ? g.saved[l] * state_rows : 0;
      T* save_bars = save_bar(worker, l);
      const index stride = point_stride();
      for (index i = 0; i < save_rows; ++i) save_bars[i * stride] = T(0);
      out.loss[lane[l]] = T(0);
      bars.counts[l] = g.ended[l] == code(status::success);
      bars.moved[l] = g.steps[l] > 0;
      if constexpr (Times) {
        bars.times.t0[l] = bars.times.t1[l] = 0;
        bars.times.steps[l] = g.steps[l];
      }
      if (bars.counts[l] == 0) continue;
      guarded_lane(bars, l, lane[l], [&] { seed_lane(g, bars, lane[l], l, save_bars); });
    }
  }

  /// The loss of a lane, and its cotangents.
  REVODE_HD void seed_lane(const group_type& g, bars_type& bars, index lane, int l,
                           T* save_bars) const {
    typename method_types<M, Y>::state state, state_bar;
    for_each_number(state, 0, [&](int i, T& x) { x = g.now[i][l]; });
    const lane_points<Y> ys{forward.out.ys + lane, forward.out.stride, Saves ? g.saved[l] : 0};
    lane_point_bars<Y> ys_bar{save_bars, point_stride()};
    Y y_bar{};
    out.loss[lane] = evaluate_loss(loss, lane, value(forward.m, state), ys, y_bar, ys_bar);
    fill(state_bar, T(0));
    pull_value(forward.m, y_bar, state_bar);
    if (Saves && forward.rules.save_t1)
      pull_value(forward.m, point_bar<Y>(save_bars, point_stride(), g.saved[l] - 1), state_bar);
    for_each_number(state_bar, 0, [&](int i, T& x) { bars.state[i][l] = x; });
    bars.next_save[l] = forward.in.save_end.at(0, lane);
  }

  REVODE_HD index point_stride() const { return arena.interleaved() ? arena.workers : W; }
  REVODE_HD T* save_bar(index worker, int l) const {
    return arena.row(arena.save_bars, arena.save_rows, worker, 0) + l;
  }
  REVODE_HD lane_save_bars<T> points_of(index worker, int l, index lane) const {
    const auto& in = forward.in;
    return {in.save_begin.at(0, lane),
            in.save_end.at(0, lane),
            forward.rules.save_t0,
            save_bar(worker, l),
            point_stride(),
            out.ts + lane,
            out.stride};
  }

  // --- the reverse pass -----------------------------------------------------------------------

  /// Pulls rounds − 1 … 0; how many rounds it repeated beyond those.
  REVODE_HD index reverse(group_type& g, bars_type& bars, const index* lane, index worker,
                          index rounds) const {
    index end = rounds, live = 1, replayed = 0;
    if (arena.plan != lane_memory_plan::states) stack(worker, 0) = 0;
    while (end > 0) {
      if (arena.plan == lane_memory_plan::states) {
        load(g, bars, lane, worker, end - 1, end - 1, false);
      } else {
        while (stack(worker, live - 1) >= end) --live;
        index at = stack(worker, live - 1);
        load(g, bars, lane, worker, live - 1, at, at < end - 1);
        while (at < end - 1) {
          if (stack(worker, live - 1) != at) {
            stack(worker, live) = at;
            store(g, worker, live++);
          }
          const index to = at + split(end - at, arena.slots - live + 1);
          replayed += to - at;
          for (; at < to; ++at) advance(g, bars, lane, worker, at);
        }
      }
      --end;
      pull_round(g, bars, lane, worker, end);
    }
    return replayed;
  }

  REVODE_HD void advance(group_type& g, bars_type& bars, const index* lane, index worker,
                         index round) const {
    if (arena.plan == lane_memory_plan::controller) {
      no_tapes none;
      forward.attempt_round(g, none);
    } else {
      each(bars, lane,
           replay_body<M, F, group_type>{forward.m, forward.f, g, log_row(worker, round + 1)});
    }
  }

  REVODE_HD void pull_round(group_type& g, bars_type& bars, const index* lane, index worker,
                            index round) const {
    double t_new[W];
    if (arena.plan == lane_memory_plan::controller) {
      repeat_attempts(g, bars, lane, worker, round, t_new);
    } else {
      const double* log = log_row(worker, round + 1);
      for (int l = 0; l < W; ++l) t_new[l] = log[l];
    }
    if constexpr (Saves || Times) {
      for (int l = 0; l < W; ++l)
        if (bars.counts[l] != 0 && t_new[l] != g.t[l])
          guarded_lane(bars, l, lane[l], [&] {
            if (pull_special_lane(forward.m, forward.f, forward.in.save_ts, g, bars, t_new[l],
                                  points_of(worker, l, lane[l]), l))
              bars.pulled[l] = round;
          });
    }
    if constexpr (may_be_alone) {
      pull_all<lane_vjp::as_alone>(g, bars, lane, t_new, round);
    } else {
      if (vjp == lane_vjp::recorded)
        pull_all<lane_vjp::recorded>(g, bars, lane, t_new, round);
      else
        pull_all<lane_vjp::directions>(g, bars, lane, t_new, round);
    }
  }

  template <lane_vjp Kind>
  REVODE_HD void pull_all(group_type& g, bars_type& bars, const index* lane, const double* t_new,
                          index round) const {
    each(bars, lane,
         pull_body<Kind, M, F, group_type, bars_type>{forward.m, forward.f, g, bars, t_new, round});
  }

  /// Where round `round` takes each lane, by its attempt; the lanes themselves stay where they are.
  REVODE_HD void repeat_attempts(group_type& g, bars_type& bars, const index* lane, index worker,
                                 index round, double* t_new) const {
    T now[group_type::carry_numbers][W];
    double t[W];
    for (int l = 0; l < W; ++l) {
      t[l] = g.t[l];
      for (int i = 0; i < group_type::carry_numbers; ++i) now[i][l] = g.now[i][l];
    }
    advance(g, bars, lane, worker, round);
    for (int l = 0; l < W; ++l) {
      t_new[l] = g.t[l];
      g.t[l] = t[l];
      for (int i = 0; i < group_type::carry_numbers; ++i) g.now[i][l] = now[i][l];
    }
  }

  /// body(l) for all lanes; when it throws, once more for each, which does no harm to those that had
  /// their turn.
  template <class Body>
  REVODE_HD void each(bars_type& bars, const index* lane, const Body& body) const {
    const auto all = [&] {
      if constexpr (one_by_one)
        for (int l = 0; l < W; ++l) one_lane_apart(body, l);
      else
        for_each_lane_apart<W>(body);
    };
    forward.guarded(
        all,
        [&] {
          for (int l = 0; l < W; ++l)
            guarded_lane(bars, l, lane[l], [&] { one_lane_apart(body, l); });
        },
        false);
  }

  /// body(), and a lane whose field or loss throws there has no gradient.
  template <class Body>
  REVODE_HD void guarded_lane(bars_type& bars, int l, index lane, Body&& body) const {
    forward.guarded(
        body,
        [&] {
          if (lane >= 0) forward.out.ended[lane] = code(status::user_error);
          bars.counts[l] = 0;
        },
        lane >= 0 && bars.counts[l] != 0);
  }

  REVODE_HD void finish(const group_type& g, bars_type& bars, const index* lane, index worker,
                        index rounds, index replayed) const {
    for (int l = 0; l < W; ++l) {
      if (lane[l] < 0) continue;
      Y y_bar;
      for (int i = 0; i < length(y_bar); ++i)
        y_bar.data()[i] = bars.moved[l] != 0 ? T(0) + bars.state[i][l] : bars.state[i][l];
      if constexpr (Times) finish_times(g, bars, y_bar, lane[l], l, worker);
      const bool counts = bars.counts[l] != 0;
      if constexpr (Saves)
        if (counts)
          add_start_bars(forward.in.save_ts, g.t0[l], points_of(worker, l, lane[l]), y_bar);
      for (int i = 0; i < length(y_bar); ++i)
        out.y0[i * out.stride + lane[l]] = counts ? y_bar.data()[i] : T(0);
      for (int i = 0; i < static_size_v<P>; ++i)
        out.p[i * out.stride + lane[l]] = counts ? bars.p[i][l] : T(0);
      out.rounds[lane[l]] = rounds;
      out.replayed[lane[l]] = replayed;
    }
  }

  REVODE_HD void finish_times(const group_type& g, bars_type& bars, const Y& y_bar, index lane,
                              int l, index worker) const {
    if (bars.counts[l] != 0 && bars.moved[l] == 0)
      guarded_lane(bars, l, lane, [&] {
        Y y0;
        P p;
        for_each_number(y0, 0, [&](int i, T& x) { x = forward.in.y0.at(i, lane); });
        g.read_parameters(l, p);
        pull_no_step(forward.f, p, g.t0[l], y0, y_bar, points_of(worker, l, lane), bars.times, l);
      });
    out.t0[lane] = bars.counts[l] != 0 ? bars.times.t0[l] : 0.0;
    out.t1[lane] = bars.counts[l] != 0 ? bars.times.t1[l] : 0.0;
  }
};

}  // namespace revode
