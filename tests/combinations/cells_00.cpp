// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 0 on pass their laws") { run_cells<0, 6>(); }

}  // namespace revode::combinations
