// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cli/request.hpp>

namespace revode::cli {

/// Draws a solve to r.plot: an orbit x–y, the phase portrait of two or three components, up to
/// eight components over time, more of them as colours over place and time. The curve comes from a
/// solve of its own with many save points, which do not change its steps; those of s are dots.
/// status  a missing gnuplot is said on stderr, nothing else happens
void draw_solution(const run_request& r, const solution_type& s);

}  // namespace revode::cli
