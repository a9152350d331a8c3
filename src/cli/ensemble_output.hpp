// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <cli/ensemble_request.hpp>

namespace revode::cli {

/// How many lanes ended how, in the order of `status`.
auto count_statuses(const lanes_result& found) -> std::map<status, index>;

/// The few lanes with the most attempts, most first; of equals the first lane.
auto slowest_lanes(const lanes_result& found) -> std::vector<std::size_t>;

/// The parameters of a lane, and its initial state.
struct lane_problem {
  std::vector<double> y0, p;
};
auto problem_of_lane(const ensemble_request& r, std::size_t lane) -> lane_problem;

/// For people, on stdout.
std::string text_of_ensemble(const ensemble_request& r, const lanes_result& found);

/// One JSON object and a line feed; the loss and the gradient of a lane without success are null.
std::string json_of_ensemble(const ensemble_request& r, const lanes_result& found);

/// Writes a row a lane to r.out.
/// errors  misuse: the file cannot be written
void write_csv(const ensemble_request& r, const lanes_result& found);

/// The final states of the lanes that succeeded, to r.plot; how many lanes made how many attempts,
/// to r.histogram.
/// status  a missing gnuplot is said on stderr, nothing else happens
void draw_lanes(const ensemble_request& r, const lanes_result& found);
void draw_histogram(const ensemble_request& r, const lanes_result& found);

}  // namespace revode::cli
