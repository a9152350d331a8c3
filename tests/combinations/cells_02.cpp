// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 12 on pass their laws") { run_cells<12, 18>(); }

}  // namespace revode::combinations
