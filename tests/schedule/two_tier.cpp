// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/two_tier.hpp>

namespace revode {

TEST_CASE("two tiers: 1000 steps, 5 of 20 slots slow: 35 writes and 55 reads of 1768 accesses") {
  const audit_counts counts = audit(two_tier(20, 5, 1000), 1000);

  CHECK(counts.slow_written == 35);
  CHECK(counts.slow_restores == 55);
  CHECK(counts.snapshots_written + counts.restores == 1768);
  CHECK(counts.forward_steps == 1000 + extra_steps(1000, 20));
}

TEST_CASE("two tiers: position i is written 1, 3, 6, 10, 15 times and read 3, 6, 10, 15, 21") {
  index written = 0, read = 0;
  for (index slow = 1; slow <= 5; ++slow) {
    const audit_counts counts = audit(two_tier(20, slow, 1000), 1000);
    CHECK(counts.slow_written - written == slow * (slow + 1) / 2);
    CHECK(counts.slow_restores - read == (slow + 1) * (slow + 2) / 2);
    written = counts.slow_written;
    read = counts.slow_restores;
  }
}

TEST_CASE("two tiers: the slow slots change no other count") {
  for (index n = 0; n <= 80; ++n)
    for (index s = 1; s <= 9; ++s)
      for (index slow = 0; slow <= s + 1; ++slow) {
        CAPTURE(n);
        CAPTURE(s);
        CAPTURE(slow);
        audit_counts known = audit(two_tier(s, slow, n), n);
        audit_counts unknown = audit(two_tier(s, slow), n);
        const bool all = slow >= s;
        REQUIRE((!all || known.slow_restores == known.restores));
        REQUIRE((!all || unknown.slow_written == unknown.snapshots_written));
        known.actions -= known.moves;
        known.moves = known.slow_written = known.slow_restores = 0;
        unknown.actions -= unknown.moves;
        unknown.moves = unknown.slow_written = unknown.slow_restores = 0;
        REQUIRE(known == audit(binomial(s, n), n));
        REQUIRE(unknown == audit(online_greedy(s), n));
        REQUIRE(audit(two_tier(s, slow), n, loop_end::noticed_late).pulls == n);
      }
}

TEST_CASE("two tiers: slow slots are used less than their share, far less in long loops") {
  for (const index n : {300, 1000, 5000})
    for (const index s : {8, 20, 40}) {
      CAPTURE(n);
      CAPTURE(s);
      const auto share = [](const audit_counts& c) {
        return static_cast<double>(c.slow_written + c.slow_restores) /
               static_cast<double>(c.snapshots_written + c.moves + c.restores);
      };
      const index slow = s / 4;
      CHECK(share(audit(two_tier(s, slow, n), n)) <= (n < 1000 && s > 8 ? 0.20 : 0.07));
      CHECK(share(audit(two_tier(s, slow), n)) <= (n < 1000 && s > 8 ? 0.20 : 0.10));
    }
}

TEST_CASE("two tiers: misuse is told what to do") {
  CHECK_THROWS_WITH_AS(two_tier(4, -1),
                       "slow_slots = -1 (so many of the slots are slow) give 0 or more?",
                       std::invalid_argument);
}

}  // namespace revode
