// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cli/schedule_run.hpp>

namespace revode::cli {

/// Draws a schedule to s.plot: steps across, actions downwards in the order they are carried out;
/// runs of steps, pulls, and the snapshots and tapes while they are kept.
/// status  a missing gnuplot is said on stderr, nothing else happens
void draw_schedule(const schedule_arguments& s, const schedule_run& r);

}  // namespace revode::cli
