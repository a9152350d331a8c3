// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 60 on pass their laws") { run_cells<60, 66>(); }

}  // namespace revode::combinations
