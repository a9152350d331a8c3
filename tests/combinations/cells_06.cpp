// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 36 on pass their laws") { run_cells<36, 42>(); }

}  // namespace revode::combinations
