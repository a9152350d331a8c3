// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/partitioned/partitioned_step.hpp>

namespace revode {

/// w.at: the states that the field was called with, rebuilt in the step's own order. Kick i saw the
/// q of at[i] and the p before it.
template <class M, class Y>
REVODE_HD void rebuild_stages(const partitioned_tape<M, Y>& tape, scalar_t<Y> h,
                              partitioned_scratch<M, Y>& w) {
  for (int i = 0; i < tape.pairs; ++i) {
    copy(i == 0 ? tape.y : w.at[i - 1], w.at[i]);
    if (i > 0) move_through(tape, h, 2 * i - 1, 2 * i, w.at[i]);
    move_through(tape, h, 2 * i, 2 * i + 1, w.at[i]);
  }
}

/// What substep k called the field with: at[k/2], with the old p for a kick.
template <class M, class Y>
REVODE_HD const Y& stage_of(int k, const partitioned_tape<M, Y>& tape,
                            partitioned_scratch<M, Y>& w) {
  const int i = k / 2;
  if (k % 2 == 1) return w.at[i];
  copy(w.at[i], w.stage);
  copy_half(1, i == 0 ? tape.y : w.at[i - 1], w.stage);
  return w.stage;
}

/// The exact transpose of one step.
/// cost    one field VJP a substep
template <partitioned_method M, class System, class Y, class P>
REVODE_HD void pull(const M&, System& sys, double t, double t_new, nothing,
                    const partitioned_tape<M, Y>& tape, partitioned_scratch<M, Y>& w,
                    const end_seeds<Y>* seeds, Y& y_bar, P& p_bar, step_ends<scalar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  using numbers = splitting_numbers<M>;
  const T h = static_cast<T>(t_new - t);
  rebuild_stages(tape, h, w);
  if (seeds != nullptr) pull_new_end(sys, t_new, w.ends.y_new, *seeds, y_bar, p_bar, ends);
  for (int k = 2 * numbers::pairs - 1; k >= 0; --k) {
    if (numbers::weight(k) == 0) continue;
    const int half = 1 - k % 2;
    const T share = static_cast<T>(numbers::weight(k)), node = static_cast<T>(numbers::node(k));
    copy_half(half, y_bar, w.part);
    clear_half(1 - half, w.part);
    const T h_bar =
        share * dot_half(half, w.part, tape.f[k / 2]);  // the other half may never have been filled
    for (int i = 0, n = length(w.part); i < n; ++i) w.part.data()[i] = share * h * w.part.data()[i];
    T t_bar(0);
    sys.vjp(substep_time<M>(k, t, t_new), stage_of(k, tape, w), w.part, &t_bar, y_bar, p_bar);
    if (ends == nullptr) continue;
    ends->t += (1 - node) * t_bar - h_bar;
    ends->t_new += node * t_bar + h_bar;
  }
  if (seeds != nullptr) pull_old_end(sys, t, tape.y, *seeds, y_bar, p_bar, ends);
}

/// cost    one field JVP a substep
template <partitioned_method M, class System, class Y, class P>
REVODE_HD void push(const M&, System& sys, double t, double t_new, nothing,
                    const partitioned_tape<M, Y>& tape, partitioned_scratch<M, Y>& w, Y& y_dot,
                    const P& p_dot, const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  using numbers = splitting_numbers<M>;
  const T h = static_cast<T>(t_new - t), h_dot = ends.t_new - ends.t;
  rebuild_stages(tape, h, w);
  for (int k = 0; k < 2 * numbers::pairs; ++k) {
    if (numbers::weight(k) == 0) continue;
    const int half = 1 - k % 2;
    const T share = static_cast<T>(numbers::weight(k)), node = static_cast<T>(numbers::node(k));
    const T t_dot = (1 - node) * ends.t + node * ends.t_new;
    sys.jvp(substep_time<M>(k, t, t_new), stage_of(k, tape, w), t_dot, y_dot, p_dot, w.part);
    axpy_half(half, share * h, w.part, y_dot);
    axpy_half(half, share * h_dot, tape.f[k / 2], y_dot);
  }
  copy(y_dot, w.ends.y_new_dot);
}

}  // namespace revode
