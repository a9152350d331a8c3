// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "online_sweep.hpp"

#include <revode/schedule/auditor.hpp>

namespace revode {
namespace {

/// The rule as it is stated: at every n, the best of all snapshots that x_n could replace.
struct stated_rule {
  index slots;
  std::vector<index> steps{0};

  /// The step given up for x_n; -1 for a free slot, -2 when x_n is not stored.
  index decide(index n) {
    const auto k = static_cast<index>(steps.size());
    if (k < slots) {
      steps.push_back(n);
      return -1;
    }
    index least = replay_steps(steps, n + 2, slots);
    std::size_t best = 0;
    for (std::size_t j = 1; j < steps.size(); ++j) {
      const index cost = replay_steps(without(j, n), n + 2, slots);
      if (cost > least || (cost == least && best == 0)) continue;
      least = cost;
      best = j;
    }
    if (best == 0) return -2;
    const index evicted = steps[best];
    steps = without(best, n);
    return evicted;
  }

  std::vector<index> without(std::size_t j, index n) const {
    std::vector<index> others = steps;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
    others.push_back(n);
    return others;
  }
};

std::vector<index> fields_of(std::string line) {
  for (const auto& [word, number] : {std::pair{"append", "1"}, {"evict", "2"}, {"none", "0"}})
    if (const auto at = line.find(word); at != std::string::npos)
      line.replace(at, std::string(word).size(), number);
  std::replace(line.begin(), line.end(), ',', ' ');
  std::istringstream text(line);
  std::vector<index> fields;
  for (index x = 0; text >> x;) fields.push_back(x);
  return fields;
}

double worst_ratio(index slots, index from, index to, index stride) {
  online_sweep sweep(slots);
  double worst = 1;
  for (index n = from; n <= to; n += 1 + (n % 7) * stride / 4)
    worst = std::max(
        worst, static_cast<double>(sweep.replays(n)) / static_cast<double>(extra_steps(n, slots)));
  return worst;
}

}  // namespace

TEST_CASE("every row of the golden table: decisions, evictions, costs at a stop") {
  std::ifstream file(REVODE_GOLDEN_DIR "/online_greedy.csv");
  std::string line;
  std::vector<online_sweep> sweeps;
  index rows = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#' || line[0] == 's') continue;
    CAPTURE(line);
    const std::vector<index> row = fields_of(line);
    REQUIRE(row.size() == 7);
    const index s = row[0], n = row[1];
    if (n == 0) sweeps.emplace_back(s);
    online_sweep& sweep = sweeps.back();
    ++rows;

    REQUIRE(sweep.replays(n + 1) == row[6]);
    REQUIRE(extra_steps(n + 1, s) == row[5]);
    const online_sweep::decision d = n == 0 ? online_sweep::decision{} : sweep.next();
    REQUIRE((d.step == n) == (row[2] != 0));
    REQUIRE((d.step == n ? d.evicted : -1) == row[3]);
    std::vector<index> eager = sweep.placement(n + 2);
    REQUIRE(replay_steps(eager, n + 1, s) == row[4]);
  }
  CHECK(rows == 3300);
}

TEST_CASE("the decisions are those of the rule evaluated at every step") {
  for (const index slots : {2, 3, 4, 5, 7, 8, 12, 21, 40, 64, 65, 90}) {
    CAPTURE(slots);
    stated_rule rule{slots};
    online_sweep sweep(slots);
    sweep.take();
    for (index n = 1; n <= 1500; ++n) {
      CAPTURE(n);
      const index expected = rule.decide(n);
      REQUIRE((sweep.next().step == n) == (expected != -2));
      if (expected == -2) continue;
      REQUIRE(sweep.next().evicted == expected);
      sweep.take();
    }
  }
}

TEST_CASE("the table holds what greedy_eviction computes, and goes on as it does") {
  for (const index slots : {2, 3, 17, 64}) {
    CAPTURE(slots);
    std::vector<index> steps(static_cast<std::size_t>(slots));
    std::iota(steps.begin(), steps.end(), index{0});
    greedy_eviction computed(steps);
    online_sweep sweep(slots);
    while (sweep.next().step < slots) sweep.take();
    for (index n = 0; n < online_table::last_step + 2000;) {
      const auto expected = computed.next();
      REQUIRE(sweep.next().step == expected.step);
      const auto at = static_cast<std::size_t>(expected.rank);
      REQUIRE(sweep.placement(expected.step)[at] == sweep.next().evicted);
      sweep.take();
      n = expected.step;
    }
  }
}

TEST_CASE("stopped at any step, the reversal costs R(P, n) in its slots") {
  for (index s = 1; s <= 40; ++s) {
    online_sweep sweep(s);
    for (index n = 1; n <= 300; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      const audit_counts counts = audit(online_greedy(s), n);
      REQUIRE(counts.replayed_steps == sweep.replays(n));
      REQUIRE(counts.forward_steps == n + counts.replayed_steps);
      REQUIRE(counts.pulls == n);
      REQUIRE(counts.restores == n - 1);
      REQUIRE(counts.peak_snapshots == std::max<index>(1, std::min(s, n - 1)));
      REQUIRE(counts.peak_tapes == 0);
      if (s == 1) REQUIRE(counts.replayed_steps == extra_steps(n, 1));
    }
  }
}

TEST_CASE("stopped at any step up to 3000: never below the optimum, at most 1.063 times it") {
  for (index s = 2; s <= 40; ++s) {
    online_sweep sweep(s);
    const double bound = s == 2 ? 1.1501 : s == 3 ? 1.0894 : s < 8 ? 1.063 : 1.053;
    for (index n = 1; n <= 3000; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      const index replays = sweep.replays(n), least = extra_steps(n, s);
      REQUIRE(replays >= least);
      REQUIRE(static_cast<double>(replays) <= bound * static_cast<double>(least));
    }
  }
}

TEST_CASE("up to 10^5 steps and 64 slots, a sample: at most 1.063 times the optimum") {
  for (index s = 4; s <= 64; ++s) {
    CAPTURE(s);
    CHECK(worst_ratio(s, 3000, 100'000, 400) <= 1.063);
  }
}

TEST_CASE("a million steps in 68 snapshots: at most 5.03 evaluations a step") {
  const index n = 1'000'000;
  CHECK(n + online_sweep(68).replays(n) <= 5.03 * static_cast<double>(n));
  CHECK(static_cast<double>(online_sweep(300).replays(n)) <=
        1.063 * static_cast<double>(extra_steps(n, 300)));
}

TEST_CASE("a slot more never costs") {
  for (index s = 1; s <= 64; ++s) {
    online_sweep fewer(s), more(s + 1);
    for (index n = 1; n <= 4000; n += 1 + n / 64) {
      CAPTURE(n);
      CAPTURE(s);
      REQUIRE(more.replays(n) <= fewer.replays(n));
    }
  }
}

TEST_CASE("long loops, audited at random") {
  std::mt19937 seeds(2009);
  for (int trial = 0; trial < 12; ++trial) {
    const index n = std::uniform_int_distribution<index>(300, 20000)(seeds);
    const index s = std::uniform_int_distribution<index>(4, 130)(seeds);
    CAPTURE(n);
    CAPTURE(s);
    const audit_counts counts = audit(online_greedy(s), n);
    CHECK(counts.replayed_steps == online_sweep(s).replays(n));
    CHECK(counts.restores == n - 1);
    CHECK(counts.peak_snapshots == s);
  }
}

TEST_CASE("a loop whose end is noticed late is reversed all the same") {
  for (index n = 0; n <= 60; ++n)
    for (index s = 1; s <= 12; ++s) {
      CAPTURE(n);
      CAPTURE(s);
      const audit_counts counts = audit(online_greedy(s), n, loop_end::noticed_late);
      REQUIRE(counts.pulls == n);
      REQUIRE(counts.peak_snapshots <= s);
    }
}

TEST_CASE("with slots for every step but the last nothing is given up") {
  for (const index n : {1, 2, 5, 100, 3000}) {
    const audit_counts counts = audit(online_greedy(unbounded), n);
    CHECK(counts.forward_steps == 2 * n - 1);
    CHECK(counts.snapshots_written == std::max<index>(1, n - 1));
  }
}

TEST_CASE("the first sweep of three slots, action by action") {
  online_greedy plan(3);
  const auto says = [&](const char* text) { CHECK(describe(plan.next()) == text); };
  says("snapshot 0 to slot 0");
  says("advance 0..2");
  says("snapshot 1 to slot 1");
  says("advance 2..3");
  says("snapshot 2 to slot 2");
  says("advance 3..5");
  says("drop slot 2");
  says("snapshot 4 to slot 2");
  online_greedy copy = plan;
  for (int k = 0; k < 9; ++k) CHECK(copy.next() == plan.next());
  CHECK(audit(online_greedy(3), 6).replayed_steps == 7);
}

TEST_CASE("online: misuse is told what to do") {
  CHECK_THROWS_WITH_AS(
      online_greedy(0),
      "slots = 0 (a reverse pass needs at least the initial state) give slots >= 1?",
      std::invalid_argument);
}

}  // namespace revode
