// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <cli/request.hpp>

namespace revode::cli {

/// Draws a solve to r.plot: an orbit x–y, the phase portrait of two or three components, up to
/// eight components over time (of a stiff problem in panels), more of them as colours over place and time. The curve comes from a
/// solve of its own with many save points, which do not change its steps; those of s are dots.
/// status  a missing gnuplot is said on stderr, nothing else happens
void draw_solution(const run_request& r, const solution_type& s);

/// A panel a component over time, broken where an event moves the state, with dots before and behind.
void draw_events(const run_request& r, const solution_type& s);

/// A panel a component over time, each of its own scale; over the logarithm of time where most steps lie at
/// the beginning of a span from 0.
void draw_panels(const run_request& r, const solution_type& s);

/// Save points are drawn as dots unless there are more.
inline constexpr std::size_t most_dots = 200;

/// Enough points a step for a smooth curve.
index curve_points(const solution_type& s);
/// The solve again with save points at equal times, and at those of `besides`.
auto dense_solve(const run_request& r, index intervals, const std::vector<occurrence>& besides = {})
    -> solution_type;
/// More save points among those of the solve, in its order.
void add_times(const run_request& r, const std::vector<double>& more, std::vector<double>& ts);
/// The solve again with these save points.
auto solve_at(const run_request& r, save_at points) -> solution_type;

/// A solve again, with points for a curve and the ends of its steps.
struct drawn_curve {
  solution_type points;
  std::vector<double> ends;
  bool logarithmic = false;  ///< in time: from 0, half of the steps in the first hundredth
};
auto curve_along(const run_request& r, const solution_type& s, index intervals) -> drawn_curve;

std::string picture_title(const run_request& r);

}  // namespace revode::cli
