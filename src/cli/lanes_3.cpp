// SPDX-License-Identifier: Apache-2.0
#include <cli/lanes_entries.hpp>
#include <revode/problems/kepler.hpp>
#include <revode/problems/lorenz96.hpp>

namespace revode::cli {

template <>
auto lane_programs_of<3>() -> std::vector<lane_program> {
  return {program<kepler, 4>(), program<lorenz96, 8>()};
}

}  // namespace revode::cli
