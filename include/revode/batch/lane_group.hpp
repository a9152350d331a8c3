// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <revode/batch/lane_arrays.hpp>
#include <revode/batch/lane_numbers.hpp>
#include <revode/batch/lane_select.hpp>
#include <revode/batch/lane_step.hpp>
#include <revode/solve/options.hpp>
#include <revode/solve/system.hpp>
#include <revode/status.hpp>

namespace revode {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
template <class M>
inline constexpr int lane_order = estimate_order<M>();

/// A lane's `ended` while it runs; otherwise a status.
inline constexpr std::int64_t running = -1;

/// W lanes in lockstep. Element l of each array is lane l's; what a lane does never depends on its
/// neighbours, on l or on W.
template <class M, class Y, class P, int W>
struct alignas(64) lane_group {
  using T = scalar_t<Y>;
  static constexpr int width = W;
  static constexpr int carry_numbers = numbers_in_carry<M, Y>;
  static constexpr int tape_numbers = numbers_in<typename method_types<M, Y>::tape, T>;
  static constexpr int parameters = static_size_v<P>;

  T now[carry_numbers][W];
  T p[parameters > 0 ? parameters : 1][W];
  double t0[W], t1[W], direction[W], t[W], h[W];
  double rtol[W], atol[W];
  double previous[W], before[W];  // lane_controller_memory
  std::int64_t rejected_last[W];
  std::int64_t ended[W];
  std::int64_t attempts[W], attempts_allowed[W];
  double steps[W], equal_steps[W];  // accepted so far; of an equidistant grid
  std::int64_t evaluations[W];
  // Of the attempt just made.
  std::int64_t stepped[W];  // 1: it was accepted
  double t_from[W];
  // Dense output: the next save point (beyond t1: none), and which it is.
  double next_time[W];
  index next_save[W], saved[W];

  template <class Part>
  REVODE_HD void read_parameters(int l, Part& out) const {
    for_each_number(
        out, 0, [&](int i, T& x) __attribute__((always_inline)) { x = p[i][l]; });
  }
};

/// The stages of the steps just taken, for dense output and for the reverse pass.
template <class M, class Y, int W>
struct alignas(64) lane_tapes {
  using T = scalar_t<Y>;
  T numbers[numbers_in<typename method_types<M, Y>::tape, T>][W];
};
struct no_tapes {};

REVODE_HD double magnitude(double x) { return x < 0 ? -x : x; }

REVODE_HD constexpr std::int64_t code(status s) { return static_cast<std::int64_t>(s); }

/// stepper::bounded for a lane.
REVODE_HD double bounded_step(const lane_rules& rules, double direction, double h) {
  return select(rules.max_step > 0 && magnitude(h) > rules.max_step, direction * rules.max_step, h);
}

/// stepper::too_short for a lane.
REVODE_HD bool too_short_step(double t, double span, double h) {
  constexpr double eps = 0x1p-52;
  const double at = magnitude(t), least = 1e-10 * magnitude(span);
  return magnitude(h) < 4 * eps * (at > least ? at : least);
}

/// The end of step i of n equal ones, counted from 1.
REVODE_HD double equal_step_end(double t0, double t1, double i, double n) {
  return select(i == n, t1, t0 + i * (t1 - t0) / n);
}

/// The end of the next adaptive attempt: stepper::next_time.
REVODE_HD double next_lane_time(double direction, double t, double t1, double h) {
  return select(direction * (t1 - t - 1.01 * h) <= 0, t1, t + h);
}

/// Why a lane cannot make another attempt, or `running`.
REVODE_HD std::int64_t before_next_attempt(double t, double t_new, std::int64_t attempts,
                                           std::int64_t allowed) {
  return select(attempts == allowed, code(status::max_steps),
                select(t_new == t, code(status::step_underflow), running));
}

/// What an attempt decided for a lane.
struct lane_decision {
  bool accept;
  std::int64_t ended;
};

/// stepper::fixed_step after its attempt.
template <class M, class Y, class P, int W, class Outcome>
REVODE_HD lane_decision decide_fixed(const lane_group<M, Y, P, W>& g, int l, const Outcome& found,
                                     bool finite, double t_new) {
  const bool failed = found.what != status::success;
  const std::int64_t go_on =
      select(g.attempts[l] + 1 == g.attempts_allowed[l], code(status::max_steps), running);
  const std::int64_t after = select(t_new == g.t1[l], code(status::success), go_on);
  const std::int64_t tried = select(finite, after, code(status::non_finite_state));
  return {!failed && finite, select(failed, code(found.what), tried)};
}

/// stepper::adaptive_step after its attempt: the controller, then whether and how the lane goes on.
template <class M, class Y, class P, int W, class Outcome>
REVODE_HD lane_decision decide_adaptive(const lane_rules& rules, lane_group<M, Y, P, W>& g, int l,
                                        bool active, const Outcome& found, bool finite,
                                        double t_new) {
  const double t = g.t[l], t1 = g.t1[l], direction = g.direction[l];
  const bool failed = found.what != status::success;
  const bool overflow = found.error_squared <= 1 && !finite;
  const double error = select(overflow || failed, infinite, found.error_squared);
  lane_controller_memory memory{g.previous[l], g.before[l], g.rejected_last[l] != 0};
  const double factor = propose_lane_factor(rules.controller, memory, error, lane_order<M> + 1);
  const double h = bounded_step(rules, direction, (t_new - t) * factor);
  g.h[l] = select(active, h, g.h[l]);
  g.previous[l] = select(active, memory.previous, g.previous[l]);
  g.before[l] = select(active, memory.before, g.before[l]);
  g.rejected_last[l] = select(active, std::int64_t{memory.rejected}, g.rejected_last[l]);

  const bool good = error <= 1, measured = error - error == 0;
  const double at = select(good, t_new, t);
  const std::int64_t next = before_next_attempt(at, next_lane_time(direction, at, t1, h),
                                                g.attempts[l] + 1, g.attempts_allowed[l]);
  const std::int64_t numeric =
      select(measured, code(status::step_underflow), code(status::non_finite_field));
  const std::int64_t hopeless =
      select(failed, code(found.what), select(overflow, code(status::non_finite_state), numeric));
  const bool stuck = too_short_step(t, t1 - g.t0[l], h);
  return {good, select(good, select(t_new == t1, code(status::success), next),
                       select(stuck, hopeless, next))};
}

/// One attempt of lane l, whether it runs or not; what a lane at rest has is kept. The decisions
/// are those of `stepper`, in the same arithmetic.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD void attempt_lane(const M& m, const F& f, const lane_rules& rules,
                            lane_group<M, Y, P, W>& g, Tapes& tapes, int l) {
  using T = scalar_t<Y>;
  const bool active = g.ended[l] == running;
  const double t = g.t[l], t1 = g.t1[l];
  P p;
  g.read_parameters(l, p);
  carry<M, Y> from, next;
  for_each_number(
      from, [&](int i, T& x) __attribute__((always_inline)) { x = g.now[i][l]; });
  typename method_types<M, Y>::tape tape;
  system<F, Y, P> sys(f, p);

  const double t_new = Fixed ? equal_step_end(g.t0[l], t1, g.steps[l] + 1, g.equal_steps[l])
                             : next_lane_time(g.direction[l], t, t1, g.h[l]);
  const tolerance tol{g.rtol[l], g.atol[l], !Fixed};
  const auto found = attempt_in_lane(m, sys, tol, t, t_new, from, tape, next);
  const bool finite = all_finite(value(m, next.state));
  lane_decision decided;
  if constexpr (Fixed)
    decided = decide_fixed(g, l, found, finite, t_new);
  else
    decided = decide_adaptive(rules, g, l, active, found, finite, t_new);

  const bool accept = active && decided.accept;
  for_each_number(
      next, [&](int i, T& x)
                __attribute__((always_inline)) { g.now[i][l] = select(accept, x, g.now[i][l]); });
  if constexpr (!std::is_same_v<Tapes, no_tapes>)
    for_each_number(
        tape, 0, [&](int i, T& x) __attribute__((always_inline)) { tapes.numbers[i][l] = x; });
  g.t_from[l] = t;
  g.stepped[l] = accept;
  g.t[l] = select(accept, t_new, t);
  g.steps[l] += select(accept, 1.0, 0.0);
  g.attempts[l] += active;
  g.evaluations[l] += select(active, sys.counts.field_evaluations, std::int64_t{0});
  g.ended[l] = select(active, decided.ended, g.ended[l]);
}

/// One attempt of every lane; how many are at rest afterwards. Everything is inlined and branch-free,
/// so that compilers make one vector operation of each line.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::flatten]]
#endif
    int
    attempt_lanes(const M& m, const F& f, const lane_rules& rules, lane_group<M, Y, P, W>& g,
                  Tapes& tapes) {
  if constexpr (W == 1) {
    attempt_lane<Fixed>(m, f, rules, g, tapes, 0);
    return g.ended[0] != running;
  } else {
    const lane_rules r = rules;
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif !defined(__CUDACC__)
#pragma GCC ivdep
#endif
    for (int l = 0; l < W; ++l) attempt_lane<Fixed>(m, f, r, g, tapes, l);
    std::int64_t at_rest = 0;
    for (int l = 0; l < W; ++l) at_rest += g.ended[l] != running;
    return static_cast<int>(at_rest);
  }
}

}  // namespace revode
