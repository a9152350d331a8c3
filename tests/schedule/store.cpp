// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/store.hpp>

namespace revode {

TEST_CASE("store_all runs every step once and keeps every tape") {
  for (const loop_end end : {loop_end::noticed_at_once, loop_end::noticed_late})
    for (index n = 0; n <= 50; ++n) {
      CAPTURE(n);
      const audit_counts counts = audit(store_all{}, n, end);
      REQUIRE(counts.forward_steps == n);
      REQUIRE(counts.replayed_steps == 0);
      REQUIRE(counts.pulls == n);
      REQUIRE(counts.peak_tapes == n);
      REQUIRE(counts.snapshots_written == 0);
    }
}

TEST_CASE("store_states runs every step but the last twice and keeps every carry") {
  for (index n = 0; n <= 50; ++n) {
    CAPTURE(n);
    const index replays = std::max<index>(n - 1, 0);
    const audit_counts counts = audit(store_states{}, n);
    REQUIRE(counts.forward_steps == n + replays);
    REQUIRE(counts.replayed_steps == replays);
    REQUIRE(counts.restores == replays);
    REQUIRE(counts.snapshots_written == n);
    REQUIRE(counts.peak_snapshots == n);
    REQUIRE(counts.peak_tapes == 0);
    REQUIRE(counts.pulls == n);
  }
}

TEST_CASE("store_states drops the carry that it kept before it knew that the loop had ended") {
  for (index n = 0; n <= 50; ++n) {
    CAPTURE(n);
    const audit_counts counts = audit(store_states{}, n, loop_end::noticed_late);
    REQUIRE(counts.replayed_steps == std::max<index>(n - 1, 0));
    REQUIRE(counts.snapshots_written == n + 1);
  }
}

}  // namespace revode
