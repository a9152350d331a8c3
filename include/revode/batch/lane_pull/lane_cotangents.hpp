// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/group/group_memory.hpp>
#include <revode/batch/lane/lane_loop.hpp>
#include <revode/batch/lane_pull/lane_loss.hpp>
#include <revode/batch/lane_pull/lane_saves_pull.hpp>

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

/// A lane group in its reverse pass: the cotangents of its lanes, from their losses to their gradients.
template <class M, class F, class Y, class P, int W, bool Fixed, bool Saves, bool Times>
struct lane_cotangents {
  using T = scalar_t<Y>;

  const forward_group<M, F, Y, P, W, Fixed, Saves>& forward;
  const lane_gradients<T>& out;
  group_memory<M, Y, P, W> memory;
  lane_group<M, Y, P, W>& g;
  lane_bars<M, Y, P, W, Times>& bars;
  const index* lane;  ///< lane l is problem lane[l]; −1: none

  /// body(), and a lane whose field or loss throws there has no gradient.
  template <class Body>
  REVODE_HD void guarded(int l, Body&& body) const {
    forward.guarded(
        body,
        [&] {
          if (lane[l] >= 0) forward.out.ended[lane[l]] = code(status::user_error);
          bars.counts[l] = 0;
        },
        lane[l] >= 0 && bars.counts[l] != 0);
  }

  REVODE_HD lane_save_bars<Y> points_of(int l) const {
    const auto& in = forward.in;
    return {in.save_begin.at(0, lane[l]),
            in.save_end.at(0, lane[l]),
            forward.rules.save_t0,
            {memory.save_bars(l), memory.point_stride(), Saves ? g.saved[l] : 0},
            out.ts + lane[l],
            out.stride};
  }

  /// The losses of all lanes, and what they make of the cotangents.
  template <class Loss>
  REVODE_HD void seed(const Loss& loss) const {
    for (int l = 0; l < W; ++l) {
      if (lane[l] < 0) continue;
      out.loss[lane[l]] = T(0);
      bars.counts[l] = g.ended[l] == code(status::success);
      bars.moved[l] = g.steps[l] > 0;
      if constexpr (Times) {
        bars.times.t0[l] = bars.times.t1[l] = 0;
        bars.times.steps[l] = g.steps[l];
      }
      if (bars.counts[l] != 0) guarded(l, [&] { seed_lane(loss, l); });
    }
  }

  template <class Loss>
  REVODE_HD void seed_lane(const Loss& loss, int l) const {
    const auto& to = forward.out;
    const index count = Saves ? g.saved[l] : 0;
    typename method_types<M, Y>::state state, state_bar;
    read_lane(g.now, l, state);
    using given = typename state_of_loss<Y>::type;
    const lane_points<given> ys{to.ys + lane[l], to.stride, count};
    lane_point_bars<given> ys_bar{memory.save_bars(l), memory.point_stride()};
    Y y_bar{};
    for (index i = 0; i < count * length(y_bar); ++i) ys_bar.numbers[i * ys_bar.stride] = T(0);
    out.loss[lane[l]] =
        evaluate_loss<Loss, given>(loss, lane[l], value(forward.m, state), ys, y_bar, ys_bar);
    fill(state_bar, T(0));
    pull_value(forward.m, y_bar, state_bar);
    if (Saves && forward.rules.save_t1)
      pull_value(forward.m, points_of(l).bars.at(count - 1), state_bar);
    write_lane(state_bar, bars.state, l);
    bars.next_save[l] = forward.in.save_end.at(0, lane[l]);
  }

  /// The gradients of all lanes, after so many rounds.
  REVODE_HD void finish(index rounds, index replayed) const {
    for (int l = 0; l < W; ++l) {
      if (lane[l] < 0) continue;
      Y y_bar;
      for (int i = 0; i < length(y_bar); ++i)
        y_bar.data()[i] = bars.moved[l] != 0 ? T(0) + bars.state[i][l] : bars.state[i][l];
      if constexpr (Times) finish_times(y_bar, l);
      const bool counts = bars.counts[l] != 0;
      if constexpr (Saves)
        if (counts) add_start_bars(forward.in.save_ts, g.t0[l], points_of(l), y_bar);
      for (int i = 0; i < length(y_bar); ++i)
        out.y0[i * out.stride + lane[l]] = counts ? y_bar.data()[i] : T(0);
      for (int i = 0; i < static_size_v<P>; ++i)
        out.p[i * out.stride + lane[l]] = counts ? bars.p[i][l] : T(0);
      out.rounds[lane[l]] = rounds;
      out.replayed[lane[l]] = replayed;
    }
  }

  REVODE_HD void finish_times(const Y& y_bar, int l) const {
    if (bars.counts[l] != 0 && bars.moved[l] == 0)
      guarded(l, [&] {
        Y y0;
        P p;
        for_each_number(y0, 0, [&](int i, T& x) { x = forward.in.y0.at(i, lane[l]); });
        read_lane(g.p, l, p);
        pull_no_step(forward.f, p, g.t0[l], y0, y_bar, points_of(l), bars.times, l);
      });
    out.t0[lane[l]] = bars.counts[l] != 0 ? bars.times.t0[l] : 0.0;
    out.t1[lane[l]] = bars.counts[l] != 0 ? bars.times.t1[l] : 0.0;
  }
};

}  // namespace revode
