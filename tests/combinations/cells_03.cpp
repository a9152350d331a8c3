// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 18 on pass their laws") { run_cells<18, 24>(); }

}  // namespace revode::combinations
