// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 66 on pass their laws") { run_cells<66, 72>(); }

}  // namespace revode::combinations
