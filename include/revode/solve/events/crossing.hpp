// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace revode {

/// In which direction a condition passes through 0 when its event occurs, as seen along the integration.
enum class crossing : std::uint8_t { both, rising, falling };

}  // namespace revode
