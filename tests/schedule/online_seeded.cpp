// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "online_sweep.hpp"

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/online/online_seeded.hpp>

namespace revode {

using seeded_sweep = first_sweep_of<online_seeded>;

TEST_CASE("seeded: exactly the optimum up to beta(slots, 2) steps") {
  for (index s = 2; s <= 64; ++s) {
    seeded_sweep sweep(s);
    for (index n = 1; n <= beta(s, 2); ++n) {
      CAPTURE(n);
      CAPTURE(s);
      REQUIRE(sweep.replays(n) == extra_steps(n, s));
    }
  }
}

TEST_CASE("seeded: four slots and 15 steps leave the binomial placement 0, 5, 9, 12") {
  seeded_sweep sweep(4);
  CHECK(sweep.placement(15) == std::vector<index>{0, 5, 9, 12});
}

TEST_CASE("seeded: stopped at any step, the reversal costs R(P, n) in its slots") {
  for (index s = 1; s <= 40; ++s) {
    seeded_sweep sweep(s);
    for (index n = 1; n <= 300; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      const audit_counts counts = audit(online_seeded(s), n);
      REQUIRE(counts.replayed_steps == sweep.replays(n));
      REQUIRE(counts.pulls == n);
      REQUIRE(counts.restores == n - 1);
      REQUIRE(counts.peak_snapshots == std::max<index>(1, std::min(s, n - 1)));
    }
  }
}

TEST_CASE("seeded: stopped at any step up to 3000, at most 1.069 times the optimum") {
  for (index s = 2; s <= 40; ++s) {
    seeded_sweep sweep(s);
    const double bound = s == 2 ? 1.1501 : s == 3 ? 1.0894 : 1.069;
    for (index n = 1; n <= 3000; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      const index replays = sweep.replays(n), least = extra_steps(n, s);
      REQUIRE(replays >= least);
      REQUIRE(static_cast<double>(replays) <= bound * static_cast<double>(least));
    }
  }
}

TEST_CASE("seeded: a loop whose end is noticed late is reversed all the same") {
  for (index n = 0; n <= 60; ++n)
    for (index s = 1; s <= 12; ++s) {
      CAPTURE(n);
      CAPTURE(s);
      REQUIRE(audit(online_seeded(s), n, loop_end::noticed_late).pulls == n);
    }
}

}  // namespace revode
