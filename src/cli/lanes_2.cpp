// SPDX-License-Identifier: Apache-2.0
#include <cli/lanes_entries.hpp>
#include <revode/problems/brusselator.hpp>
#include <revode/problems/vdpol.hpp>

namespace revode::cli {

template <>
auto lane_programs_of<2>() -> std::vector<lane_program> {
  return {program<vdpol, 2>(), program<brusselator, 2>()};
}

}  // namespace revode::cli
