// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_group.hpp>
#include <revode/solve/course/rules.hpp>

namespace revode {

// How a lane sets out, rests and ends. Rounds know nothing of it: lanes are looked at one by one where
// one of them may have ended.

/// Lane l stands still from now on.
template <class M, class Y, class P, int W>
REVODE_HD void rest_lane(lane_group<M, Y, P, W>& g, int l) {
  g.limit[l] = g.least[l] = -1;
  g.t_new[l] = g.t[l];
}

/// The next attempt of a lane that runs to t1, from what it has in t, h and steps; g.t1 may come before
/// (a stop). The bound for steps that may be none is that of too_short at the larger end of the
/// span, and some rounding.
template <bool Fixed, class M, class Y, class P, int W>
REVODE_HD void set_out_lane(lane_group<M, Y, P, W>& g, int l, double t1) {
  const double a = magnitude(g.t0[l]), b = magnitude(t1);
  g.limit[l] = 1;
  g.least[l] = 0x1p-49 * (a > b ? a : b);
  g.t_new[l] = next_end<Fixed>(g, l);
}

/// The group's deadline is no later than the round after which lane l has no attempt left.
template <class M, class Y, class P, int W>
REVODE_HD void heed_deadline(lane_group<M, Y, P, W>& g, int l) {
  if (W == 1 || g.ended[l] != running) return;
  const index left = no_deadline - g.started[l];
  if (g.attempts_allowed[l] >= left) return;
  const index last = g.started[l] + g.attempts_allowed[l];
  if (last < g.deadline) g.deadline = last;
}
template <class M, class Y, class P, int W>
REVODE_HD void find_deadline(lane_group<M, Y, P, W>& g) {
  g.deadline = no_deadline;
  for (int l = 0; l < W; ++l) heed_deadline(g, l);
}

/// Why lane l cannot make another attempt, or `running`.
template <class M, class Y, class P, int W>
REVODE_HD std::int64_t before_next_attempt(const lane_group<M, Y, P, W>& g, int l) {
  if (g.attempts_of(l) == g.attempts_allowed[l]) return code(status::max_steps);
  return g.t_new[l] == g.t[l] ? code(status::step_underflow) : running;
}

/// How lane l, which runs, goes on after an attempt; t1 is its end.
template <bool Fixed, class M, class Y, class P, int W>
REVODE_HD std::int64_t verdict(const lane_group<M, Y, P, W>& g, int l, double t1) {
  const double error = g.error[l];
  const bool good = error <= 1;
  if (good && g.t[l] == t1) return code(status::success);
  if (!good && (Fixed || too_short(g.t[l], t1 - g.t0[l], g.h[l]))) {
    if (g.trouble[l] != code(status::success)) return g.trouble[l];
    if (error == error_of_overflow) return code(status::non_finite_state);
    if constexpr (is_linearly_implicit_v<M>) {
      if (error == error_of_singular_matrix) return code(status::linear_solve_failure);
      if (error == error_of_no_jacobian) return code(status::non_finite_field);
    }
    return code(error - error == 0 ? status::step_underflow : status::non_finite_field);
  }
  if (Fixed) return g.attempts_of(l) == g.attempts_allowed[l] ? code(status::max_steps) : running;
  return before_next_attempt(g, l);
}

/// Ends lane l.
template <class M, class Y, class P, int W>
REVODE_HD void end_lane(lane_group<M, Y, P, W>& g, int l, std::int64_t how) {
  g.ended[l] = how;
  g.attempts[l] = g.attempts_of(l);
  rest_lane(g, l);
}

/// Ends the lanes that have come to their end in the round just made; how many.
template <bool Fixed, class M, class Y, class P, int W>
REVODE_HD int settle(lane_group<M, Y, P, W>& g) {
  int count = 0;
  for (int l = 0; l < W; ++l) {
    if (g.ended[l] != running) continue;
    const std::int64_t how = verdict<Fixed>(g, l, g.t1[l]);
    if (how == running) continue;
    end_lane(g, l, how);
    ++count;
  }
  find_deadline(g);
  return count;
}

}  // namespace revode
