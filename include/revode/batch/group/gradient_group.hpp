// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_stages.hpp>
#include <revode/batch/lane_pull/lane_cotangents.hpp>
#include <revode/schedule/binomial_numbers.hpp>

namespace revode {

/// Forward and reverse pass of one lane group after another. All lanes of a group go through the same
/// rounds (see lane_memory_plan) by one schedule; in a round without a step of its own, a lane is
/// left alone. Which rounds are repeated never changes a bit.
template <class M, class F, class Y, class P, int W, bool Fixed, bool Saves, class Loss,
          bool Times = false>
struct gradient_group {
  using T = scalar_t<Y>;
  using forward_type = forward_group<M, F, Y, P, W, Fixed, Saves>;
  using group_type = typename forward_type::group_type;
  using bars_type = lane_bars<M, Y, P, W, Times>;
  using lanes_type = lane_cotangents<M, F, Y, P, W, Fixed, Saves, Times>;
  static constexpr bool may_be_alone =
      W == 1 || derivatives<F, Y, P>::vjp_source != derivative_source::duals;

  /// No loop over lanes shares vectors: one copy of the code serves them all.
  static constexpr bool one_by_one =
      is_linearly_implicit_v<M> && static_size_v<Y> > most_written_out;

  forward_type forward;
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
      const lanes_type lanes{forward, out, {arena, worker}, g, bars, lane};
      start(g, bars, first, lane);
      const index rounds = sweep(lanes);
      if (rounds < 0) continue;
      lanes.seed(loss);
      const index replayed = reverse(lanes, rounds);
      lanes.finish(rounds, replayed);
    }
  }

 private:
  REVODE_HD void start(group_type& g, bars_type& bars, index first, index* lane) const {
    for (int l = 0; l < W; ++l) {
      lane[l] = first + l < forward.in.lanes ? forward.in.started(first + l) : -1;
      g.ended[l] = code(status::success);
      rest_lane(g, l);
      bars.pulled[l] = -1;
      if (lane[l] >= 0) forward.start(g, l, lane[l]);
    }
  }

  /// All lanes of the group to their ends; how many rounds that took, −1 when the log is too short.
  REVODE_HD index sweep(const lanes_type& s) const {
    typename forward_type::tapes_type tapes{};
    index round = 0;
    int at_rest = 0;
    for (int l = 0; l < W; ++l) at_rest += s.g.ended[l] != running;
    s.memory.remember(s.g, 0);
    while (at_rest < W) {
      if (!s.memory.follows(lane_memory_plan::controller) && round == arena.rounds) {
        *arena.overflow = 1;
        return -1;
      }
      at_rest += forward.attempt_round(s.g, tapes);
      if constexpr (Saves) forward.save(s.g, tapes, s.lane, at_rest);
      s.memory.remember(s.g, ++round);
    }
    for (int l = 0; l < W; ++l)
      if (s.lane[l] >= 0)
        retire_lane<Saves>(forward.m, forward.rules, s.g, l, forward.out, s.lane[l]);
    return round;
  }

  /// Pulls rounds − 1 … 0; how many rounds it repeated beyond those.
  REVODE_HD index reverse(const lanes_type& s, index rounds) const {
    const auto& memory = s.memory;
    index end = rounds, live = 1, replayed = 0;
    if (!memory.follows(lane_memory_plan::states)) memory.round_of(0) = 0;
    while (end > 0) {
      if (memory.follows(lane_memory_plan::states)) {
        load(s, end - 1, end - 1, false);
      } else {
        while (memory.round_of(live - 1) >= end) --live;
        index at = memory.round_of(live - 1);
        load(s, live - 1, at, at < end - 1);
        while (at < end - 1) {
          if (memory.round_of(live - 1) != at) {
            memory.round_of(live) = at;
            memory.store(s.g, live++);
          }
          const index to = at + split(end - at, arena.slots - live + 1);
          replayed += to - at;
          for (; at < to; ++at) advance(s, at);
        }
      }
      --end;
      pull_round(s, end);
    }
    return replayed;
  }

  /// The group before round `round`, from a slot; caches are computed again where a round repeated
  /// from here reads them.
  REVODE_HD void load(const lanes_type& s, index slot, index round, bool repeats) const {
    s.memory.template load<Fixed>(s.g, slot, round);
    if (W == 1 || repeats || s.memory.follows(lane_memory_plan::controller))
      each(s, refresh_body<M, F, group_type>{forward.m, forward.f, s.g});
  }

  /// Round `round` once more: by its attempt, or from the log.
  REVODE_HD void advance(const lanes_type& s, index round) const {
    if (s.memory.follows(lane_memory_plan::controller)) {
      no_tapes none;
      forward.attempt_round(s.g, none);
    } else {
      const double* t_new = s.memory.log(round + 1);
      each(s, replay_body<M, F, group_type>{forward.m, forward.f, s.g, t_new});
    }
  }

  REVODE_HD void pull_round(const lanes_type& s, index round) const {
    double t_new[W];
    if (s.memory.follows(lane_memory_plan::controller)) {
      repeat_attempts(s, round, t_new);
    } else {
      const double* log = s.memory.log(round + 1);
      for (int l = 0; l < W; ++l) t_new[l] = log[l];
    }
    if constexpr (Saves || Times) {
      for (int l = 0; l < W; ++l)
        if (s.bars.counts[l] != 0 && t_new[l] != s.g.t[l])
          s.guarded(l, [&] {
            if (pull_special_lane(forward.m, forward.f, forward.in.save_ts, s.g, s.bars, t_new[l],
                                  s.points_of(l), l))
              s.bars.pulled[l] = round;
          });
    }
    if constexpr (may_be_alone)
      pull_all<lane_vjp::as_alone>(s, t_new, round);
    else if (vjp == lane_vjp::recorded)
      pull_all<lane_vjp::recorded>(s, t_new, round);
    else
      pull_all<lane_vjp::directions>(s, t_new, round);
  }

  template <lane_vjp Kind>
  REVODE_HD void pull_all(const lanes_type& s, const double* t_new, index round) const {
    each(s, pull_body<Kind, M, F, group_type, bars_type>{forward.m, forward.f, s.g, s.bars, t_new,
                                                         round});
  }

  /// Where round `round` takes each lane, by its attempt; the lanes themselves stay where they are.
  REVODE_HD void repeat_attempts(const lanes_type& s, index round, double* t_new) const {
    constexpr int numbers = group_type::carry_numbers;
    auto& g = s.g;
    T now[numbers][W];
    double t[W];
    for (int l = 0; l < W; ++l) {
      t[l] = g.t[l];
      for (int i = 0; i < numbers; ++i) now[i][l] = g.now[i][l];
    }
    advance(s, round);
    for (int l = 0; l < W; ++l) {
      t_new[l] = g.t[l];
      g.t[l] = t[l];
      for (int i = 0; i < numbers; ++i) g.now[i][l] = now[i][l];
    }
  }

  /// body(l) for all lanes; when it throws, once more for each, which does no harm to those that had
  /// their turn.
  template <class Body>
  REVODE_HD void each(const lanes_type& s, const Body& body) const {
    forward.guarded(
        [&] {
          if constexpr (one_by_one)
            for (int l = 0; l < W; ++l) one_lane_apart(body, l);
          else
            for_each_lane_apart<W>(body);
        },
        [&] {
          for (int l = 0; l < W; ++l) s.guarded(l, [&] { one_lane_apart(body, l); });
        },
        false);
  }
};

}  // namespace revode
