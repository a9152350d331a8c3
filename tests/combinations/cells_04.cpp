// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 24 on pass their laws") { run_cells<24, 30>(); }

}  // namespace revode::combinations
