// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 6 on pass their laws") { run_cells<6, 12>(); }

}  // namespace revode::combinations
