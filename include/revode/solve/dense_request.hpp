// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace revode {

/// Asks a solve for its solution at every time:
///   auto y = solve(q, tsit5{}, {}, dense_output{});
///   y(0.3), y.derivative(0.3), y.at({0.1, 0.7, 0.2})
///   auto z = solve(q, tsit5{}, {}, events(bounce{}), dense_output{});
///   z(t), z(t, side::behind)     // at the time of an event: before it, and behind its jump
struct dense_output {};

/// Which of two values at a cut (a stop, a discontinuity, events): the one before everything that
/// occurs at that time, as a save point has it, or the one behind. Elsewhere there is one value.
enum class side : std::uint8_t { before, behind };

}  // namespace revode
