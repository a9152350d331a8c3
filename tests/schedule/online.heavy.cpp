// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "online_sweep.hpp"

#include <algorithm>
#include <vector>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/binomial.hpp>
#include <revode/schedule/mixed.hpp>
#include <revode/schedule/online/online_seeded.hpp>

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

TEST_CASE("seeded: every stop up to 10^5 steps, 4 to 64 slots, at most 1.069 times the optimum") {
  for (index s = 4; s <= 64; ++s) {
    CAPTURE(s);
    first_sweep_of<online_seeded> sweep(s);
    double worst = 1;
    for (index n = 2; n <= 100'000; ++n) {
      const index replays = sweep.replays(n), least = extra_steps(n, s);
      if (n <= beta(s, 2)) REQUIRE(replays == least);
      worst = std::max(worst, static_cast<double>(replays) / static_cast<double>(least));
    }
    CHECK(worst <= 1.069);
  }
}

TEST_CASE(
    "mixed: every stop up to 3000 steps in 1 to 40 units, audited: binomial's cost at worst, and a "
    "unit more costs a few steps at the most") {
  for (const index tape : {2, 7}) {
    std::vector<index> before(3001, unbounded);
    index loss = 0;
    for (index u = 1; u <= 40; ++u) {
      CAPTURE(tape);
      CAPTURE(u);
      double worst = 0;
      for (index n = 1; n <= (u == 1 ? 300 : 3000); ++n) {
        const auto binomial = static_cast<double>(n + extra_steps(n, u));
        const audit_counts counts = audit(mixed(u, tape), n);
        REQUIRE(counts.pulls == n);
        worst = std::max(worst, static_cast<double>(counts.forward_steps) / binomial);
        index& fewer_units = before[static_cast<std::size_t>(n)];
        loss = std::max(loss, counts.forward_steps - fewer_units);
        fewer_units = counts.forward_steps;
      }
      CHECK(worst <= (u == 2 ? 1.13 : 1.07));
    }
    CHECK(loss == (tape == 2 ? 6 : 1));
  }
}

TEST_CASE("ten million steps of a known count cost what the closed form says") {
  for (const index s : {12, 60, 300}) {
    const index n = 10'000'000;
    const audit_counts counts = audit(binomial(s, n), n);
    CHECK(counts.forward_steps == n + extra_steps(n, s));
    CHECK(counts.restores == n - 1);
    CHECK(counts.max_visits == repetitions(n, s) + 1);
  }
}

}  // namespace revode
