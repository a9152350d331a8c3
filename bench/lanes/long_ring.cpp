// SPDX-License-Identifier: Apache-2.0
// 10^5 adaptive steps of Lorenz's ring of 8, and their gradient from 32 states a lane: the controller is
// replayed with the steps, so that nothing grows with their number.
#include "ring.hpp"

namespace revode::lanes {

measured long_ring(const request& r) {
  const plan how{.o = {.rtol = 1e-8, .atol = 1e-8, .max_step = 6e-4},
                 .tight = {.rtol = 1e-12, .atol = 1e-12},
                 .alone = 2,
                 .memory_alone = {.slots = 32},
                 .memory = {.plan = lane_memory_plan::controller, .slots = 32}};
  return measure<tsit5, vern7, true>(rings<8>(2, 60, r.lanes), how, r);
}

}  // namespace revode::lanes
