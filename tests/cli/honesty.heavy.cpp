// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <sstream>

#include <page.hpp>

namespace revode::honesty {

TEST_CASE("honesty: every adaptive method, every named problem, rtol 1e-3 to 1e-10") {
  for (const bool stiff : {false, true}) {
    std::ostringstream progress;
    const std::vector<row> rows = measure(stiff, 3, 10, progress);
    const summary s = summary_of(rows);
    CAPTURE(stiff);
    CHECK(s.rows > rows.size() * 3 / 4);
    CHECK(s.median <= 20);
    CHECK(20 * s.over_condition <= s.rows);
  }
}

}  // namespace revode::honesty
