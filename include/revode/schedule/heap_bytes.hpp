// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>

namespace revode {

/// What an allocator may make of a block: its own few bytes, and whole pages for a large one.
constexpr index heap_bytes(index asked) { return asked + (asked < 65536 ? 16 : 4096 + 16); }

}  // namespace revode
