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
  double t_from[W], t_tried[W], error[W], log2_error[W];
  std::int64_t trouble[W];
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

REVODE_HD double magnitude(double x) {
  using std::fabs;
  return fabs(x);
}

REVODE_HD constexpr std::int64_t code(status s) { return static_cast<std::int64_t>(s); }

/// all_finite. The narrowest number of a loop over lanes decides by how many vectors compilers take
/// them: the count has 32 bits for small states, of which two vectors' worth hide each other's
/// latency, and 64 for those that fill the registers by themselves.
template <class Y>
REVODE_HD bool all_finite_in_lane(const Y& y) {
  const auto* x = y.data();
  std::conditional_t<static_size_v<Y> <= 4, std::int32_t, std::int64_t> bad = 0;
  for_each_element(
      y, [&](int i) __attribute__((always_inline)) { bad += !(x[i] - x[i] == 0); });
  return bad == 0;
}

/// A status while lanes choose among several: too large for compilers to choose in 32 bits.
inline constexpr std::int64_t code_offset = std::int64_t{1} << 40;
REVODE_HD constexpr std::int64_t wide_code(status s) { return code_offset + code(s); }
inline constexpr std::int64_t wide_running = code_offset + running;

/// stepper::bounded for a lane.
REVODE_HD double bounded_step(const lane_rules& rules, double direction, double h) {
  const double most = select(rules.max_step > 0, rules.max_step, infinite);
  return select(magnitude(h) > most, direction * most, h);
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

/// Why a lane cannot make another attempt, or `wide_running`.
REVODE_HD std::int64_t before_next_attempt(double t, double t_new, std::int64_t attempts,
                                           std::int64_t allowed) {
  return select(attempts == allowed, wide_code(status::max_steps),
                select(t_new == t, wide_code(status::step_underflow), wide_running));
}

/// What the stages of an attempt came to, before anything is decided: a status where they failed,
/// and the squared error, infinite there.
template <bool Fixed, class Outcome>
REVODE_HD bool judge(const Outcome& found, bool finite, std::int64_t& trouble, double& error) {
  const bool failed = found.what != status::success;
  const bool small = Fixed | (found.error_squared <= 1), overflow = small & !finite;
  trouble =
      select(failed, wide_code(found.what),
             select(overflow, wide_code(status::non_finite_state), wide_code(status::success))) -
      code_offset;
  error = select(overflow | failed, infinite, Fixed ? 0.0 : found.error_squared);
  return error <= 1;
}

/// The stages of one attempt of lane l, whether it runs or not, and where they take it if they are
/// accepted; what a lane at rest has is kept.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD void step_lane(const M& m, const F& f, lane_group<M, Y, P, W>& g, Tapes& tapes, int l) {
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
  const bool finite = all_finite_in_lane(value(m, next.state));
  const bool accept = active & judge<Fixed>(found, finite, g.trouble[l], g.error[l]);
  for_each_number(
      next, [&](int i, T& x)
                __attribute__((always_inline)) { g.now[i][l] = select(accept, x, g.now[i][l]); });
  if constexpr (!std::is_same_v<Tapes, no_tapes>)
    for_each_number(
        tape, 0, [&](int i, T& x) __attribute__((always_inline)) { tapes.numbers[i][l] = x; });
  g.t_from[l] = t;
  g.t_tried[l] = t_new;
  g.stepped[l] = accept;
  g.t[l] = select(accept, t_new, t);
  g.steps[l] += select(accept, 1.0, 0.0);
  g.attempts[l] += active;
  g.evaluations[l] += select(active, sys.counts.field_evaluations, std::int64_t{0});
}

/// stepper::fixed_step after its attempt.
template <class M, class Y, class P, int W>
REVODE_HD void decide_fixed(lane_group<M, Y, P, W>& g, int l) {
  const std::int64_t go_on =
      select(g.attempts[l] == g.attempts_allowed[l], wide_code(status::max_steps), wide_running);
  const std::int64_t after = select(g.t_tried[l] == g.t1[l], wide_code(status::success), go_on);
  const std::int64_t ended =
      select(g.trouble[l] == code(status::success), after, g.trouble[l] + code_offset);
  g.ended[l] = select(g.ended[l] == running, ended - code_offset, g.ended[l]);
}

// stepper::adaptive_step after its attempt, in three parts that are loops of their own: together they
// are one long chain of operations, and a processor finds other lanes to work on while it waits for
// one of them only where the next lanes' instructions are near.

/// log2 of the error.
template <class M, class Y, class P, int W>
REVODE_HD void measure_lane(lane_group<M, Y, P, W>& g, int l) {
  g.log2_error[l] = log2_error_in_lane(g.error[l]);
}

/// The controller.
template <class M, class Y, class P, int W>
REVODE_HD void propose_lane(const lane_rules& rules, lane_group<M, Y, P, W>& g, int l) {
  const bool active = g.ended[l] == running;
  lane_controller_memory memory{g.previous[l], g.before[l], g.rejected_last[l] != 0};
  const double factor =
      propose_lane_factor(rules.controller, memory, g.error[l], g.log2_error[l], lane_order<M> + 1);
  const double h = bounded_step(rules, g.direction[l], (g.t_tried[l] - g.t_from[l]) * factor);
  g.h[l] = select(active, h, g.h[l]);
  g.previous[l] = select(active, memory.previous, g.previous[l]);
  g.before[l] = select(active, memory.before, g.before[l]);
  g.rejected_last[l] = select(active, std::int64_t{memory.rejected}, g.rejected_last[l]);
}

/// Whether and how the lane goes on.
template <class M, class Y, class P, int W>
REVODE_HD void decide_adaptive(lane_group<M, Y, P, W>& g, int l) {
  const bool active = g.ended[l] == running;
  const double t = g.t_from[l], t_new = g.t_tried[l], t1 = g.t1[l], h = g.h[l];
  const double error = g.error[l];
  const bool good = error <= 1, measured = error - error == 0;
  const double at = select(good, t_new, t);
  const std::int64_t next = before_next_attempt(at, next_lane_time(g.direction[l], at, t1, h),
                                                g.attempts[l], g.attempts_allowed[l]);
  const std::int64_t numeric =
      select(measured, wide_code(status::step_underflow), wide_code(status::non_finite_field));
  const std::int64_t hopeless =
      select(g.trouble[l] == code(status::success), numeric, g.trouble[l] + code_offset);
  const bool stuck = too_short_step(t, t1 - g.t0[l], h);
  const std::int64_t ended = select(good, select(t_new == t1, wide_code(status::success), next),
                                    select(stuck, hopeless, next));
  g.ended[l] = select(active, ended - code_offset, g.ended[l]);
}

/// After step_lane: how lane l goes on.
template <bool Fixed, class M, class Y, class P, int W>
REVODE_HD void decide_lane(const lane_rules& rules, lane_group<M, Y, P, W>& g, int l) {
  if constexpr (Fixed) {
    decide_fixed(g, l);
  } else {
    measure_lane(g, l);
    propose_lane(rules, g, l);
    decide_adaptive(g, l);
  }
}

/// body(l) for every lane, as one vector operation each line. Written out, a step of several lanes
/// would not fit in the instruction cache; and what is written out early is never vectorised.
template <int W, class Body>
REVODE_HD void for_each_lane(const Body& body) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety) unroll(disable)
#elif !defined(__CUDACC__)
#pragma GCC ivdep
#pragma GCC unroll 1
#endif
  for (int l = 0; l < W; ++l) body(l);
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
    step_lane<Fixed>(m, f, g, tapes, 0);
    decide_lane<Fixed>(rules, g, 0);
    return g.ended[0] != running;
  } else {
    const lane_rules r = rules;
    for_each_lane<W>([&](int l)
                         __attribute__((always_inline)) { step_lane<Fixed>(m, f, g, tapes, l); });
    if constexpr (Fixed) {
      for_each_lane<W>([&](int l) __attribute__((always_inline)) { decide_fixed(g, l); });
    } else {
      for_each_lane<W>([&](int l) __attribute__((always_inline)) { measure_lane(g, l); });
      for_each_lane<W>([&](int l) __attribute__((always_inline)) { propose_lane(r, g, l); });
      for_each_lane<W>([&](int l) __attribute__((always_inline)) { decide_adaptive(g, l); });
    }
    std::int64_t at_rest = 0;
    for (int l = 0; l < W; ++l) at_rest += g.ended[l] != running;
    return static_cast<int>(at_rest);
  }
}

}  // namespace revode
