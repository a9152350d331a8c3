// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane_pull.hpp>

namespace revode {

/// The cotangent of save point `point`, whose numbers lie `stride` apart.
template <class Y>
REVODE_HD Y point_bar(const scalar_t<Y>* numbers, index stride, index point) {
  Y y;
  for (int i = 0; i < length(y); ++i) y.data()[i] = numbers[(point * length(y) + i) * stride];
  return y;
}

/// pull_lane for a step with save points in it or at its end, not yet pulled: their cotangents become
/// seeds or reach the new state, as in differentiable_stepper. False, and nothing done, without any.
template <class M, class F, class Y, class P, int W>
REVODE_HD bool pull_saving_lane(const M& m, const F& f, const lane_inputs<scalar_t<Y>>& in,
                                bool save_t0, const lane_group<M, Y, P, W>& g,
                                lane_bars<M, Y, P, W>& bars, double t_new,
                                const scalar_t<Y>* save_bars, index stride, int l, index lane) {
  using T = scalar_t<Y>;
  using types = method_types<M, Y>;
  const index first = in.save_begin.at(0, lane);
  const double t = g.t[l], direction = g.direction[l];
  index next = bars.next_save[l];
  if (!(next > first && direction * (in.save_ts[next - 1] - t) > 0)) return false;

  P p, p_bar;
  g.read_parameters(l, p);
  carry<M, Y> from, reached;
  typename types::tape tape;
  typename types::state state_bar;
  for_each_number(from, [&](int i, T& x) { x = g.now[i][l]; });
  for_each_number(state_bar, 0, [&](int i, T& x) { x = bars.state[i][l]; });
  for_each_number(p_bar, 0, [&](int i, T& x) { x = bars.p[i][l]; });
  system<F, Y, P> sys(f, p);
  attempt_in_lane(m, sys, tolerance{.estimate = false}, t, t_new, from, tape, reached);

  typename types::scratch scratch;
  [[maybe_unused]] typename types::seeds seeds;
  const typename types::seeds* seeded = nullptr;
  while (next > first && direction * (in.save_ts[next - 1] - t) > 0) {
    const double at = in.save_ts[--next];
    const Y y_bar = point_bar<Y>(save_bars, stride, next - first + save_t0);
    if (at == t_new) {
      pull_value(m, y_bar, state_bar);
    } else if constexpr (has_dense_output_v<M>) {
      if (seeded == nullptr) {
        extend(m, sys, t, t_new, tape, scratch);
        seeds.clear();
        seeded = &seeds;
      }
      interpolation_bar<T> unused;
      pull_interpolate(m, t, t_new, tape, scratch, (at - t) / (t_new - t), y_bar, &seeds, unused);
    }
  }
  step_ends<T>* no_ends = nullptr;
  pull(m, sys, t, t_new, typename types::record{}, tape, scratch, seeded, state_bar, p_bar,
       no_ends);
  bars.next_save[l] = next;
  for_each_number(state_bar, 0, [&](int i, T& x) { bars.state[i][l] = x; });
  for_each_number(p_bar, 0, [&](int i, T& x) { bars.p[i][l] = x; });
  return true;
}

/// The cotangents of save points at t0 reach y0 directly.
template <class Y>
REVODE_HD void add_start_bars(const lane_inputs<scalar_t<Y>>& in, bool save_t0, double t0,
                              const scalar_t<Y>* save_bars, index stride, index lane, Y& y_bar) {
  if (save_t0) add(point_bar<Y>(save_bars, stride, 0), y_bar);
  const index first = in.save_begin.at(0, lane), end = in.save_end.at(0, lane);
  for (index k = first; k < end && in.save_ts[k] == t0; ++k)
    add(point_bar<Y>(save_bars, stride, k - first + save_t0), y_bar);
}

}  // namespace revode
