// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "online_sweep.hpp"

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/wang_moin.hpp>

namespace revode {
namespace {

using level_sweep = first_sweep_of<wang_moin>;

/// The rule as published, on positions and levels.
struct stated_levels {
  struct point {
    index step, level;
  };
  std::size_t slots;
  std::vector<point> points{{0, unbounded}};

  void add(index n) {
    if (points.size() < slots) return points.push_back({n, 0});
    for (std::size_t i = points.size() - 1; i-- > 1;)
      for (std::size_t j = i + 1; j < points.size(); ++j)
        if (points[j].level > points[i].level) {
          points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
          return points.push_back({n, 0});
        }
    points.back() = {n, points.back().level + 1};
  }
};

}  // namespace

TEST_CASE("wang_moin: the decisions are those of the rule as published") {
  for (const index s : {2, 3, 4, 7, 12, 25}) {
    stated_levels rule{static_cast<std::size_t>(s)};
    level_sweep sweep(s);
    for (index n = 1; n <= 800; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      rule.add(n);
      std::vector<index> steps;
      for (const auto& point : rule.points) steps.push_back(point.step);
      REQUIRE(sweep.placement(n + 2) == steps);
    }
  }
}

TEST_CASE("wang_moin: stopped at any step, no step is run more than r + 2 times") {
  for (index s = 1; s <= 40; ++s) {
    level_sweep sweep(s);
    for (index n = 1; n <= 300; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      const audit_counts counts = audit(wang_moin(s), n);
      REQUIRE(counts.max_visits <= repetitions(n, s) + 2);
      REQUIRE(counts.replayed_steps == sweep.replays(n));
      REQUIRE(counts.pulls == n);
      REQUIRE(counts.restores == n - 1);
      REQUIRE(counts.peak_snapshots == std::max<index>(1, std::min(s, n - 1)));
    }
  }
}

TEST_CASE("wang_moin: long loops keep the repetition number, too") {
  for (const index s : {3, 5, 10, 20, 30})
    for (index n = 310; n <= 3000; n += 97) {
      CAPTURE(n);
      CAPTURE(s);
      REQUIRE(audit(wang_moin(s), n).max_visits <= repetitions(n, s) + 2);
    }
}

TEST_CASE("wang_moin: stopped at any step up to 3000, between 1 and 1.47 times the optimum") {
  for (index s = 2; s <= 40; ++s) {
    level_sweep sweep(s);
    const double bound = s == 2 ? 1.1501 : s <= 4 ? 1.234 : s <= 10 ? 1.373 : 1.465;
    for (index n = 2; n <= 3000; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      const index replays = sweep.replays(n), least = extra_steps(n, s);
      REQUIRE(replays >= least);
      REQUIRE(static_cast<double>(replays) <= bound * static_cast<double>(least));
    }
  }
}

TEST_CASE("wang_moin: the first sweep writes every carry but the last") {
  for (const index n : {2, 3, 10, 100, 1000}) {
    index written = 0, last = 0;
    audit(wang_moin(5), n, [&](const action& a) {
      if (a.what == op::pull) last = n;
      if (last == 0) written += a.what == op::snapshot;
    });
    CHECK(written == n - 1);
  }
}

TEST_CASE("wang_moin: a loop whose end is noticed late is reversed all the same") {
  for (index n = 0; n <= 60; ++n)
    for (index s = 1; s <= 12; ++s) {
      CAPTURE(n);
      CAPTURE(s);
      REQUIRE(audit(wang_moin(s), n, loop_end::noticed_late).pulls == n);
    }
}

}  // namespace revode
