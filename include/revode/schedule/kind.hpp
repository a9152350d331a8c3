// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace revode {

/// The schedules by name.
enum class schedule_kind : std::uint8_t {
  store_all,
  store_states,
  binomial,
  nested,
  online,
  online_seeded,
  wang_moin,
  mixed,
  periodic,
  two_tier
};

}  // namespace revode
