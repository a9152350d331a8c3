// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/config.hpp>

namespace revode {

/// What the reverse pass of a lane group keeps of its forward pass. Rounds are attempts: in round r
/// each lane of the group makes a step, or none (its attempt was rejected, or it has ended).
enum class lane_memory_plan : std::uint8_t {
  states,     ///< the state before every round: each round once more, when it is pulled
  log,        ///< the time after every round, and `slots` states by the binomial schedule
  controller  ///< `slots` states with the controller's memory; replays repeat the attempts
};

/// Memory of the groups that run at a time, sized by them and not by the ensemble. A row is a number
/// of each lane of a group; rows of a group lie together on the host, and those of neighbouring
/// groups side by side on a device, where a group is one lane of a warp.
template <class T>
struct lane_arena {
  lane_memory_plan plan = lane_memory_plan::states;
  index slots = 0;   ///< states kept at a time (plan states: rounds)
  index rounds = 0;  ///< rounds that fit the log
  index workers = 0;
  index width = 1;
  T* states = nullptr;        ///< slots × numbers of a state, rows
  double* log = nullptr;      ///< rounds + 1 rows
  double* control = nullptr;  ///< slots × lane_control_rows, rows
  index* stack = nullptr;     ///< slots numbers a group
  T* save_bars = nullptr;     ///< cotangents of save points, rows
  index save_rows = 0;
  int* overflow = nullptr;  ///< set by a group whose log is too short

  REVODE_HD bool interleaved() const { return width == 1; }
  /// The address of row `row` of `rows`, for group `worker`.
  template <class X>
  REVODE_HD X* row(X* base, index rows, index worker, index row) const {
    return base + (interleaved() ? row * workers + worker : (worker * rows + row) * width);
  }
};

}  // namespace revode
