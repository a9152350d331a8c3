// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_attempt.hpp>
#include <revode/batch/lane_pull/lane_pull.hpp>

namespace revode {

// An explicit Runge–Kutta step of W lanes, two stages at a time: a loop over lanes for each pair, where
// step_lane and pull_lane have one loop of whole steps. A step is one long chain of operations, longer
// than a processor looks ahead; a stage is short enough that it works on the next lanes meanwhile, and
// leaves between two loops what it would otherwise have to spill. The same operations, the same bits.

/// The stages of a method that has them one by one (rk_slices).
template <class M, class Y>
using slices_of = typename method_types<M, Y>::slices;

/// For small states: the stages of large ones are long enough. The forward step only where sixteen
/// registers cannot hold a whole one.
template <class M, class Y, int W>
inline constexpr bool pulls_by_stages = W > 1 && static_size_v<Y> <= 8 && requires {
  typename method_types<M, Y>::slices;
};
template <class M, class Y, int W>
#if defined(__AVX512F__)
inline constexpr bool steps_by_stages = false;
#else
inline constexpr bool steps_by_stages = pulls_by_stages<M, Y, W>;
#endif

/// The stages of W lanes' steps.
template <class M, class Y, int W>
struct alignas(64) lane_stages {
  using T = scalar_t<Y>;
  static constexpr int stages = slices_of<M, Y>::stages;
  T k[stages][static_size_v<Y>][W];
};

/// … and for the reverse pass the values at which they were evaluated, with their cotangents.
template <class M, class Y, class P, int W>
struct alignas(64) lane_stage_bars {
  using T = scalar_t<Y>;
  static constexpr int stages = slices_of<M, Y>::stages;
  T value[stages][static_size_v<Y>][W];
  T theta[stages][static_size_v<Y>][W];
  T p[static_size_v<P> > 0 ? static_size_v<P> : 1][W];
};

/// Lane l's y_n and the derivatives of its first `Count` stages, the very first from the cache of its
/// carry if `cached`. What is not used of them is not read.
template <int Count, bool Cached, class M, class Y, class P, int W>
REVODE_HD void read_stages(const lane_group<M, Y, P, W>& g, const lane_stages<M, Y, W>& s, int l,
                           typename method_types<M, Y>::tape& tape) {
  constexpr int n = static_size_v<Y>;
  read_lane(g.now, l, tape.y);
  for (int j = 0; j < Count; ++j) read_lane(Cached && j == 0 ? g.now + n : s.k[j], l, tape.k[j]);
}

inline constexpr int stages_together = 2;

/// Stages I … Last of all lanes, some of them at a time; keep(stage, l, value) sees their values.
template <int I, int Last, bool Cached, bool Slopes, class M, class F, class Y, class P, int W,
          class Keep>
REVODE_HD void evaluate_lane_stages(const F& f, const lane_group<M, Y, P, W>& g,
                                    const double* t_new, lane_stages<M, Y, W>& s,
                                    const Keep& keep) {
  if constexpr (I <= Last) {
    constexpr int end = I + stages_together <= Last ? I + stages_together : Last + 1;
    constexpr bool slopes = Slopes || end <= Last;
    for_each_lane<W>([&](int l) __attribute__((always_inline)) {
      P p;
      read_lane(g.p, l, p);
      typename method_types<M, Y>::tape tape;
      read_stages<I, Cached>(g, s, l, tape);
      system<F, Y, P> sys(f, p);
      slices_of<M, Y>::template run<I, end, slopes>(
          sys, g.t[l], t_new[l],
          tape, [&](int i, const Y& at) __attribute__((always_inline)) { keep(i, l, at); });
      for (int j = I; j < end - !slopes; ++j) write_lane(tape.k[j], s.k[j], l);
    });
    evaluate_lane_stages<end, Last, Cached, Slopes>(f, g, t_new, s, keep);
  }
}

/// The attempts of all lanes: what step_lane does for one. Returns the evaluations of the field.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD index step_lanes(const M& m, const F& f, lane_group<M, Y, P, W>& g, Tapes& tapes) {
  using slices = slices_of<M, Y>;
  constexpr bool fsal = slices::fsal;
  constexpr int stages = slices::stages, first = fsal ? 1 : 0;
  lane_stages<M, Y, W> s;
  alignas(64) scalar_t<Y> reached[static_size_v<Y>][W];
  evaluate_lane_stages<first, stages - 1, fsal, true>(
      f, g, g.t_new, s, [&](int i, int l, const Y& at) __attribute__((always_inline)) {
        if (fsal && i == stages - 1) write_lane(at, reached, l);
      });
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    typename method_types<M, Y>::tape tape;
    read_stages<stages, fsal>(g, s, l, tape);
    carry<M, Y> next;
    if constexpr (fsal) read_lane(reached, l, next.state);
    const outcome<nothing> found{
        slices::template finish<!Fixed>({g.rtol[l], g.atol[l]}, g.t_new[l] - g.t[l], tape, next)};
    keep_attempt<Fixed>(m, g, tapes, l, found, tape, next);
  });
  return stages - first;
}

/// Stages I … 0 of the transposes of all lanes' steps, some of them at a time.
template <lane_vjp Kind, int I, class M, class F, class Y, class P, int W, bool Times>
REVODE_HD void pull_lane_stages(const F& f, const lane_group<M, Y, P, W>& g,
                                const lane_bars<M, Y, P, W, Times>& bars, const double* t_new,
                                lane_stage_bars<M, Y, P, W>& s) {
  constexpr int last = slices_of<M, Y>::last_reached();
  constexpr int end = I + 1 > stages_together ? I + 1 - stages_together : 0;
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    P p, p_bar;
    read_lane(g.p, l, p);
    read_lane(I == last ? bars.p : s.p, l, p_bar);
    Y lambda;
    typename method_types<M, Y>::scratch w;
    read_lane(bars.state, l, lambda);
    for (int j = I + 1; j <= last; ++j) read_lane(s.theta[j], l, w.theta[j]);
    lane_system<F, Y, P, Kind> sys(f, p);
    slices_of<M, Y>::template pull<I, end>(
        sys, g.t[l], t_new[l], w, lambda, p_bar, [&](int i) __attribute__((always_inline)) {
          Y at;
          read_lane(i == 0 ? g.now : s.value[i], l, at);
          return at;
        });
    for (int j = end; j <= I; ++j) write_lane(w.theta[j], s.theta[j], l);
    write_lane(p_bar, s.p, l);
  });
  if constexpr (end > 0) pull_lane_stages<Kind, end - 1>(f, g, bars, t_new, s);
}

/// The transposes of all lanes' steps: what pull_lane does for one.
template <lane_vjp Kind, class M, class F, class Y, class P, int W, bool Times>
REVODE_HD void pull_lanes(const M&, const F& f, const lane_group<M, Y, P, W>& g,
                          lane_bars<M, Y, P, W, Times>& bars, const double* t_new,
                          std::int64_t round) {
  constexpr int last = slices_of<M, Y>::last_reached();
  lane_stages<M, Y, W> s;
  lane_stage_bars<M, Y, P, W> b;
  evaluate_lane_stages<0, last, false, false>(
      f, g, t_new, s, [&](int i, int l, const Y& at) __attribute__((always_inline)) {
        if (i > 0) write_lane(at, b.value[i], l);
      });
  pull_lane_stages<Kind, last>(f, g, bars, t_new, b);
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    const bool steps = t_new[l] != g.t[l] && bars.counts[l] != 0 && bars.pulled[l] != round;
    typename method_types<M, Y>::scratch w;
    Y lambda;
    P p_bar;
    read_lane(bars.state, l, lambda);
    read_lane(b.p, l, p_bar);
    for (int j = 0; j <= last; ++j) read_lane(b.theta[j], l, w.theta[j]);
    slices_of<M, Y>::add_cotangents(w, lambda);
    write_lane_if(steps, lambda, bars.state, l);
    write_lane_if(steps, p_bar, bars.p, l);
    bars.pulled[l] = round;
  });
}

template <lane_vjp Kind, class M, class F, class Group, class Bars>
struct pull_body {
  const M& m;
  const F& f;
  const Group& g;
  Bars& bars;
  const double* t_new;
  std::int64_t round;
  REVODE_HD void all() const
      requires(pulls_by_stages<M, typename Group::state_type, Group::width>) {
    pull_lanes<Kind>(m, f, g, bars, t_new, round);
  }
  REVODE_HD void operator()(int l) const { pull_lane<Kind>(m, f, g, bars, t_new[l], round, l); }
};

}  // namespace revode
