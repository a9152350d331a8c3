// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "online_sweep.hpp"

#include <revode/schedule/online/online_seeded.hpp>
#include <revode/schedule/planner.hpp>
#include <revode/schedule/wang_moin.hpp>

namespace revode {
namespace {

/// How many step evaluations more one slot more takes, at the worst of the stops 1..most.
template <class Replays>
index worst_loss(index slots, index most, Replays&& replays_of) {
  std::vector<index> before;
  index worst = 0;
  for (index s = 1; s <= slots; ++s) {
    const std::vector<index> now = replays_of(s, most);
    for (std::size_t n = 0; s > 1 && n < now.size(); ++n)
      worst = std::max(worst, now[n] - before[n]);
    before = now;
  }
  return worst;
}

template <class Schedule>
std::vector<index> swept(index slots, index most) {
  first_sweep_of<Schedule> sweep(slots);
  std::vector<index> replays;
  for (index n = 1; n <= most; ++n) replays.push_back(sweep.replays(n));
  return replays;
}

auto mixed_of(index tape_units) {
  return [=](index units, index most) {
    std::vector<index> replays;
    const any_schedule plan(schedule_kind::mixed, {.slots = units, .tape_units = tape_units});
    for (index n = 1; n <= most; ++n) replays.push_back(dry_run(plan, n).replays);
    return replays;
  };
}

}  // namespace

TEST_CASE("one slot more never costs evaluations online: every stop up to 3000, 1 to 40 slots") {
  CHECK(worst_loss(40, 3000, swept<online_greedy>) == 0);
  CHECK(worst_loss(40, 3000, swept<online_seeded>) == 0);
}

TEST_CASE("one slot more can cost evaluations: wang_moin, 936 at the most, from 9 to 10 slots") {
  CHECK(worst_loss(40, 3000, swept<wang_moin>) == 936);
  CHECK(swept<wang_moin>(10, 2012).back() - swept<wang_moin>(9, 2012).back() == 936);
}

TEST_CASE("one unit more can cost one evaluation: mixed of an unknown count, 1 to 40 units") {
  for (const index tape : {1, 2, 3, 5, 7}) {
    CAPTURE(tape);
    CHECK(worst_loss(40, 300, mixed_of(tape)) == (tape == 1 ? 0 : 1));
  }
}

}  // namespace revode
