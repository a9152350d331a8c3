// SPDX-License-Identifier: Apache-2.0
#include <cli/lanes.hpp>

namespace revode::cli {

// The build defines REVODE_LANE_DEVICE where there is a batch system.
#if defined(REVODE_LANE_DEVICE)
std::string_view lane_device() { return REVODE_LANE_DEVICE; }

auto lane_programs() -> std::vector<lane_program> {
  std::vector<lane_program> all;
  for (const auto& part :
       {lane_programs_of<0>(), lane_programs_of<1>(), lane_programs_of<2>(), lane_programs_of<3>()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}
#else
std::string_view lane_device() { return {}; }
auto lane_programs() -> std::vector<lane_program> { return {}; }
#endif

}  // namespace revode::cli
