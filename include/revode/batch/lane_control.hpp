// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane_implicit.hpp>
#include <revode/batch/lane_stages.hpp>

namespace revode {

// How a lane goes on after the stages of its attempt: every round in a loop over lanes without
// branches (advance), and one by one where a lane may have ended (settle).

/// stepper::too_short for a lane.
REVODE_HD bool too_short_step(double t, double span, double h) {
  constexpr double eps = 0x1p-52;
  const double at = magnitude(t), least = 1e-10 * magnitude(span);
  return magnitude(h) < 4 * eps * (at > least ? at : least);
}

/// Lane l stands still from now on.
template <class M, class Y, class P, int W>
REVODE_HD void rest_lane(lane_group<M, Y, P, W>& g, int l) {
  g.limit[l] = g.least[l] = -1;
  g.t_new[l] = g.t[l];
}

/// The next attempt of a lane that runs, from what it has in t, h and steps. The bound for steps that
/// may be none is that of too_short_step at the larger end of the span, and some rounding.
template <bool Fixed, class M, class Y, class P, int W>
REVODE_HD void set_out_lane(lane_group<M, Y, P, W>& g, int l) {
  const double a = magnitude(g.t0[l]), b = magnitude(g.t1[l]);
  g.limit[l] = 1;
  g.least[l] = 0x1p-49 * (a > b ? a : b);
  g.t_new[l] = next_end<Fixed>(g, l);
}

/// The round after which lane l has no attempt left.
template <class M, class Y, class P, int W>
REVODE_HD index deadline_of(const lane_group<M, Y, P, W>& g, int l) {
  const index left = no_deadline - g.started[l];
  return g.attempts_allowed[l] < left ? g.started[l] + g.attempts_allowed[l] : no_deadline;
}

/// The earliest of them.
template <class M, class Y, class P, int W>
REVODE_HD void find_deadline(lane_group<M, Y, P, W>& g) {
  g.deadline = no_deadline;
  for (int l = 0; W > 1 && l < W; ++l) {
    const index last = deadline_of(g, l);
    if (g.ended[l] == running && last < g.deadline) g.deadline = last;
  }
}

/// The factor that the controller makes of lane l's error, given its log2; its memory goes on.
template <bool Plain, class M, class Y, class P, int W>
REVODE_HD double lane_factor(const lane_rules& rules, lane_group<M, Y, P, W>& g, int l,
                             double log2) {
  const double error = g.error[l];
  const bool accept = error <= g.accepted_up_to(l);
  const lane_controller_memory memory{g.previous[l], Plain ? 0.0 : g.before[l], g.most[l]};
  const double factor =
      propose_lane_factor<Plain>(rules.controller, memory, accept, error, log2, lane_order<M> + 1);
  if constexpr (!Plain) g.before[l] = select(accept, g.previous[l], g.before[l]);
  g.previous[l] = select(accept, log2, g.previous[l]);
  g.most[l] = select(accept, rules.controller.factor_max, 1.0);
  return factor;
}

/// The next attempt of lane l. True if the lane may have ended.
template <bool Plain, class M, class Y, class P, int W, class Tapes>
REVODE_HD bool move_lane(const lane_rules& rules, lane_group<M, Y, P, W>& g, const Tapes&, int l,
                         double factor) {
  const double t = g.t[l], tried = g.t_new[l];
  const bool accept = g.error[l] <= g.accepted_up_to(l);
  const double wanted = (tried - t) * factor, h = Plain ? wanted : bounded_step(rules, wanted);
  const double at = select(accept, tried, t);
  const double next = next_lane_time(g.direction[l], at, g.t1[l], h);
  if constexpr (!std::is_same_v<Tapes, no_tapes>) g.t_from[l] = t;
  g.t[l] = at;
  g.t_new[l] = next;
  g.h[l] = h;
  g.steps[l] += select(accept, 1.0, 0.0);
  return W == 1 || magnitude(next - at) <= g.least[l];
}

/// What follows the stages in stepper::adaptive_step: the controller, and the next attempt. True if
/// the lane may have ended. Plain: see is_plain.
template <bool Plain, class M, class Y, class P, int W, class Tapes>
REVODE_HD bool advance_adaptive(const lane_rules& rules, lane_group<M, Y, P, W>& g,
                                const Tapes& tapes, int l) {
  const double log2 = log2_error_in_lane<Plain>(g.error[l]);
  return move_lane<Plain>(rules, g, tapes, l, lane_factor<Plain>(rules, g, l, log2));
}

/// advance_adaptive<true> of all lanes. Sixteen registers do not hold the constants of a logarithm and
/// a power at once: there each has a loop of its own.
template <class M, class Y, class P, int W, class Tapes>
REVODE_HD std::int64_t advance_plainly(const lane_rules& rules, lane_group<M, Y, P, W>& g,
                                       const Tapes& tapes) {
  std::int64_t at_end = 0;
#if defined(__AVX512F__)
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    at_end += advance_adaptive<true>(rules, g, tapes, l);
  });
#else
  alignas(64) double log2[W], factor[W];
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    log2[l] = log2_error_in_lane<true>(g.error[l]);
  });
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    factor[l] = lane_factor<true>(rules, g, l, log2[l]);
  });
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    at_end += move_lane<true>(rules, g, tapes, l, factor[l]);
  });
#endif
  return at_end;
}

/// Rules that have the default gains, those written as constants: where a method asks about them for
/// its controller, the answer is known, and a loop over lanes keeps no branch.
REVODE_HD lane_rules with_default_gains(lane_rules rules) {
  const pid_controller usual{};
  rules.controller.p = usual.p, rules.controller.i = usual.i, rules.controller.d = usual.d;
  rules.controller.ratio = usual.ratio, rules.controller.at_most_integral = false;
  return rules;
}

/// The same for a method that brings its own controller. Its memory lies in previous, before and most
/// (1: rejected).
template <class M, class Y, class P, int W, class Tapes>
REVODE_HD bool advance_by_method(const M& m, const lane_rules& rules, lane_group<M, Y, P, W>& g,
                                 const Tapes&, int l) {
  const double error = g.error[l], t = g.t[l], tried = g.t_new[l];
  const bool accept = error <= g.accepted_up_to(l);
  controller_memory memory{g.previous[l], g.before[l], g.most[l] > 0};
  const outcome<nothing> found{error >= error_of_no_jacobian ? infinite : error};
  nothing unused;
  const double factor = propose(m, rules.controller, memory, found, unused, unused);
  const double h = bounded_step(rules, (tried - t) * factor);
  const double at = select(accept, tried, t);
  g.previous[l] = memory.previous;
  g.before[l] = memory.before;
  g.most[l] = select(memory.rejected, 1.0, 0.0);
  if constexpr (!std::is_same_v<Tapes, no_tapes>) g.t_from[l] = t;
  g.t[l] = at;
  g.t_new[l] = next_lane_time(g.direction[l], at, g.t1[l], h);
  g.h[l] = h;
  g.steps[l] += select(accept, 1.0, 0.0);
  return W == 1 || magnitude(g.t_new[l] - at) <= g.least[l];
}

/// The same of all lanes for any gains: a loop with branches, apart from those without.
template <class M, class Y, class P, int W, class Tapes>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::noinline]]
#endif
    std::int64_t
    advance_by_gains(const M& m, const lane_rules& rules, lane_group<M, Y, P, W>& g, Tapes& tapes) {
  std::int64_t at_end = 0;
  for (int l = 0; l < W; ++l) at_end += advance_by_method(m, rules, g, tapes, l);
  return at_end;
}

/// The same for stepper::fixed_step.
template <class M, class Y, class P, int W, class Tapes>
REVODE_HD bool advance_fixed(lane_group<M, Y, P, W>& g, const Tapes&, int l) {
  const double t = g.t[l];
  const bool active = g.accepted_up_to(l) > 0, accept = g.error[l] <= g.accepted_up_to(l);
  const double at = select(accept, g.t_new[l], t);
  const double steps = g.steps[l] + select(accept, 1.0, 0.0);
  const double next = equal_step_end(g.t0[l], g.t1[l], steps + 1, g.equal_steps[l]);
  if constexpr (!std::is_same_v<Tapes, no_tapes>) g.t_from[l] = t;
  g.t[l] = at;
  g.t_new[l] = select(accept, next, at);
  g.steps[l] = steps;
  return active & (!accept | (at == g.t1[l]));
}

/// Why lane l cannot make another attempt, or `running`, after `attempts` of them.
template <class M, class Y, class P, int W>
REVODE_HD std::int64_t before_next_attempt(const lane_group<M, Y, P, W>& g, int l,
                                           std::int64_t attempts) {
  if (attempts == g.attempts_allowed[l]) return code(status::max_steps);
  return g.t_new[l] == g.t[l] ? code(status::step_underflow) : running;
}

/// How lane l, which runs, goes on after an attempt; t1 is its end.
template <bool Fixed, class M, class Y, class P, int W>
REVODE_HD std::int64_t verdict(const lane_group<M, Y, P, W>& g, int l, std::int64_t attempts,
                               double t1) {
  const double error = g.error[l];
  const bool good = error <= 1;
  if (good && g.t[l] == t1) return code(status::success);
  if (!good && (Fixed || too_short_step(g.t[l], t1 - g.t0[l], g.h[l]))) {
    if (g.trouble[l] != code(status::success)) return g.trouble[l];
    if (error == error_of_overflow) return code(status::non_finite_state);
    if constexpr (is_linearly_implicit_v<M>) {
      if (error == error_of_singular_matrix) return code(status::linear_solve_failure);
      if (error == error_of_no_jacobian) return code(status::non_finite_field);
    }
    return code(error - error == 0 ? status::step_underflow : status::non_finite_field);
  }
  if (Fixed) return attempts == g.attempts_allowed[l] ? code(status::max_steps) : running;
  return before_next_attempt(g, l, attempts);
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
    const std::int64_t how = verdict<Fixed>(g, l, g.attempts_of(l), g.t1[l]);
    if (how == running) continue;
    end_lane(g, l, how);
    ++count;
  }
  find_deadline(g);
  return count;
}

/// After step_lane of every lane: the controller, and whether a lane may have ended.
template <bool Fixed, class M, class Y, class P, int W, class Tapes>
REVODE_HD bool advance_lanes(const M& m, const lane_rules& rules, lane_group<M, Y, P, W>& g,
                             Tapes& tapes, index evaluations) {
  g.count_attempt(evaluations);
  std::int64_t at_end = 0;
  const lane_rules r = rules;
  if constexpr (Fixed) {
    for_each_lane<W>([&](int l)
                         __attribute__((always_inline)) { at_end += advance_fixed(g, tapes, l); });
  } else if constexpr (is_linearly_implicit_v<M>) {
    if (W > 1 && has_default_gains(r.controller)) {
      const lane_rules usual = with_default_gains(rules);
      for_each_lane<W>([&](int l) __attribute__((always_inline)) {
        at_end += advance_by_method(m, usual, g, tapes, l);
      });
    } else {
      at_end += advance_by_gains(m, r, g, tapes);
    }
  } else if (W > 1 && is_plain(r.controller, r.max_step, lane_order<M> + 1)) {
    at_end += advance_plainly(r, g, tapes);
  } else {
    for_each_lane<W>([&](int l) __attribute__((always_inline)) {
      at_end += advance_adaptive<false>(r, g, tapes, l);
    });
  }
  return W == 1 || (at_end != 0) | (g.clock >= g.deadline);
}

/// One attempt of every lane; true if one of them may have ended by it. The loops are inlined and
/// branch-free, so that compilers make one vector operation of each line; they are several, since
/// together they are one long chain of operations, and a processor finds other lanes to work on while
/// it waits for one of them only where the next lanes' instructions are near.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD bool attempt_all_lanes(const M& m, const F& f, const lane_rules& rules,
                                 lane_group<M, Y, P, W>& g, Tapes& tapes) {
  index evaluations = 0;
  if constexpr (steps_by_stages<M, Y, W>)
    evaluations = step_lanes<Fixed>(m, f, g, tapes);
  else if constexpr (solves_by_stages<M, Y, W>)
    step_implicit_lanes<Fixed>(m, f, g, tapes);
  else
    for_each_lane<W>([&](int l) __attribute__((always_inline)) {
      evaluations = step_lane<Fixed>(m, f, g, tapes, l);
    });
  return advance_lanes<Fixed>(m, rules, g, tapes, evaluations);
}

/// The same in a function of its own: inlined in a larger one the loops ran at half the speed (g++ 12).
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::noinline, gnu::flatten]]
#endif
    bool
    attempt_lanes(const M& m, const F& f, const lane_rules& rules, lane_group<M, Y, P, W>& g,
                  Tapes& tapes) {
  return attempt_all_lanes<Fixed>(m, f, rules, g, tapes);
}

/// step_lane of one lane, likewise: it hardly ever runs.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::noinline]]
#endif
    index
    step_lane_apart(const M& m, const F& f, lane_group<M, Y, P, W>& g, Tapes& tapes, int l) {
  return step_lane<Fixed>(m, f, g, tapes, l);
}

}  // namespace revode
