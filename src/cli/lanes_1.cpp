// SPDX-License-Identifier: Apache-2.0
#include <cli/lanes_entries.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/problems/lotka_volterra.hpp>

namespace revode::cli {

template <>
auto lane_programs_of<1>() -> std::vector<lane_program> {
  return {program<lotka_volterra, 2>(), program<lorenz, 3>()};
}

}  // namespace revode::cli
