// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

namespace revode::combinations {

TEST_CASE("combinations: cells from 42 on pass their laws") { run_cells<42, 48>(); }

}  // namespace revode::combinations
