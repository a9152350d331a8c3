// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <cli/ensemble_request.hpp>
#include <revode/io/npz.hpp>

namespace revode::cli {

/// Does an output of this name have arrays by name? In NumPy's NPZ, or in HDF5.
inline bool has_arrays(const std::string& path) {
  return path.ends_with(".npz") || path.ends_with(".h5");
}
/// Writes the arrays in the format that the name tells.
/// errors  unwritten
void write_arrays(const std::string& path, const named_arrays& all);
/// The arrays in such a file's bytes.
/// errors  std::invalid_argument: it is none; misuse: an HDF5 file without HDF5's library
named_arrays read_arrays(const std::string& bytes, const std::string& path);

/// Writes what was asked for and what was found to r.out: times t (k), states y (k, n), events, counts;
/// `more` behind. No time of day and no seconds: the same solve has the same bytes.
/// errors  unwritten
void write_arrays(const run_request& r, const solution_type& s, const named_arrays& more);

/// What a gradient adds: loss, grad_y0 (n), grad_p (np), grad_t0, grad_t1, grad_ts; none without gradient.
named_arrays arrays_of_gradient(const gradient_request& r, const differentiated& d);

/// An ensemble's: a row a lane, of those that were solved; first_lane is the number of the first.
/// errors  unwritten
void write_arrays(const ensemble_request& r, const lanes_result& found);

/// Is this array of an ensemble's file one with a row a lane?
bool has_lanes(std::string_view array);

}  // namespace revode::cli
