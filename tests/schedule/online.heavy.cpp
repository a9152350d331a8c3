// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "online_sweep.hpp"

namespace revode {

TEST_CASE("every stop up to 10^5 steps: the ratio to the optimum, 2 to 64 slots") {
  for (index s = 2; s <= 64; ++s) {
    CAPTURE(s);
    online_sweep sweep(s);
    double worst = 1, total = 1;
    for (index n = 2; n <= online_table::last_step; ++n) {
      const index replays = sweep.replays(n), least = extra_steps(n, s);
      REQUIRE(replays >= least);
      worst = std::max(worst, static_cast<double>(replays) / static_cast<double>(least));
      total = std::max(total, static_cast<double>(n + replays) / static_cast<double>(n + least));
    }
    CHECK(worst <= (s == 2 ? 1.1501 : s == 3 ? 1.0894 : s < 8 ? 1.063 : 1.053));
    CHECK(total <= (s == 2 ? 1.110 : s == 3 ? 1.062 : s < 8 ? 1.043 : 1.039));
  }
}

}  // namespace revode
