// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <cli/check.hpp>
#include <cli/request.hpp>
#include <cli/schedule_run.hpp>

namespace revode::cli {

/// "lorenz from t = 0 to 10, method tsit5 (chosen), rtol 1e-6, atol 1e-9" and a line feed.
std::string heading(const run_request& r);

// What people read on stdout.
std::string text_of_solve(const run_request& r, const timed_solution& s);
std::string text_of_gradient(const gradient_request& r, const differentiated& d,
                             const std::optional<gradient_check>& check);
std::string text_of_schedule(const schedule_arguments& s, const schedule_run& r);

}  // namespace revode::cli
