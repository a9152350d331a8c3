// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 48 on pass their laws") { run_cells<48, 54>(); }

}  // namespace revode::combinations
