// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <revode/schedule/action.hpp>

namespace revode {

class mixed_decisions;

/// What a schedule may depend on; each takes what it needs in a static member make(request).
struct schedule_request {
  index slots = 1;        ///< binomial, online, online_seeded, wang_moin, two_tier: snapshots alive
                          ///< at once; mixed: units (1 unit = 1 snapshot)
  index base = 16;        ///< nested
  index interval = 0;     ///< periodic: steps between snapshots; 0: chosen
  index inner_slots = 0;  ///< periodic: snapshots within an interval; 0: its tapes
  index max_steps = 0;    ///< nested: the loop's bound
  index steps = unbounded;    ///< the count, where it is known beforehand
  index tape_units = 1;       ///< mixed: units of one stored tape (rounded up)
  bool tapes_resume = false;  ///< mixed: the carry after a step can be rebuilt from its tape
  std::shared_ptr<const mixed_decisions> decisions{};  ///< mixed, known count: unset: made at need
  index slow_slots = 0;  ///< two_tier: how many of the slots lie in the slow pool
};

}  // namespace revode
