// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "rows.hpp"

namespace revode::honesty {

/// Every row of a family, each problem's condition in it. `progress` gets a line a method.
auto measure(bool stiff, int first_digits, int last_digits, std::ostream& progress)
    -> std::vector<row>;

/// Why a row may be more than a hundred tolerances off, from its numbers; empty: nothing says so.
///   condition   off / condition <= 100: the flow magnifies errors of one tolerance
///   drift       off / condition <= steps: each step adds its own, all of one sign
///   rounding    off / condition <= steps ε / rtol
auto reason_of(const row& r) -> std::string;

/// docs/honesty.md: the law, summaries by family, exceptions with their reasons, all rows.
void write_page(std::ostream& out, const std::vector<row>& explicit_rows,
                const std::vector<row>& implicit_rows);

}  // namespace revode::honesty
