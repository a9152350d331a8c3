// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <cli/ensemble_request.hpp>
#include <revode/io/npz.hpp>

namespace revode::cli {

/// Does an output of this name have arrays for NumPy?
inline bool is_npz(const std::string& path) { return path.ends_with(".npz"); }

/// Writes what was asked for and what was found to r.out: times t (k), states y (k, n), events, counts;
/// `more` behind. No time of day and no seconds: the same solve has the same bytes.
/// errors  unwritten
void write_npz(const run_request& r, const solution_type& s, const npz_arrays& more);

/// What a gradient adds: loss, grad_y0 (n), grad_p (np), grad_t0, grad_t1, grad_ts; none without gradient.
npz_arrays arrays_of_gradient(const gradient_request& r, const differentiated& d);

/// An ensemble's: a row a lane, of those that were solved; first_lane is the number of the first.
/// errors  unwritten
void write_npz(const ensemble_request& r, const lanes_result& found);

/// Is this array of an ensemble's file one with a row a lane?
bool has_lanes(std::string_view array);

}  // namespace revode::cli
