// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <cli/arguments.hpp>

namespace revode::cli {

/// What a command prints on stdout, and how the process ends: 0 success, 1 another numerical
/// outcome. Misuse is an std::invalid_argument.
struct report {
  std::string text;
  int exit_status = 0;
};

report list_command(const arguments& given);
report solve_command(const arguments& given);
report gradient_command(const arguments& given);
report ensemble_command(const arguments& given);
report bench_command(const arguments& given);
report schedule_command(const arguments& given);

}  // namespace revode::cli
