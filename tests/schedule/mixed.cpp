// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/mixed.hpp>
#include <revode/schedule/online.hpp>

namespace revode {
namespace {

double ratio(index a, index b) { return static_cast<double>(a) / static_cast<double>(b); }

}  // namespace

TEST_CASE("reach is a sum of binomial numbers, and those themselves without tapes") {
  for (const index tape : {1, 2, 7, 50}) {
    mixed_numbers numbers(tape);
    for (index s = 0; s <= 40; ++s)
      for (index r = 0; r <= 12; ++r) {
        CAPTURE(tape);
        CAPTURE(s);
        CAPTURE(r);
        index sum = 0;
        for (index q = 0; q * tape <= s; ++q) sum += beta(s - q * tape, r);
        REQUIRE(numbers.reach(s, r) == sum);
        if (tape > s) REQUIRE(sum == beta(s, r));
        if (s > 0 && r > 0) REQUIRE(sum == numbers.reach(s, r - 1) + numbers.reach(s - 1, r));
        if (tape == 50 && s > 0)
          REQUIRE(numbers.sweep_steps(20 * r + 1, s) == sweep_steps(20 * r + 1, s));
      }
  }
}

TEST_CASE("a count beyond the table costs a few per cent more than the optimum, never binomial's") {
  double sum = 0, worst = 1;
  index trials = 0;
  for (const index tape : {1, 2, 3, 5, 8}) {
    const index steps = 400, units = 100;
    const mixed_optimum table(steps, units, {.stage = tape});
    for (index u = 1; u <= units; u += 1 + u / 8)
      for (index n = 1; n <= steps; n += 1 + n / 16) {
        CAPTURE(tape);
        CAPTURE(n);
        CAPTURE(u);
        mixed_reversal plan(u, tape);
        plan.expect(n);
        index evaluations = 0;
        while (plan.position() < n) {
          const action a = plan.next();
          if (a.what == op::advance || a.what == op::record) evaluations += a.to - a.from;
        }
        plan.finalize(n);
        for (action a = plan.next(); a.what != op::done; a = plan.next())
          if (a.what == op::advance || a.what == op::record) evaluations += a.to - a.from;
        const index least = table.steps(start_kind::passing, n, u);
        REQUIRE(evaluations >= least);
        REQUIRE(evaluations <= n + extra_steps(n, u));
        worst = std::max(worst, ratio(evaluations, least));
        sum += ratio(evaluations, least);
        ++trials;
      }
  }
  CHECK(worst <= 1.1);
  CHECK(sum / static_cast<double>(trials) <= 1.003);
}

TEST_CASE("an unknown count: valid within its units at every stop up to 300") {
  for (const index tape : {1, 2, 7})
    for (index u = 1; u <= 40; ++u)
      for (index n = 0; n <= 300; n += 1 + (n > 60 ? n % 5 : 0)) {
        CAPTURE(tape);
        CAPTURE(u);
        CAPTURE(n);
        const audit_counts counts = audit(mixed(u, tape), n);
        REQUIRE(counts.pulls == n);
        REQUIRE(counts.peak_units <= u);
        if (n <= (u - 1) / tape) REQUIRE(counts.replayed_steps == 0);
        if (n <= 60) REQUIRE(audit(mixed(u, tape), n, loop_end::noticed_late).pulls == n);
      }
}

TEST_CASE(
    "an unknown count: while there is a ring, nothing is replayed twice, nor the ring at all") {
  const index tape = 3, u = 40;
  index ring_ends = 0;  // the ring's intervals, one a snapshot
  for (index k = 1; (u - k) / tape > 0; ++k) ring_ends += (u - k) / tape + 1;
  CHECK(ring_ends == 284);
  for (index n = 0; n <= ring_ends; ++n) {
    CAPTURE(n);
    index snapshots = 1, covered = 0;
    while (covered + (u - snapshots) / tape + 1 < n) covered += (u - snapshots++) / tape + 1;
    const audit_counts counts = audit(mixed(u, tape), n);
    REQUIRE(counts.max_visits <= 2);
    REQUIRE(counts.replayed_steps == std::max<index>(0, n - (u - snapshots) / tape));
  }
}

TEST_CASE("an unknown count: close to the optimum of a known one, and to binomial at worst") {
  double sum = 0;
  index trials = 0;
  for (const index tape : {2, 5, 7})
    for (const index u : {4, 7, 10, 16, 25, 40, 64, 100}) {
      const index steps = 300;
      const mixed_optimum table(steps, u, {.stage = tape});
      for (index n = 30; n <= steps; n += 9) {
        CAPTURE(tape);
        CAPTURE(u);
        CAPTURE(n);
        const index evaluations = audit(mixed(u, tape), n).forward_steps;
        const double r = ratio(evaluations, table.steps(start_kind::passing, n, u));
        REQUIRE(r <= 1.11);
        REQUIRE(ratio(evaluations, n + extra_steps(n, u)) <= 1.10);
        sum += r;
        ++trials;
      }
    }
  CHECK(sum / static_cast<double>(trials) <= 1.02);
}

TEST_CASE("the greatest gains: a tape of seven states, thousands of steps") {
  const auto evaluations = [](index u, index n) {
    return ratio(audit(mixed(u, 7), n).forward_steps, n);
  };
  CHECK(evaluations(200, 1000) <= 1.98);  // snapshots alone: 2.80
  CHECK(evaluations(64, 10000) <= 3.24);  // 3.78
}

TEST_CASE("long loops of a known and of an unknown count, at random") {
  std::mt19937 seeds(2024);
  for (int trial = 0; trial < 20; ++trial) {
    const index n = std::uniform_int_distribution<index>(300, 20000)(seeds);
    const index u = std::uniform_int_distribution<index>(8, 300)(seeds);
    const index tape = std::uniform_int_distribution<index>(1, 12)(seeds);
    CAPTURE(n);
    CAPTURE(u);
    CAPTURE(tape);
    const audit_counts known = audit(mixed(u, tape, trial % 2 == 0, n), n);
    const audit_counts unknown = audit(mixed(u, tape), n);
    CHECK(known.forward_steps <= n + extra_steps(n, u));
    CHECK(unknown.forward_steps <= 1.1 * static_cast<double>(known.forward_steps));
    CHECK(std::max(known.peak_units, unknown.peak_units) <= u);
  }
}

TEST_CASE("a loop that ends before its known count is reversed within its units") {
  for (const bool resume : {false, true})
    for (index steps = 0; steps <= 24; ++steps)
      for (index n = 0; n <= steps; ++n)
        for (const index u : {1, 2, 3, 5, 8, 13})
          for (const auto end : {loop_end::noticed_at_once, loop_end::noticed_late}) {
            CAPTURE(steps);
            CAPTURE(n);
            CAPTURE(u);
            REQUIRE(audit(mixed(u, 2, resume, steps), n, end).pulls == n);
          }
}

TEST_CASE("mixed: misuse is told what to do") {
  CHECK_THROWS_WITH_AS(
      mixed(0, 1), "units = 0 (a reverse pass needs at least the initial state) give units >= 1?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(mixed(5, 0), "tape_units = 0 (a tape takes memory) give tape_units >= 1?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(mixed(5, 1, false, -1),
                       "steps = -1 (a loop runs 0 steps or more) give steps >= 0?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(mixed(5, 1, false, 10).finalize(12),
                       "n = 12 steps (mixed was told 10) give no count when it is not known?",
                       std::invalid_argument);
}

}  // namespace revode
