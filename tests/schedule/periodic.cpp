// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/periodic.hpp>

namespace revode {
namespace {

index ceiling(index n, index k) { return (n + k - 1) / k; }

}  // namespace

TEST_CASE("periodic: all but the last interval's steps run twice, with an interval's tapes") {
  for (index k = 1; k <= 20; ++k)
    for (index n = 0; n <= 130; ++n) {
      CAPTURE(k);
      CAPTURE(n);
      const audit_counts counts = audit(periodic(k), n);
      const index again = std::max<index>(0, n - k);
      REQUIRE(counts.forward_steps == n + again);
      REQUIRE(counts.restores == ceiling(again, k));
      REQUIRE(counts.snapshots_written == ceiling(n, k));
      REQUIRE(counts.peak_snapshots == ceiling(n, k));
      REQUIRE(counts.peak_tapes == std::min(n, k));
      REQUIRE(counts.max_visits <= 2);
      REQUIRE(counts.pulls == n);
      REQUIRE(audit(periodic(k), n, loop_end::noticed_late).forward_steps == n + again);
    }
}

TEST_CASE("periodic with inner slots: the optimal reversal from its snapshots") {
  for (index k = 1; k <= 20; ++k)
    for (index inner = 1; inner <= 4; ++inner)
      for (index n = 1; n <= 130; ++n) {
        CAPTURE(k);
        CAPTURE(inner);
        CAPTURE(n);
        std::vector<index> placement;
        for (index p = 0; p < n; p += k) placement.push_back(p);
        const index m = ceiling(n, k);
        const audit_counts counts = audit(periodic(k, inner), n);
        REQUIRE(counts.replayed_steps == replay_steps(placement, n, m + inner));
        REQUIRE(counts.peak_snapshots <= m + inner);
        REQUIRE(counts.restores == n - 1);
        REQUIRE(counts.peak_tapes == 0);
        REQUIRE(audit(periodic(k, inner), n, loop_end::noticed_late).pulls == n);
      }
}

TEST_CASE("periodic: an interval that is not given makes the fewest units") {
  const auto tapes = [](schedule_request r) { return periodic::make(r).tape_slots(); };
  CHECK(tapes({.steps = 10000}) == 100);
  CHECK(tapes({.steps = 10000, .tape_units = 4}) == 50);
  CHECK(tapes({.max_steps = 400}) == 20);
  CHECK(tapes({.steps = 0}) == 100);
  CHECK(tapes({}) == 100);
  CHECK(tapes({.interval = 7, .steps = 10000}) == 7);
  for (const index n : {1, 2, 50, 1000})
    for (const index tape : {1, 3, 8}) {
      const auto units_with = [&](index k) { return ceiling(n, k) + std::min(n, k) * tape; };
      const index k = tapes({.steps = n, .tape_units = tape});
      for (index other = 1; other <= n; ++other) CHECK(units_with(k) <= units_with(other) + tape);
    }
}

TEST_CASE("periodic: misuse is told what to do") {
  CHECK_THROWS_WITH_AS(periodic(-1), "interval = -1 (steps between two snapshots) give 1 or more?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      periodic(3, -1),
      "inner_slots = -1 (snapshots within an interval) give 0 for its tapes, or more?",
      std::invalid_argument);
}

}  // namespace revode
