// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include <revode/solve/statistics.hpp>
#include <revode/state/scalar_of.hpp>
#include <revode/status.hpp>

namespace revode {

/// What a loss says about a solution L(y(t1), ys, events): its derivative with respect to the final
/// state, to each state in solution::ys and to the time of each event in solution::events (empty:
/// none of them counts).
template <class Y>
struct cotangents {
  std::optional<Y> y{};
  std::vector<Y> ys{};
  std::vector<event_time_t<scalar_t<Y>>> events{};
};

/// What a pullback takes for a cotangent of y(t1) alone: whatever converts to the state, and in braces,
/// which say no type, the elements. `pullback({.y = w})` is then never a state of that one element.
template <class Y>
using braced_state =
    std::conditional_t<std::is_aggregate_v<Y>, Y, std::initializer_list<scalar_t<Y>>>;

/// How far a gradient is from that of the differential equation: estimated by another solve, see
/// with_error.
template <class Y, class P>
struct gradient_error {
  Y y0;
  P p;
  double t0 = 0;
  double t1 = 0;
  std::vector<double> ts{}, stops{}, events{};  ///< as in gradient
  std::vector<std::vector<double>> times{};
  double loss = 0;      ///< of the value
  double relative = 0;  ///< of y0 or p, whichever is larger: the error's 2-norm over the gradient's
  statistics looser{};  ///< of the second solve
  statistics tighter{};          ///< of the third, where there was one
  reverse_statistics reverse{};  ///< of the gradient that tells
};

/// The derivative of a loss of the computed solution, exact for the steps that were taken. Without
/// success every number is NaN, and reverse.pulled_steps tells how far the reverse pass came.
template <class Y, class P>
struct gradient {
  using time = event_time_t<scalar_t<Y>>;  ///< double, but where states are duals
  Y y0;
  P p;
  time t0{0};
  time t1{0};
  std::vector<time> ts{};  ///< of the listed save times; 0 behind a terminal event
  reverse_statistics reverse{};
  std::vector<time> stops{};   ///< of options::stops, then of options::discontinuities
  std::vector<time> events{};  ///< of the listed times of timed events, by solution::events
  /// Of the times of each event that has a list of them, [event][time]; 0 where it never occurs.
  std::vector<std::vector<time>> times{};
  /// linear_solve_failure, non_finite_field (a Jacobian) or non_finite_gradient, the first of them
  /// that was met; reconstruction_failure and those of solves backwards where an adjoint says so.
  /// With gradient_not_resolved, alone of them, there are numbers: their error is too large a part.
  revode::status status = revode::status::success;
  std::optional<gradient_error<Y, P>> error{};  ///< where it was asked for
};

/// A direction in which to differentiate a solution.
template <class Y, class P>
struct tangents {
  Y y0;
  P p;
  double t0 = 0;
  double t1 = 0;
  std::vector<double> ts{};  ///< of the listed save times; empty: they stand still
  std::vector<double>
      stops{};  ///< of options::stops, then discontinuities; empty: they stand still
  std::vector<std::vector<double>> times{};  ///< as in gradient; empty: they stand still
};
template <class Y, class P, class... Times>  // clang before 17 deduces no aggregate's arguments
tangents(Y, P, Times...)->tangents<Y, P>;

}  // namespace revode
