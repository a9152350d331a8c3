// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contest.hpp"

namespace revode::wpd {

struct plain;

/// The Brusselator on finer grids, brusselator_2d:17 to brusselator_2d:65, and on a graph: only for
/// sparse and matrix-free linear algebra and for explicit methods.
inline const std::vector<int> fine_widths{17, 33, 65};
std::string grid_name(int width);
inline constexpr int graph_width = 33;

/// References are of dop853 at 1e-12, made when they are first asked for.
std::vector<task> grid_tasks();
std::vector<plain> grid_problems(const contest& c);

/// revode's methods on them, and BiCGSTAB on brusselator_2d as well.
void add_grids(contest& c);

}  // namespace revode::wpd
