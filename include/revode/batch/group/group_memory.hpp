// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/batch/lane/lane_arena.hpp>
#include <revode/batch/lane/lane_end.hpp>

namespace revode {

/// visit(i, x) for what attempts depend on beside the carry, x[l] being lane l's.
template <class Group, class Visit>
REVODE_HD void for_each_control(Group& g, const Visit& visit) {
  visit(0, g.t);
  visit(1, g.h);
  visit(2, g.previous);
  visit(3, g.before);
  visit(4, g.most);
  visit(5, g.steps);
  visit(6, g.ended);
}
inline constexpr index lane_control_rows = 7;

/// What one lane group keeps of its rounds for the reverse pass, in the arena's rows: snapshots in slots,
/// and a log of times where the arena's plan has one.
template <class M, class Y, class P, int W>
struct group_memory {
  using T = scalar_t<Y>;
  using group_type = lane_group<M, Y, P, W>;
  static constexpr index states = static_size_v<Y>;

  const lane_arena<T>& arena;
  index worker;

  REVODE_HD bool follows(lane_memory_plan plan) const { return arena.plan == plan; }

  REVODE_HD T* state(index slot, index i) const {
    return arena.row(arena.states, arena.slots * states, worker, slot * states + i);
  }
  REVODE_HD double* control(index slot, index i) const {
    return arena.row(arena.control, arena.slots * lane_control_rows, worker,
                     slot * lane_control_rows + i);
  }
  /// The lanes' times before round `round`.
  REVODE_HD double* log(index round) const {
    return arena.row(arena.log, arena.rounds + 1, worker, round);
  }
  /// The round before which the snapshot of a slot was taken, where the binomial schedule chose it.
  REVODE_HD index& round_of(index slot) const {
    return arena.interleaved() ? arena.stack[slot * arena.workers + worker]
                               : arena.stack[worker * arena.slots + slot];
  }
  /// The cotangents of lane l's save points: numbers point_stride() apart.
  REVODE_HD T* save_bars(int l) const {
    return arena.row(arena.save_bars, arena.save_rows, worker, 0) + l;
  }
  REVODE_HD index point_stride() const { return arena.interleaved() ? arena.workers : W; }

  REVODE_HD void store(const group_type& g, index slot) const {
    for (index i = 0; i < states; ++i) {
      T* to = state(slot, i);
      for (int l = 0; l < W; ++l) to[l] = g.now[i][l];
    }
    if (!follows(lane_memory_plan::controller)) return;
    for_each_control(
        g, [&](index i, const auto& x) __attribute__((always_inline)) {
          double* to = control(slot, i);
          for (int l = 0; l < W; ++l) to[l] = static_cast<double>(x[l]);
        });
  }

  /// The group before round `round`, from a slot; without its caches.
  template <bool Fixed>
  REVODE_HD void load(group_type& g, index slot, index round) const {
    for (index i = 0; i < states; ++i) {
      const T* from = state(slot, i);
      for (int l = 0; l < W; ++l) g.now[i][l] = from[l];
    }
    if (follows(lane_memory_plan::controller)) return load_control<Fixed>(g, slot, round);
    const double* t = log(round);
    for (int l = 0; l < W; ++l) g.t[l] = t[l];
  }

  template <bool Fixed>
  REVODE_HD void load_control(group_type& g, index slot, index round) const {
    for_each_control(
        g, [&](index i, auto& x) __attribute__((always_inline)) {
          const double* from = control(slot, i);
          for (int l = 0; l < W; ++l)
            x[l] = static_cast<std::remove_cvref_t<decltype(*x)>>(from[l]);
        });
    for (int l = 0; l < W; ++l) {
      g.attempted[l] = round;
      if constexpr (W == 1) g.attempts[l] = round;
      if (g.ended[l] == running)
        set_out_lane<Fixed>(g, l, g.t1[l]);
      else
        rest_lane(g, l);
    }
    g.clock = round;
    find_deadline(g);
  }

  /// The first sweep comes to round `round`.
  REVODE_HD void remember(const group_type& g, index round) const {
    if (!follows(lane_memory_plan::controller)) {
      double* t = log(round);
      for (int l = 0; l < W; ++l) t[l] = g.t[l];
    }
    if (round == 0 || (follows(lane_memory_plan::states) && round < arena.slots)) store(g, round);
  }
};

}  // namespace revode
