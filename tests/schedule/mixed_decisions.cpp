// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/mixed.hpp>
#include <revode/schedule/planner.hpp>

namespace revode {
namespace {

index fewest(const mixed_optimum& optimum, index n, index u) {
  return optimum.steps(start_kind::passing, n, u);
}

const auto none = std::make_shared<const mixed_decisions>();

}  // namespace

TEST_CASE("mixed: where no step need be run more than twice the optimum needs no table") {
  for (const index tape : {1, 2, 3, 5, 8})
    for (const bool resume : {false, true}) {
      const index steps = 90, units = 40 * tape;
      const mixed_optimum optimum(steps, units, mixed::costs(tape, resume));
      mixed_numbers numbers(tape);
      for (index u = 1; u <= units; u += 1 + u / 30)
        for (index n = 1; n <= std::min(steps, numbers.reach(u, 1)); ++n) {
          CAPTURE(tape);
          CAPTURE(resume);
          CAPTURE(n);
          CAPTURE(u);
          REQUIRE(!mixed::has_table(n, u, tape));
          REQUIRE(audit(mixed(u, tape, resume, n, none), n).forward_steps == fewest(optimum, n, u));
        }
    }
}

TEST_CASE("mixed: an optimum's decisions take a fortieth of its table") {
  for (const bool resume : {false, true})
    for (const auto& [steps, units] : {std::pair<index, index>{300, 40}, {1000, 64}, {2000, 30}}) {
      const index n = steps, u = units;
      CAPTURE(n);
      const mixed_optimum optimum(n, u, mixed::costs(7, resume));
      const mixed_decisions decisions(optimum, n, u);
      CHECK(decisions.size() > 0);
      CHECK(decisions.size() <= 150);
      CHECK(decisions.bytes() * 40 < optimum.bytes());
      const auto given = std::make_shared<const mixed_decisions>(decisions);
      CHECK(audit(mixed(u, 7, resume, n, given), n).forward_steps == fewest(optimum, n, u));
    }
}

TEST_CASE(
    "mixed: a table that may take so many bytes ends with the units that they are enough for") {
  const mixed_optimum whole(300, 60, {.restart = 7});
  index before = 0;
  for (index bytes = 0; bytes <= whole.bytes(); bytes += 500) {
    const mixed_optimum part(300, 60, {.restart = 7}, bytes);
    REQUIRE(part.units() >= before - 1);
    REQUIRE(part.bytes() <= std::max<index>(bytes, 13'000) + 2048);
    if (part.units() >= 0)
      REQUIRE(fewest(part, 300, part.units()) == fewest(whole, 300, part.units()));
    before = part.units();
  }
  CHECK(before == 60);
}

TEST_CASE("mixed: a budget with room for the decisions replays the golden table's steps") {
  std::ifstream file(REVODE_GOLDEN_DIR "/mixed_optimal.csv");
  std::string line;
  int rows = 0, decided = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#' || line[0] == 'n') continue;
    CAPTURE(line);
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    index n, u, stage, restart, total;
    fields >> n >> u >> stage >> restart >> total;
    REQUIRE(fields);
    if (stage > 0 && restart > 0) continue;
    ++rows;
    constexpr index state = 1'000'000;
    const memory_costs costs{.work = 1000,
                             .snapshot = state,
                             .tape = state * std::max(stage, restart),
                             .steps = n,
                             .tapes_resume = restart > 0};
    const index budget = costs.work + (u + 3) * state - 1;  // two stand before the units
    const memory_plan plan =
        plan_memory(costs, budget, {.tapes_resume = restart > 0}, schedule_kind::mixed);
    REQUIRE(plan.request.slots == u);
    REQUIRE(plan.bytes <= budget);
    REQUIRE(*plan.replays == total - n);
    decided += plan.request.decisions->size() > 0;
    const audit_counts counts = audit(any_schedule(plan.schedule, plan.request), n);
    REQUIRE(counts.replayed_steps == *plan.replays);
    REQUIRE(counts.peak_snapshots == *plan.peak_states);
    REQUIRE(counts.peak_tapes == *plan.peak_tapes);
  }
  CHECK(rows == 3240);
  CHECK(decided == 254);
}

}  // namespace revode
