// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_group.hpp>
#include <revode/solve/controller.hpp>

namespace revode {

// What the controller makes of an attempt, and where the next one goes: every round, in loops over
// lanes without branches.

/// log2_error, to the bit: log2_of_normal never decreases and is exact at powers of two, so that its
/// argument can be clamped in place of its result. Plain: infinity and NaN give 1024 or more, once a NaN has lost
/// the sign that processors give it.
template <bool Plain>
REVODE_HD double log2_error_in_lane(double x) {
  if constexpr (!Plain) x = min_of(x, 0x1.fffffffffffffp1023);
  return log2_of_normal(Plain ? select(x < 0x1p-80, 0x1p-80, magnitude(x)) : max_of(x, 0x1p-80));
}

/// Controllers whose clamps but those on the factor never act: powers stay in the range of
/// exp2_in_range, and the factor of any rejection is below 1 and that of an infinite error below
/// factor_min.
REVODE_HD bool is_plain(const pid_controller& c, double max_step, int order) {
  return c.d == 0 && c.p >= 0 && c.i >= 0 && c.p + c.i <= 4 && c.safety > 0 && c.safety <= 1 &&
         c.factor_min >= 1e-9 && c.factor_max >= 1 && c.keep_to <= 1 && !(max_step > 0) &&
         order >= 2 && order <= 16;
}

/// log2_error of the last two accepted steps, and the most that the next may grow by.
struct lane_controller_memory {
  double previous = 0;
  double before = 0;
  double most = 0;
};

/// propose_factor without branches, log2_error given and those before remembered: the same bits.
template <bool Plain>
REVODE_HD double propose_lane_factor(const pid_controller& c, const lane_controller_memory& m,
                                     bool good, double error_squared, double log2, int order) {
  const double k = -0.5 / order;
  const bool keeps = (error_squared >= c.keep_from) & (error_squared <= c.keep_to);
  if constexpr (Plain) {
    const double power = k * (c.p + c.i) * log2 - k * (c.p * m.previous);
    const double factor = c.safety * exp2_in_range(select(good, power, k * log2));
    return select(keeps, 1.0, min_of(max_of(factor, c.factor_min), m.most));
  } else {
    const double memory = (c.p + 2 * c.d) * m.previous - c.d * m.before;
    const double power = k * (c.p + c.i + c.d) * log2 - k * memory;  // p = d = 0: subtracts a zero
    const double factor =
        max_of(c.safety * exp2_approx(select(good, power, k * log2)), c.factor_min);
    const double most = select(good, m.most, __builtin_huge_val());
    return select(good & keeps, 1.0, min_of(factor, most));
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
  const double next =
      Plain ? next_lane_time(g.direction[l], at, g.t1[l], h) : bounded_lane_time(g, l, at, h);
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
                                 const Tapes& tapes, int l) {
  const double error = g.error[l];
  controller_memory memory{g.previous[l], g.before[l], g.most[l] > 0};
  const outcome<nothing> found{error >= error_of_no_jacobian ? infinite : error};
  nothing unused;
  const double factor = propose(m, rules.controller, memory, found, unused, unused);
  g.previous[l] = memory.previous;
  g.before[l] = memory.before;
  g.most[l] = select(memory.rejected, 1.0, 0.0);
  return move_lane<false>(rules, g, tapes, l, factor);
}

/// The same of all lanes for any gains: a loop with branches, apart from those without.
template <class M, class Y, class P, int W, class Tapes>
REVODE_HD std::int64_t advance_by_gains(const M& m, const lane_rules& rules,
                                        lane_group<M, Y, P, W>& g, Tapes& tapes) {
  return apart([&] {
    std::int64_t at_end = 0;
    for (int l = 0; l < W; ++l) at_end += advance_by_method(m, rules, g, tapes, l);
    return at_end;
  });
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

}  // namespace revode
