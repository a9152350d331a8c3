// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cli/request.hpp>

namespace revode::cli {

/// Writes the save points as CSV with the header t,<labels>; without any, the start and the end.
/// Numbers read back to the same bits.
/// errors  misuse: the file cannot be written
void write_csv(const run_request& r, const solution_type& s);

/// Writes the events as CSV with the header t,event,step, one a row.
/// errors  misuse: the file cannot be written
void write_events(const run_request& r, const solution_type& s);

}  // namespace revode::cli
