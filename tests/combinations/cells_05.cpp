// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 30 on pass their laws") { run_cells<30, 36>(); }

}  // namespace revode::combinations
