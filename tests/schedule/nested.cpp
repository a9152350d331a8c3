// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/nested.hpp>

namespace revode {
namespace {

static_assert(nesting_depth(5, 125) == 3 && nesting_depth(5, 126) == 4);
static_assert(nesting_depth(2, 0) == 1 && nesting_depth(2, 2) == 1 && nesting_depth(2, 3) == 2);
static_assert(nesting_depth(16, 4096) == 3 && nesting_depth(10, 1000) == 3);
static_assert(nesting_depth(2, index{1} << 40) == 40 && nesting_depth(3, index{1} << 60) == 38);

index power(index base, int exponent) {
  index p = 1;
  for (int k = 0; k < exponent; ++k) p *= base;
  return p;
}

void check_counts(index base, index max_steps, index n, loop_end end) {
  CAPTURE(base);
  CAPTURE(max_steps);
  CAPTURE(n);
  const index d = nesting_depth(base, max_steps);
  index chunks = 0;  // level by level; the chunks of all levels start at multiples of their size
  for (int k = 1; k < d; ++k) chunks += (n + power(base, k) - 1) / power(base, k);

  const audit_counts counts = audit(nested(base, max_steps), n, end);

  REQUIRE(counts.forward_steps == d * n);
  REQUIRE(counts.recorded == n);
  REQUIRE(counts.max_visits == (n > 0 ? d : 0));
  REQUIRE(counts.restores == chunks);
  REQUIRE(counts.peak_tapes == std::min(base, n));
  REQUIRE(counts.peak_snapshots <= (d - 1) * base);
  if (n > (base - 1) * power(base, static_cast<int>(d) - 1))
    REQUIRE(counts.peak_snapshots == (d - 1) * base);
  if (end == loop_end::noticed_at_once) REQUIRE(counts.snapshots_written == chunks);
}

}  // namespace

TEST_CASE("nested loops evaluate d n steps and hold (d-1) base snapshots and base tapes") {
  for (const index base : {2, 3, 4, 8})
    for (int d = 1; d <= 4; ++d) {
      const index full = power(base, d), lowest = d == 1 ? 0 : power(base, d - 1) + 1;
      const index stride = std::max<index>(1, full / 50);
      for (index n = 0; n <= full; n += stride) {
        check_counts(base, full, n, loop_end::noticed_at_once);
        check_counts(base, full, n, loop_end::noticed_late);
        check_counts(base, std::max(n, lowest), n, loop_end::noticed_at_once);
        check_counts(base, std::max(n, lowest), n, loop_end::noticed_late);
      }
      check_counts(base, full, full, loop_end::noticed_late);
    }
}

TEST_CASE("nested loops of base 16, and of random sizes") {
  for (const index n : {1, 15, 16, 17, 255, 256, 257, 4000, 4096})
    check_counts(16, 4096, n, loop_end::noticed_at_once);
  check_counts(16, 65536, 65000, loop_end::noticed_at_once);
  std::mt19937 seeds(2021);
  for (int trial = 0; trial < 200; ++trial) {
    const index base = std::uniform_int_distribution<index>(2, 20)(seeds);
    const index max_steps = std::uniform_int_distribution<index>(0, 3000)(seeds);
    const index n = std::uniform_int_distribution<index>(0, max_steps)(seeds);
    check_counts(base, max_steps, n, loop_end::noticed_at_once);
  }
}

TEST_CASE("base 5 and 125 steps are three levels exactly") {
  const audit_counts counts = audit(nested(5, 125), 125);

  CHECK(nested(5, 125).depth() == 3);
  CHECK(counts.forward_steps == 375);
  CHECK(counts.peak_snapshots == 10);
  CHECK(counts.peak_tapes == 5);
}

TEST_CASE("nested: misuse is told what to do") {
  CHECK_THROWS_WITH_AS(nested(1, 10), "base = 1 (a chunk is split into at least 2) give base >= 2?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(nested(2, -3),
                       "max_steps = -3 (a loop runs 0 steps or more) give max_steps >= 0?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      nested(16, unbounded),
      "max_steps = 9223372036854775807 (nesting needs a bound) give max_steps <= 2^60?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(nested(4, 10).finalize(11),
                       "n = 11 steps (nested was made for 10) raise max_steps?",
                       std::invalid_argument);
}

}  // namespace revode
