// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace revode::cli {

// The script that draws a report's charts and its style sheet, as cmake/command.cmake found them; empty: not found.
std::string_view report_script();
std::string_view report_style();

}  // namespace revode::cli
