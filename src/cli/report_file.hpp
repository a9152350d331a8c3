// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <cli/arguments.hpp>
#include <cli/ensemble_output.hpp>
#include <cli/request.hpp>

namespace revode::cli {

/// What was typed, to be typed again.
std::string command_line(const arguments& given);

// The page of --report: what was typed, curves, steps, what was printed. The curves come from a solve of
// their own, which takes the same steps. Throws unwritten.
void write_report(const arguments& given, const run_request& r, const solution_type& s,
                  const std::string& printed);
/// With the gradient, where there is one.
void write_report(const arguments& given, const gradient_request& r, const differentiated& d,
                  const std::string& printed);
/// The lanes' final states over what distinguishes them, and how many made how many attempts.
void write_report(const arguments& given, const ensemble_request& r, const lanes_result& found,
                  const std::string& printed);

}  // namespace revode::cli
