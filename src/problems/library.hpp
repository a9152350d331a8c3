// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <revode/problems/plugin_build.hpp>

namespace revode::named {

/// The function `symbol` of a shared library, which stays loaded: what it makes is code in there.
/// kind    "problem" or "method", for the texts
/// macro   what its author writes
/// errors  std::invalid_argument: no such library, or it has no such function
void* function_of_library(const std::string& path, const std::string& kind, const char* symbol,
                          const std::string& macro);

/// errors  std::invalid_argument: it was compiled with another revode or Eigen than this program
void expect_same_build(const plugin_build& its, const plugin_build& own, const std::string& path,
                       const std::string& kind);

/// The end of "….so" in "libmine.so" and "libmine.so:argument"; npos in what is no library.
std::size_t end_of_library(std::string_view spec);

}  // namespace revode::named
