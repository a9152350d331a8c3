// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <cli/check.hpp>
#include <cli/request.hpp>
#include <cli/schedule_run.hpp>

namespace revode::cli {

/// One JSON object and a line feed each; numbers read back to the same bits, those that are not
/// finite are null.
std::string json_of_solve(const run_request& r, const timed_solution& s);
std::string json_of_gradient(const gradient_request& r, const differentiated& d,
                             const std::optional<gradient_check>& check);
std::string json_of_schedule(const schedule_arguments& s, const schedule_run& r);

/// The lists named by `what`, all of them when it is empty.
std::string json_of_lists(const std::string& what);

}  // namespace revode::cli
