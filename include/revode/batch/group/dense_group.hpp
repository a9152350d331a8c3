// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_loop.hpp>

namespace revode {

/// Every accepted step of every lane: piece k of lane l is number first[l] + k of all, which starts and
/// ends at times[2 number], times[2 number + 1]; its tape is `length` numbers.
template <class T>
struct lane_pieces {
  const index* first = nullptr;
  double* times = nullptr;
  T* numbers = nullptr;
  index length = 0;
};

/// The forward solve of a lane group that keeps its steps; their counts are known beforehand.
template <class M, class F, class Y, class P, int W, bool Fixed>
struct recording_group {
  using T = scalar_t<Y>;
  using forward_type = forward_group<M, F, Y, P, W, Fixed, true>;
  using group_type = typename forward_type::group_type;
  using tapes_type = typename forward_type::tapes_type;

  forward_type forward;
  lane_pieces<T> pieces;

  REVODE_HD void operator()(index) const {
    group_type g{};
    tapes_type tapes{};
    forward.run(
        g, [&](int l, index lane) { forward.start(g, l, lane); },
        [&](const index* lane) {
          double before[W];
          for (int l = 0; l < W; ++l) before[l] = g.steps[l];
          int ended = forward.attempt_round(g, tapes);
          for (int l = 0; l < W; ++l)
            if (g.steps[l] > before[l]) keep(g, tapes, l, lane[l]);
          forward.save(g, tapes, lane, ended);
          return ended;
        });
  }

  REVODE_HD void keep(const group_type& g, const tapes_type& tapes, int l, index lane) const {
    const index k = pieces.first[lane] + static_cast<index>(g.steps[l]) - 1;
    pieces.times[2 * k] = g.t_from[l];
    pieces.times[2 * k + 1] = g.t[l];
    T* numbers = pieces.numbers + k * pieces.length;
    for (int i = 0; i < group_type::tape_numbers; ++i) numbers[i] = tapes.numbers[i][l];
  }
};

/// Dense output of W lanes at a time, lane l at its own time at[l]: in [t0, t] of the lane.
template <class M, class F, class Y, class P, int W>
struct dense_group {
  using T = scalar_t<Y>;
  static constexpr int n = static_size_v<Y>, parameters = static_size_v<P>;
  static constexpr int tape_numbers = lane_group<M, Y, P, W>::tape_numbers;

  M m;
  F f;
  lane_inputs<T> in;
  lane_outputs<T> reached;  ///< of the solve
  lane_pieces<T> pieces;
  lane_column<double> at;
  T* y = nullptr;  ///< number i of lane l at y[i stride + l]

  struct alignas(64) lanes_type {
    T tape[tape_numbers][W], p[parameters > 0 ? parameters : 1][W], y[n][W];
    double t[W], t_new[W], theta[W];
  };

  REVODE_HD void operator()(index group) const {
    lanes_type g{};
    for (int l = 0; l < W; ++l) read(g, l, lane_of(group, l));
    for_each_lane<W>([&](int l) __attribute__((always_inline)) { evaluate(g, l); });
    for (int l = 0; l < W; ++l) write(g, l, lane_of(group, l));
  }

  REVODE_HD index lane_of(index group, int l) const {
    const index lane = group * W + l;
    return lane < in.lanes ? lane : in.lanes - 1;
  }

  /// The last step that begins at the time asked for or before.
  REVODE_HD index piece_of(index lane) const {
    const double t = at.at(0, lane), direction = in.t1.at(0, lane) < in.t0.at(0, lane) ? -1 : 1;
    index low = pieces.first[lane], high = low + reached.accepted[lane];
    while (high - low > 1) {
      const index middle = low + (high - low) / 2;
      (direction * (t - pieces.times[2 * middle]) >= 0 ? low : high) = middle;
    }
    return low;
  }

  REVODE_HD void read(lanes_type& g, int l, index lane) const {
    for (int i = 0; i < parameters; ++i) g.p[i][l] = in.p.at(i, lane);
    if (reached.accepted[lane] == 0) return;
    const index k = piece_of(lane);
    const T* numbers = pieces.numbers + k * pieces.length;
    for (int i = 0; i < tape_numbers; ++i) g.tape[i][l] = numbers[i];
    g.t[l] = pieces.times[2 * k], g.t_new[l] = pieces.times[2 * k + 1];
    g.theta[l] = (at.at(0, lane) - g.t[l]) / (g.t_new[l] - g.t[l]);
  }

  REVODE_HD void evaluate(lanes_type& g, int l) const {
    P p;
    typename method_types<M, Y>::tape tape;
    typename method_types<M, Y>::scratch scratch;
    read_lane(g.p, l, p);
    read_lane(g.tape, l, tape);
    system<F, Y, P> sys(f, p);
    extend(m, sys, g.t[l], g.t_new[l], tape, scratch);
    Y out;
    interpolate(m, g.t[l], g.t_new[l], tape, scratch, g.theta[l], out);
    write_lane(out, g.y, l);
  }

  /// At t0 and at the end of the solve it is the state there.
  REVODE_HD void write(const lanes_type& g, int l, index lane) const {
    const double t = at.at(0, lane);
    const bool starts = t == in.t0.at(0, lane), ends = t == reached.t[lane];
    for (int i = 0; i < n; ++i)
      y[i * reached.stride + lane] = starts ? in.y0.at(i, lane)
                                     : ends ? reached.y[i * reached.stride + lane]
                                            : g.y[i][l];
  }
};

}  // namespace revode
