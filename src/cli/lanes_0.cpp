// SPDX-License-Identifier: Apache-2.0
#include <cli/lanes_entries.hpp>
#include <revode/problems/decay.hpp>
#include <revode/problems/harmonic.hpp>

namespace revode::cli {

template <>
auto lane_programs_of<0>() -> std::vector<lane_program> {
  return {program<decay, 1>(), program<harmonic, 2>()};
}

}  // namespace revode::cli
