// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/binomial.hpp>

namespace revode {
namespace {

// t(n, s) = min_m m + t(m, s) + t(n - m, s - 1), and the fewest writes of the schedules that attain
// it: a segment of two steps or more stores its start, once.
struct dynamic_programme {
  static constexpr index never = index{1} << 40;

  explicit dynamic_programme(int steps, int slots)
      : slots_(slots),
        t(size(steps), 0),
        writes_below(size(steps), 0) {
    for (int n = 2; n <= steps; ++n) {
      at(t, n, 0) = never;
      for (int s = 1; s <= slots; ++s) solve(n, s);
    }
  }

  index extra(int n, int s) const { return t[place(n, s)]; }
  index writes(int n, int s) const { return n <= 1 ? 0 : 1 + writes_below[place(n, s)]; }

 private:
  std::size_t size(int steps) const { return place(steps, slots_) + 1; }
  std::size_t place(int n, int s) const {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(slots_ + 1) +
           static_cast<std::size_t>(s);
  }
  index& at(std::vector<index>& table, int n, int s) { return table[place(n, s)]; }

  void solve(int n, int s) {
    index best = never, fewest = never;
    for (int m = 1; m < n; ++m) {
      const index cost = m + extra(m, s) + extra(n - m, s - 1);
      const index stores = writes_below[place(m, s)] + writes(n - m, s - 1);
      if (cost < best || (cost == best && stores < fewest)) {
        best = cost;
        fewest = stores;
      }
    }
    at(t, n, s) = best;
    at(writes_below, n, s) = fewest;
  }

  int slots_;
  std::vector<index> t;
  std::vector<index> writes_below;  // with the start of the segment already stored
};

template <std::size_t Steps, std::size_t Slots>
constexpr bool closed_form_is_optimal() {
  std::array<std::array<index, Slots + 1>, Steps + 1> t{};
  for (std::size_t n = 2; n <= Steps; ++n) {
    t[n][0] = 1 << 20;
    for (std::size_t s = 1; s <= Slots; ++s) {
      t[n][s] = 1 << 20;
      for (std::size_t m = 1; m < n; ++m)
        t[n][s] = std::min(t[n][s], static_cast<index>(m) + t[m][s] + t[n - m][s - 1]);
      const auto steps = static_cast<index>(n), slots = static_cast<index>(s);
      const auto m = static_cast<std::size_t>(split(steps, slots));
      if (t[n][s] != extra_steps(steps, slots)) return false;
      if (t[n][s] != split(steps, slots) + t[m][s] + t[n - m][s - 1]) return false;
    }
  }
  return true;
}

constexpr bool thresholds_hold(index n) {
  for (index s = 1; s <= 64; ++s) {
    const index r = repetitions(n, s), m = split(n, s);
    if (beta(s, r) < n || beta(s, r - 1) >= n) return false;
    const index lowest = std::max({index{1}, beta(s, r - 2), n - beta(s - 1, r)});
    const index highest = std::min({n - 1, beta(s, r - 1), n - beta(s - 1, r - 1)});
    if (m < lowest || (s > 1 && m > highest)) return false;
  }
  return true;
}

static_assert(closed_form_is_optimal<24, 6>());
static_assert(thresholds_hold(index{1} << 40));
static_assert(thresholds_hold((index{1} << 40) - 1));
static_assert(beta(3, 2) == 10 && beta(10, 4) == 1001 && beta(0, 7) == 1);
static_assert(beta(-1, 3) == 0 && beta(3, -1) == 0);
static_assert(beta(1000, 1000) == saturated && beta(unbounded, 1) == saturated);
static_assert(extra_steps(1000, 10) == 3636 && extra_steps(10, 3) == 15);
static_assert(extra_steps(index{1} << 40, 1) == saturated);
static_assert(split(2, 1) == 1 && split(9, 1) == 8 && split(5, 4) == 1);
static_assert(split(11, 3) == 4 && split(13, 3) == 4);  // the three cases of the rule at r = 3
static_assert(split(14, 3) == 5 && split(18, 3) == 9);
static_assert(split(19, 3) == 10 && split(20, 3) == 10);

index restores(index n) { return std::max<index>(n - 1, 0); }

}  // namespace

TEST_CASE("beta obeys Pascal's rule until it saturates") {
  for (index s = 1; s <= 80; ++s)
    for (index r = 1; r <= 80; ++r) {
      CAPTURE(s);
      CAPTURE(r);
      const index sum = std::min(saturated, beta(s - 1, r) + beta(s, r - 1));
      REQUIRE(beta(s, r) == sum);
    }
}

TEST_CASE("extra_steps and the fewest writes are those of the dynamic programme") {
  const int steps = 200, slots = 16;
  const dynamic_programme optimum(steps, slots);
  for (int s = 1; s <= slots; ++s)
    for (int n = 0; n <= steps; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      const audit_counts counts = audit(binomial(s, n), n);
      REQUIRE(extra_steps(n, s) == optimum.extra(n, s));
      REQUIRE(counts.forward_steps == n + optimum.extra(n, s));
      REQUIRE(counts.snapshots_written == optimum.writes(n, s));
      REQUIRE(counts.restores == restores(n));
      REQUIRE(counts.peak_snapshots == std::min<index>(s, restores(n)));
      REQUIRE(counts.max_visits <= repetitions(n, s) + 1);
      REQUIRE(counts.recorded == n);
      REQUIRE(counts.peak_tapes == 0);
    }
}

TEST_CASE("a known count gives every row of the golden table") {
  std::ifstream file(REVODE_GOLDEN_DIR "/binomial_optimal.csv");
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#' || line[0] == 'l') continue;
    CAPTURE(line);
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    index n, s, r, extra, total, without_tape, below, above, programme;
    double ratio;
    fields >> n >> s >> r >> extra >> total >> without_tape >> ratio >> below >> above >> programme;
    REQUIRE(fields);
    ++rows;

    REQUIRE(repetitions(n, s) == r);
    REQUIRE(extra_steps(n, s) == extra);
    REQUIRE(extra_steps(n, s) == programme);
    REQUIRE(extra_steps(n + 1, s) == without_tape);
    REQUIRE(beta(s, r - 1) == below);
    REQUIRE(beta(s, r) == above);
    REQUIRE(std::abs(ratio - static_cast<double>(total) / static_cast<double>(n)) <= 0.5000001e-6);
    if (total < 200000) REQUIRE(audit(binomial(s, n), n).forward_steps == total);
  }
  CHECK(rows == 300);
}

TEST_CASE("1000 steps and 10 slots write 714 snapshots and read 999") {
  const audit_counts counts = audit(binomial(10, 1000), 1000);

  CHECK(counts.forward_steps == 1000 + 3636);
  CHECK(counts.snapshots_written == 714);
  CHECK(counts.restores == 999);
  CHECK(counts.peak_snapshots == 10);
}

TEST_CASE("an unknown count costs one sweep and the optimal reversal of all steps but the last") {
  for (index s = 1; s <= 16; ++s)
    for (index n = 1; n <= 200; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      const audit_counts counts = audit(binomial(s), n);
      REQUIRE(counts.replayed_steps == (n - 1) + extra_steps(n - 1, s));
      REQUIRE(counts.forward_steps == n + counts.replayed_steps);
      REQUIRE(counts.restores == n - 1);
      REQUIRE(counts.peak_snapshots == std::max<index>(1, std::min(s, n - 2)));
    }
}

TEST_CASE("big loops cost what the closed form says") {
  std::mt19937 seeds(1992);
  for (int trial = 0; trial < 12; ++trial) {
    const index n = std::uniform_int_distribution<index>(1000, 60000)(seeds);
    const index s = std::uniform_int_distribution<index>(3, 80)(seeds);
    CAPTURE(n);
    CAPTURE(s);
    const audit_counts known = audit(binomial(s, n), n);
    const audit_counts unknown = audit(binomial(s), n);

    CHECK(known.forward_steps == n + extra_steps(n, s));
    CHECK(known.restores == n - 1);
    CHECK(known.peak_snapshots == s);
    CHECK(known.max_visits <= repetitions(n, s) + 1);
    CHECK(unknown.replayed_steps == n - 1 + extra_steps(n - 1, s));
  }
}

TEST_CASE("more slots than steps: a known count runs all but the last twice") {
  const index n = 500;

  CHECK(audit(binomial(unbounded, n), n).forward_steps == 2 * n - 1);
  CHECK(audit(binomial(index{1} << 40), n).forward_steps == 3 * n - 3);
}

TEST_CASE("extra_steps is convex in the steps, with slope r, and falls with the slots") {
  for (index s = 1; s <= 24; ++s)
    for (index n = 1; n <= 400; ++n) {
      CAPTURE(n);
      CAPTURE(s);
      REQUIRE(extra_steps(n + 1, s) - extra_steps(n, s) == repetitions(n + 1, s));
      REQUIRE(extra_steps(n, s + 1) <= extra_steps(n, s));
    }
}

TEST_CASE("a loop that ends early, at once or noticed late, is still reversed within its slots") {
  for (const loop_end end : {loop_end::noticed_at_once, loop_end::noticed_late})
    for (index steps = 0; steps <= 40; ++steps)
      for (index n = 0; n <= steps; ++n)
        for (index s = 1; s <= 8; ++s) {
          CAPTURE(steps);
          CAPTURE(n);
          CAPTURE(s);
          REQUIRE(audit(binomial(s, steps), n, end).pulls == n);
          REQUIRE(audit(binomial(s), n, end).pulls == n);
          if (n == steps)
            REQUIRE(audit(binomial(s, n), n, end).forward_steps == n + extra_steps(n, s));
        }
}

TEST_CASE("a copy made in the middle goes on as the original does") {
  binomial original(3, 20);
  for (int k = 0; k < 5; ++k) original.next();
  binomial copy = original;
  for (int k = 0; k < 2; ++k) CHECK(copy.next() == original.next());
}

TEST_CASE("binomial: misuse is told what to do") {
  CHECK_THROWS_WITH_AS(
      binomial(0), "slots = 0 (a reverse pass needs at least the initial state) give slots >= 1?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      binomial(-4, 9),
      "slots = -4 (a reverse pass needs at least the initial state) give slots >= 1?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(binomial(3, -1), "steps = -1 (a loop runs 0 steps or more) give steps >= 0?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(binomial(3, 10).finalize(12),
                       "n = 12 steps (binomial was told 10) give no count when it is not known?",
                       std::invalid_argument);
}

}  // namespace revode
