// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace revode {

/// How the accepted steps of a solve are known when they are run again; the bits are the same.
enum class step_replay : std::uint8_t {
  automatic,  ///< steps; the controller with store_all, and where a budget asks for it
  steps,      ///< from a log of their ends and records
  controller  ///< nothing is kept per step: replays repeat the attempts, the rejected ones included
};

}  // namespace revode
