// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <cli/methods.hpp>

namespace revode::cli {

/// The table of methods is compiled in this many sources, methods_<part>.cpp; method number i of
/// `all_methods` belongs to part i mod method_parts.
inline constexpr std::size_t method_parts = 6;

/// The entries of one part; defined in method_entries.hpp, instantiated in methods_<part>.cpp.
template <std::size_t Part>
auto entries_of_part() -> std::vector<method_entry>;

}  // namespace revode::cli
