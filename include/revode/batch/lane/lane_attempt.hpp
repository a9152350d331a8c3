// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_group.hpp>

namespace revode {

// An attempt of one lane, without branches: beside the same of its neighbours it is one vector operation
// each line.

/// all_finite: of a number that is not, the difference with itself is NaN.
template <class Y>
REVODE_HD bool all_finite_in_lane(const Y& y) {
  const auto* x = y.data();
  scalar_t<Y> sum(-0.0);  // vanishes in an addition
  for_each_element(
      y, [&](int i) __attribute__((always_inline)) { sum = sum + (x[i] - x[i]); });
  return sum == 0;
}

/// The squared error of an attempt as lanes keep it.
template <bool Fixed, class M, class Outcome>
REVODE_HD double judge(const Outcome& found, bool finite) {
  const double error = Fixed && !is_linearly_implicit_v<M> ? 0.0 : found.error_squared;
  const double judged = select((error <= 1) & !finite, error_of_overflow, error);
  return found.what != status::success ? infinite : judged;
}

/// Where an attempt of lane l has taken it, if it is accepted; what a lane at rest has is kept.
template <bool Fixed, class M, class Y, class P, int W, class Tapes, class Outcome>
REVODE_HD void keep_attempt(const M& m, lane_group<M, Y, P, W>& g, Tapes& tapes, int l,
                            const Outcome& found, const typename method_types<M, Y>::tape& tape,
                            const carry<M, Y>& next) {
  const double error = judge<Fixed, M>(found, all_finite_in_lane(value(m, next.state)));
  write_lane_if(error <= g.accepted_up_to(l), next, g.now, l);
  if constexpr (!std::is_same_v<Tapes, no_tapes>) write_lane(tape, tapes.numbers, l);
  g.error[l] = error;
  g.attempted[l] = g.clock + 1;
}

/// The evaluations of a linearly implicit attempt, which has none where it ends with the matrix.
template <class M, class Y, class P, int W, class Outcome>
REVODE_HD void count_evaluations(lane_group<M, Y, P, W>& g, int l, const Outcome& found,
                                 index done) {
  const bool ends = (found.error_squared >= error_of_no_jacobian) &
                    (found.error_squared <= error_of_singular_matrix);
  g.evaluations[l] += select(!ends & (g.limit[l] > 0), done, index{0});
}

/// One attempt of lane l, whether it runs or not. Returns the evaluations of the field.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD index step_lane(const M& m, const F& f, lane_group<M, Y, P, W>& g, Tapes& tapes, int l) {
  P p;
  carry<M, Y> from, next;
  typename method_types<M, Y>::tape tape;
  read_lane(g.p, l, p);
  read_lane(g.now, l, from);
  if constexpr (is_linearly_implicit_v<M> && !trouble_in_error_v<M, F, Y, P, W>)
    next = from, tape = {};  // an attempt without a solution leaves them as they are
  step_system<M, F, Y, P, W> sys(f, p);
  const tolerance tol{g.rtol[l], g.atol[l], !Fixed};
  if constexpr (W == 1) g.t_new[l] = next_end<Fixed>(g, l);
  const auto found = attempt_in_lane(m, sys, tol, g.t[l], g.t_new[l], from, tape, next);
  keep_attempt<Fixed>(m, g, tapes, l, found, tape, next);
  const index evaluations = sys.counts.field_evaluations;
  if constexpr (W > 1 && is_linearly_implicit_v<M>)  // a lane alone counts by itself
    count_evaluations(g, l, found, found.what == status::success ? evaluations : 0);
  if constexpr (!trouble_in_error_v<M, F, Y, P, W> && !attempts_surely<M, system<F, Y, P>, Y>)
    g.trouble[l] = code(found.what);
  return evaluations;
}

}  // namespace revode
