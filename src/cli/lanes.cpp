// SPDX-License-Identifier: Apache-2.0
#include <cli/lanes.hpp>

#include <utility>

namespace revode::cli {

// The build defines REVODE_LANE_DEVICE and REVODE_LANE_PARTS where there is a batch system.
#if defined(REVODE_LANE_DEVICE)
std::string_view lane_device() { return REVODE_LANE_DEVICE; }

auto lane_programs() -> std::vector<lane_program> {
  std::vector<lane_program> all;
  const auto append = [&](const std::vector<lane_program>& part) {
    all.insert(all.end(), part.begin(), part.end());
  };
  [&]<int... Part>(std::integer_sequence<int, Part...>) { (append(lane_programs_of<Part>()), ...); }
  (std::make_integer_sequence<int, REVODE_LANE_PARTS>{});
  return all;
}
#else
std::string_view lane_device() { return {}; }
auto lane_programs() -> std::vector<lane_program> { return {}; }
#endif

}  // namespace revode::cli
