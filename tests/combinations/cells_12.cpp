// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 72 on pass their laws") { run_cells<72, 78>(); }

}  // namespace revode::combinations
