// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <revode/solve/statistics.hpp>

namespace revode {

/// What a loss says about a solution L(y(t1), ys, events): its derivative with respect to the final
/// state, to each state in solution::ys and to the time of each event in solution::events (empty:
/// none of them counts).
template <class Y>
struct cotangents {
  std::optional<Y> y{};
  std::vector<Y> ys{};
  std::vector<double> events{};
};

/// The derivative of a loss of the computed solution, exact for the steps that were taken.
template <class Y, class P>
struct gradient {
  Y y0;
  P p;
  double t0 = 0;
  double t1 = 0;
  std::vector<double> ts{};  ///< of the listed save times; 0 behind a terminal event
  reverse_statistics reverse{};
  std::vector<double> stops{};   ///< of options::stops, then of options::discontinuities
  std::vector<double> events{};  ///< of the listed times of timed events, by solution::events
  /// Of the times of each event that has a list of them, [event][time]; 0 where it never occurs.
  std::vector<std::vector<double>> times{};
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

}  // namespace revode
