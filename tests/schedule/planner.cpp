// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/planner.hpp>

namespace revode {
namespace {

/// A small state, whose tables weigh as much as its snapshots, and a large one.
const memory_costs small{
    .work = 1700, .snapshot = 88, .tape = 208, .log_step = 8, .log_most = 8'000};
const memory_costs large{
    .work = 400'000, .snapshot = 8100, .tape = 64'100, .log_step = 8, .log_most = 8'000'000};

memory_costs of(memory_costs c, index steps) {
  c.steps = steps;
  c.log_step = 0;
  return c;
}

std::string refusal(const memory_costs& c, index budget, std::optional<schedule_kind> kind = {}) {
  try {
    plan_memory(c, budget, {}, kind);
  } catch (const std::invalid_argument& misuse) {
    return misuse.what();
  }
  return "accepted";
}

/// The least budget, by asking.
index least_budget(const memory_costs& c) {
  index refused = 0, taken = 1'000'000;
  while (taken - refused > 1) {
    const index middle = (refused + taken) / 2;
    (refusal(c, middle) == "accepted" ? taken : refused) = middle;
  }
  return taken;
}

}  // namespace

TEST_CASE("a budget below the least is refused with the number that will do") {
  for (const memory_costs& c : {small, large, of(small, 300), of(large, 300)}) {
    const index least = least_budget(c);
    const std::string text = refusal(c, least - 1);
    CHECK(text == "budget of " + std::to_string(least - 1) +
                      " bytes (this gradient needs at least " + std::to_string(least) + ": " +
                      std::to_string(c.work) + " to work in and " + std::to_string(least - c.work) +
                      " for one snapshot) give at least that many?");
    CHECK(refusal(c, 0) == "budget of 0" + text.substr(text.find(" bytes")));
    CHECK(plan_memory(c, least, {}).request.slots == 1);
  }
}

TEST_CASE("a budget for a schedule that takes what it needs is refused") {
  CHECK(
      refusal(small, 10'000, schedule_kind::store_all) ==
      "budget of 10000 bytes for schedule store_all (its memory follows the number of steps, not a "
      "budget) leave the schedule out, or choose binomial or online?");
}

TEST_CASE("every plan stays within its budget, and more of it is never fewer slots") {
  for (const memory_costs& c : {small, large, of(small, 300), of(large, 300)})
    for (const auto kind : {std::optional<schedule_kind>{}, std::optional(schedule_kind::binomial),
                            std::optional(schedule_kind::online)}) {
      index slots = 0;
      const index least = least_budget(c), unit = std::max<index>(c.snapshot / 9, 1);
      for (index budget = least + 100; budget < least + 700 * c.snapshot; budget += unit) {
        const memory_plan plan = plan_memory(c, budget, {}, kind);
        REQUIRE(plan.bytes <= budget);
        REQUIRE(plan.log_bytes <= (budget - c.work) / 4);
        if (kind) REQUIRE(plan.schedule == *kind);
        if (kind && plan.formula) REQUIRE(plan.request.slots >= slots);
        slots = plan.request.slots;
      }
    }
}

TEST_CASE("predicted counts are those of the auditor, for every budget") {
  for (const index n : {0, 1, 2, 3, 10, 57, 300})
    for (const memory_costs& base : {small, large}) {
      const memory_costs c = of(base, n);
      const index least = least_budget(c);
      const index all = c.work + tape_bytes(c, n);
      std::vector<schedule_kind> seen;
      for (index budget = least; budget <= all + 1; budget += 1 + (all - least) / 300) {
        const memory_plan plan = plan_memory(c, budget, {});
        const audit_counts counts = audit(any_schedule(plan.schedule, plan.request), n);
        CAPTURE(describe(plan));
        REQUIRE(*plan.replays == counts.replayed_steps);
        REQUIRE(*plan.peak_states == counts.peak_snapshots);
        REQUIRE(*plan.peak_tapes == counts.peak_tapes);
        seen.push_back(plan.schedule);
      }
      if (n < 57) continue;
      CHECK(std::count(seen.begin(), seen.end(), schedule_kind::binomial) > 0);
      CHECK(std::count(seen.begin(), seen.end(), schedule_kind::mixed) > 0);
      CHECK(plan_memory(c, all, {}).schedule == schedule_kind::store_all);
      CHECK(plan_memory(c, all - 1, {}).schedule != schedule_kind::store_all);
    }
}

TEST_CASE("a dry run counts as the auditor does") {
  for (const index n : {1, 2, 17, 100})
    for (const auto& entry : schedule_names) {
      const schedule_kind kind = entry.first;
      if (kind == schedule_kind::store_all) continue;  // records all its steps at once
      const schedule_request r{.slots = 9, .base = 3, .max_steps = 100, .tape_units = 3};
      CAPTURE(name(kind));
      const any_schedule plan(kind, r);
      const audit_counts counts = audit(plan, n);
      const dry_run_counts run = dry_run(plan, n);
      CHECK(run.replays == counts.replayed_steps);
      CHECK(run.peak_states == counts.peak_snapshots);
    }
}

TEST_CASE(
    "with the count unknown the log gets a quarter at the most, and no more than it can use") {
  const memory_plan some = plan_memory(large, 1'000'000, {});
  CHECK(some.log_bytes > 147'000);
  CHECK(some.log_bytes <= 150'000);
  CHECK(plan_memory(small, 1'000'000, {}).log_bytes <= small.log_most);
  CHECK(plan_memory(large, 1'000'000, {}, {}, false).log_bytes == 0);
}

TEST_CASE("with the count unknown a ring of tapes is worth a quarter of the slots, and no more") {
  index rings = 0, snapshots = 0;
  for (const index snapshot : {88, 200, 240, 280, 400, 1000})
    for (index budget = 8'000; budget < 200'000; budget += 997) {
      memory_costs c = small;
      c.snapshot = snapshot;
      const memory_plan plan = plan_memory(c, budget, {});
      const memory_plan both = plan_memory(c, budget, {}, schedule_kind::mixed);
      const memory_plan online = plan_memory(c, budget, {}, schedule_kind::online);
      if (plan.schedule == schedule_kind::mixed) {
        ++rings;
        REQUIRE(4 * both.request.slots >= 3 * online.request.slots);
        REQUIRE(plan.request.slots == both.request.slots);
      } else {
        REQUIRE(plan.schedule == schedule_kind::online);
        // too dear, or no room for a tape beside a snapshot
        const bool dear = 4 * both.request.slots < 3 * online.request.slots;
        REQUIRE((dear || both.request.slots <= both.request.tape_units + 1));
        snapshots += dear ? 1 : 0;
      }
    }
  CHECK(rings > 0);
  CHECK(snapshots > 0);
}

TEST_CASE("a plan for as many steps as there can be costs no more than one for few") {
  for (const index n : {index{1} << 30, index{1} << 53})
    for (const index budget : {2'300, 65'536, 100'000'000}) {
      const memory_plan p = plan_memory(of(small, n), budget, {.max_steps = unbounded});
      CHECK(p.bytes <= budget);
      CHECK(takes_slots(p.schedule));
      // no more of them are made than the bound says
      const memory_plan few = plan_memory(of(small, n), budget, {.max_steps = 2});
      CHECK(few.schedule == schedule_kind::store_all);
      CHECK(*few.peak_tapes == 2);
    }
  CHECK(!plan_slots(of(small, index{1} << 30), {.slots = 9}, schedule_kind::mixed, false).replays);
}

TEST_CASE("tapes of calls of the field are counted, and kept as they pay") {
  memory_costs c = of(large, 8);
  c.calls = 7;
  c.call = 500'000;
  const index tapes = tape_bytes(c, 8);
  for (index budget = 450'000; budget < 32'000'000; budget = budget * 9 / 8) {
    CAPTURE(budget);
    const memory_plan p = plan_memory(c, budget, {});
    CHECK(p.bytes <= budget);
    CHECK(p.work_bytes == c.work + p.field_tapes * c.call);
    // beside every step's tape as many as fit
    if (budget >= c.work + tapes + 7 * c.call) {
      CHECK(p.schedule == schedule_kind::store_all);
      CHECK(p.field_tapes == std::min<index>((budget - c.work - tapes) / c.call, 56));
    }
  }
  // As many steps as a table has no room for: a snapshot less is dearer than a pass of the step at hand.
  c.steps = 100'000;
  const memory_plan at_hand = plan_memory(c, 6'000'000, {});
  CHECK(at_hand.schedule == schedule_kind::binomial);
  CHECK(at_hand.field_tapes > 0);
  CHECK(at_hand.field_tapes <= 7);
  // A count that is not known: a share of what is free.
  c.steps = unbounded;
  c.log_step = 8;
  CHECK(plan_memory(c, 6'000'000, {}).field_tapes == 7);  // and some snapshots
  CHECK(plan_memory(c, 3'930'000, {}).field_tapes == 0);
  CHECK(plan_memory(c, 60'000'000, {}).field_tapes == (60'000'000 - c.work) / 2 / c.call);
  c.kept_calls = 3;
  CHECK(plan_memory(c, 60'000'000, {}).field_tapes == 3);
  CHECK(plan_slots(c, {.slots = 4}, schedule_kind::store_all, true).field_tapes == 3);
  c.kept_calls = {};
  CHECK(plan_slots(c, {.slots = 4}, schedule_kind::store_all, true).field_tapes == unbounded);
  CHECK(plan_slots(c, {.slots = 4}, {}, true).field_tapes == 7);
  CHECK(describe(plan_slots(c, {.slots = 4}, {}, true)) ==
        "online, 4 slots; a log of every step; tapes of 7 calls of the field");
}

TEST_CASE("a plan says what it is") {
  CHECK(describe(plan_memory(of(small, 300), 3000, {})) ==
        "binomial, 7 slots; steps by a formula; at most 2948 bytes, 1700 of them to work in; " +
            std::to_string(extra_steps(300, 7)) + " steps again");
  CHECK(describe(plan_slots(small, {.slots = 12}, {}, true)) ==
        "online, 12 slots; a log of every step");
  CHECK(describe(plan_slots(small, {.slots = 12}, schedule_kind::wang_moin, false)) ==
        "wang_moin, 12 slots; steps by the controller");
}

}  // namespace revode
