// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 84 on pass their laws") { run_cells<84, covering_size>(); }

}  // namespace revode::combinations
