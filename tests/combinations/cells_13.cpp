// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 78 on pass their laws") { run_cells<78, 84>(); }

}  // namespace revode::combinations
