// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <cli/methods.hpp>

namespace revode::cli {

/// The table of methods is compiled in this many sources, written by cmake/command.cmake, in
/// equal shares.
inline constexpr std::size_t method_parts = REVODE_METHOD_PARTS;

/// The entries of one part; defined in method_entries.hpp, each instantiated in a source of its own.
template <std::size_t Part>
auto entries_of_part() -> std::vector<method_entry>;

}  // namespace revode::cli
