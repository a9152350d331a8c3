// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 54 on pass their laws") { run_cells<54, 60>(); }

}  // namespace revode::combinations
