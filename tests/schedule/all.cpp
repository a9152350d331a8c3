// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <revode/schedule/all.hpp>
#include <revode/schedule/auditor.hpp>

namespace revode {
namespace {

schedule_request request(index slots, index n, bool known) {
  return {.slots = slots,
          .base = 3,
          .interval = slots + 1,
          .inner_slots = slots % 3,
          .max_steps = n,
          .steps = known ? n : unbounded,
          .tape_units = 2,
          .tapes_resume = known,
          .slow_slots = slots / 2};
}

std::vector<action> actions_of(any_schedule plan, index n) {
  std::vector<action> all;
  audit(std::move(plan), n, [&](const action& a) { all.push_back(a); });
  return all;
}

template <class Check>
void for_every_schedule(Check&& check) {
  for (const auto& entry : schedule_names)
    for (const bool known : {false, true}) {
      CAPTURE(std::string(entry.second));
      CAPTURE(known);
      check(entry.first, known);
    }
}

}  // namespace

TEST_CASE("the registry knows each schedule by its name, in order") {
  CHECK(schedule_names.size() == 10);
  index kind = 0;
  for (const auto& [known, text] : schedule_names) {
    CHECK(static_cast<index>(known) == kind++);
    CHECK(name(known) == text);
  }
  CHECK(name(static_cast<schedule_kind>(77)) == "unknown");
  CHECK(name(schedule_kind::online_seeded) == "online_seeded");
  CHECK(name(schedule_kind::wang_moin) == "wang_moin");
  CHECK(name(schedule_kind::mixed) == "mixed");
  CHECK(name(schedule_kind::periodic) == "periodic");
  CHECK(name(schedule_kind::nested) == "nested");
}

TEST_CASE(
    "every schedule pulls n-1 ... 0 once each, in its slots and units, and leaves none full") {
  for_every_schedule([](schedule_kind kind, bool known) {
    for (index n = 0; n <= 40; ++n)
      for (index slots = 1; slots <= 9; ++slots)
        for (const auto end : {loop_end::noticed_at_once, loop_end::noticed_late}) {
          CAPTURE(n);
          CAPTURE(slots);
          const any_schedule plan(kind, request(slots, n, known));
          const audit_counts counts = audit(plan, n, end);
          REQUIRE(counts.pulls == n);
          REQUIRE(counts.forward_steps == n + counts.replayed_steps);
          REQUIRE(counts.peak_snapshots <= plan.snapshot_slots());
          REQUIRE(counts.peak_tapes <= plan.tape_slots());
          REQUIRE(counts.peak_units <= plan.units());
          if (takes_slots(kind)) REQUIRE(counts.peak_units <= slots);
        }
  });
}

TEST_CASE("a schedule of slots evaluates no step more when it gets another slot") {
  for_every_schedule([](schedule_kind kind, bool known) {
    if (!takes_slots(kind) || (kind == schedule_kind::wang_moin) ||
        (kind == schedule_kind::mixed && !known))
      return;  // these two lose a few steps now and then
    for (const index n : {2, 5, 17, 60, 200, 431})
      for (index slots = 1; slots <= 24; ++slots) {
        CAPTURE(n);
        CAPTURE(slots);
        const auto evaluations = [&](index s) {
          return audit(any_schedule(kind, request(s, n, known)), n).forward_steps;
        };
        REQUIRE(evaluations(slots + 1) <= evaluations(slots));
      }
  });
}

TEST_CASE("a schedule that is copied or moved in the middle, or run beside another, is unchanged") {
  for_every_schedule([](schedule_kind kind, bool known) {
    const index n = 57;
    const std::vector<action> alone = actions_of({kind, request(5, n, known)}, n);
    CHECK(actions_of({kind, request(5, n, known)}, n) == alone);

    any_schedule original(kind, request(5, n, known));
    std::vector<action> first, second;
    index position = 0;
    const auto take = [&](any_schedule& plan, std::vector<action>& to) {
      action a = plan.next();
      if (a.what == op::advance || a.what == op::record) a.to = position = std::min(a.to, n);
      to.push_back(a);
    };
    while (position < n / 2) take(original, first);
    second = first;
    any_schedule copy = original;
    for (auto [plan, to] : {std::pair{&original, &first}, {&copy, &second}}) {
      any_schedule moved = std::move(*plan);
      position = to->empty() ? 0 : n / 2;
      for (const action& a : *to)
        if (a.what == op::advance || a.what == op::record) position = a.to;
      while (position < n) take(moved, *to);
      moved.finalize(n);
      do take(moved, *to);
      while (to->back().what != op::done);
    }
    CHECK(first == alone);
    CHECK(second == alone);
  });
}

}  // namespace revode
