// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <cli/arguments.hpp>
#include <cli/text.hpp>

namespace revode::cli {

/// What a command prints on stdout, and how the process ends: 0 success, 1 another numerical
/// outcome, 3 an output that could not be written; `complaint` is what stderr hears of them, a line
/// each. Misuse is an std::invalid_argument.
struct report {
  std::string text;
  int exit_status = 0;
  std::string complaint{};
};

/// Writes a file: one that cannot be written is a complaint, and the rest of the report stands.
template <class Write>
void add_file(report& r, Write&& write) {
  try {
    write();
  } catch (const unwritten& e) {
    if (!r.complaint.empty()) r.complaint += '\n';
    r.complaint += e.what();
    r.exit_status = 3;
  }
}

report list_command(const arguments& given);
report solve_command(const arguments& given);
report gradient_command(const arguments& given);
report ensemble_command(const arguments& given);
report train_command(const arguments& given);
report merge_command(const arguments& given);
report new_command(const arguments& given);
report completion_command(const arguments& given);
report bench_command(const arguments& given);
report schedule_command(const arguments& given);

}  // namespace revode::cli
