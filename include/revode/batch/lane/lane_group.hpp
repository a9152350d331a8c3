// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <revode/batch/lane/lane_arrays.hpp>
#include <revode/batch/lane/lane_numbers.hpp>
#include <revode/batch/lane/lane_select.hpp>
#include <revode/batch/lane/lane_step.hpp>
#include <revode/solve/course/rules.hpp>
#include <revode/solve/options.hpp>
#include <revode/solve/system.hpp>
#include <revode/status.hpp>

namespace revode {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr index no_deadline = std::numeric_limits<index>::max();
template <class M>
inline constexpr int lane_order = estimate_order<M>();

REVODE_HD constexpr std::int64_t code(status s) { return static_cast<std::int64_t>(s); }

/// The squared error of an attempt whose new state is not finite though its estimate passes: no
/// estimate is that, and the controller takes it for infinity.
inline constexpr double error_of_overflow = 0x1.fffffffffffffp1023;

/// W lanes in lockstep. Element l of each array is lane l's; what a lane does never depends on its
/// neighbours, on l or on W. A round is an attempt of every lane. What rounds do not need is kept out
/// of them: lanes are looked at one by one (settle) only when one of them may have ended.
template <class M, class Y, class P, int W>
struct alignas(64) lane_group {
  using T = scalar_t<Y>;
  using state_type = Y;
  static constexpr int width = W;
  static constexpr int carry_numbers = numbers_in_carry<M, Y>;
  static constexpr int tape_numbers = numbers_in<typename method_types<M, Y>::tape, T>;
  static constexpr int parameters = static_size_v<P>;

  // What a round reads and writes.
  T now[carry_numbers][W];
  T p[parameters > 0 ? parameters : 1][W];
  double t[W], t_new[W];  // the next attempt goes from t to t_new; a lane at rest has t_new = t
  double t1[W], direction[W], rtol[W], atol[W];
  double limit[W];                // errors up to this are accepted: 1, or −1 for a lane at rest
  double least[W];                // a next step up to this may be none; −1 for a lane at rest
  double error[W], h[W];          // of the last attempt, and what the controller made of it
  double previous[W], before[W];  // log2 of the error of the last accepted steps
  double most[W];                 // the factor that the next accepted step may grow by
  double steps[W];                // accepted so far
  std::int64_t attempted[W];      // the clock's next value since the lane's last attempt
  // What settles how a lane ends.
  double t0[W], equal_steps[W];  // … of an equidistant grid
  std::int64_t ended[W], trouble[W];
  std::int64_t started[W], attempts[W], attempts_allowed[W];  // attempts: of a lane that has ended
  std::int64_t evaluations[W];                                // those outside attempts
  // Dense output: where the last step started, the next save point (beyond t1: none), which it is.
  double t_from[W], next_time[W];
  index next_save[W], saved[W];
  // Of the group.
  index clock = 0;               // rounds so far
  index deadline = no_deadline;  // the round after which a lane has no attempt left
  index evaluations_each = 0;    // field evaluations of one attempt
  double max_step = infinite;

  // A lane alone, which has few registers to spare on a device, keeps less and counts by itself.
  REVODE_HD index attempts_of(int l) const { return W == 1 ? attempts[l] : clock - started[l]; }
  REVODE_HD index evaluations_of(int l) const {
    return W == 1 ? evaluations[l] : evaluations[l] + attempts[l] * evaluations_each;
  }
  REVODE_HD void count_attempt(index field_evaluations) {
    ++clock;
    if constexpr (W == 1) {
      attempts[0] += ended[0] == running;
      evaluations[0] += ended[0] == running ? field_evaluations : 0;
    } else {
      evaluations_each = is_linearly_implicit_v<M> ? 0 : field_evaluations;
    }
  }
  REVODE_HD double accepted_up_to(int l) const {
    if constexpr (W == 1)
      return ended[l] == running ? 1.0 : -1.0;
    else
      return limit[l];
  }
  /// A save point lies in the step just made, or at its end.
  REVODE_HD bool has_passed_save(int l) const { return reaches(direction[l], t[l], next_time[l]); }
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

/// attempts::bounded for a lane.
REVODE_HD double bounded_step(const lane_rules& rules, double h) {
  const double most = rules.max_step > 0 ? rules.max_step : infinite;
  return max_of(min_of(h, most), -most);
}

/// The end of step i of n equal ones, counted from 1.
REVODE_HD double equal_step_end(double t0, double t1, double i, double n) {
  return select(i == n, t1, t0 + i * (t1 - t0) / n);
}

/// The end of the next adaptive attempt: attempts::next_time.
REVODE_HD double next_lane_time(double direction, double t, double t1, double h) {
  return select(fills_stretch(direction, t, t1, h), t1, t + h);
}

/// The same with max_step, from t with length h.
template <class M, class Y, class P, int W>
REVODE_HD double bounded_lane_time(const lane_group<M, Y, P, W>& g, int l, double t, double h) {
  const double t_new = next_lane_time(g.direction[l], t, g.t1[l], h);
  return within_max_step(g.direction[l], t, t_new, g.t1[l], g.max_step);
}

/// Where the next attempt of a lane that runs ends.
template <bool Fixed, class M, class Y, class P, int W>
REVODE_HD double next_end(const lane_group<M, Y, P, W>& g, int l) {
  return Fixed ? equal_step_end(g.t0[l], g.t1[l], g.steps[l] + 1, g.equal_steps[l])
               : bounded_lane_time(g, l, g.t[l], g.h[l]);
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

}  // namespace revode
