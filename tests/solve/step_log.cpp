// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include <revode/solve/course/step_log.hpp>

namespace revode {
namespace {

struct decisions {
  short order;
  bool fresh;
  friend bool operator==(const decisions&, const decisions&) = default;
};

/// Steps of the given lengths from 0, the last one cut at t1.
struct grid {
  std::vector<double> h, t{0};
  double t1() const { return t.back(); }

  void add(double length) {
    h.push_back(length);
    t.push_back(t.back() + length);
  }
  void cut() {
    h.push_back(h.back());
    t.push_back(t.back() + h.back() / 3);
  }
  template <class Record>
  index keep(step_log<Record>& log) const {
    for (std::size_t i = 0; i < h.size(); ++i)
      if (!log.keep(static_cast<index>(i), t[i + 1], h[i], record<Record>(i))) break;
    return log.known();
  }
  template <class Record>
  static Record record(std::size_t i) {
    if constexpr (std::is_empty_v<Record>)
      return {};
    else
      return {static_cast<short>(i), i % 3 == 0};
  }
};

/// n rounded steps whose lengths walk over eight octaves.
grid walk(rounding to, int n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> change(-0.4, 0.4);
  grid g;
  double exponent = -9;
  for (int i = 0; i + 1 < n; ++i) {
    exponent = std::fmin(-5, std::fmax(-13, exponent + change(random)));
    g.add(round_step(to, std::exp2(exponent)));
  }
  g.cut();
  return g;
}

struct nothing_kept {};

template <class Record>
void knows(const step_log<Record>& log, const grid& g, index n) {
  for (index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    REQUIRE(log.end(i, g.t[at]) == g.t[at + 1]);
    if constexpr (!std::is_empty_v<Record>) REQUIRE(log.record(i) == grid::record<Record>(at));
  }
  for (index i = n - 1; i >= 0; i -= 7)  // out of order
    REQUIRE(log.end(i, g.t[static_cast<std::size_t>(i)]) == g.t[static_cast<std::size_t>(i) + 1]);
}

}  // namespace

TEST_CASE("the grid of equal steps is a formula and ends at t1 exactly") {
  step_log<nothing_kept> log(0.1, 0.7, 3);
  CHECK(log.end(0, 0.1) == 0.1 + 1 * (0.7 - 0.1) / 3);
  CHECK(log.end(2, 0) == 0.7);
  CHECK(log.known() == unbounded);
  CHECK(log.keep(0, 0, 0, {}));
  CHECK(log.bytes() == 0);
}

TEST_CASE("a log gives back every end, at eight, four or one byte a step") {
  constexpr index block = entry_blocks::block_entries, pointer = sizeof(void*);
  for (const auto to : {rounding::none, rounding::bits24, rounding::octave16}) {
    const grid g = walk(to, 9000);
    step_log<nothing_kept> log(0, g.t1(), 0, to);
    REQUIRE(g.keep(log) == 9000);
    knows(log, g, 9000);
    const index step = to == rounding::none ? 8 : to == rounding::bits24 ? 4 : 1;
    const index anchors = to == rounding::octave16 ? 128 : 0;  // k itself every 64 steps
    CHECK(log.bytes() == 3 * (block * step + anchors) + 4 * pointer);

    step_log<decisions> recorded(0, g.t1(), 0, to);
    REQUIRE(g.keep(recorded) == 9000);
    knows(recorded, g, 9000);
  }
}

TEST_CASE("lengths that no byte or float holds are kept aside") {
  for (const auto to : {rounding::bits24, rounding::octave16}) {
    grid g;
    for (const double h : {1e-3, 1e-3, 1e3, 1e-6, 1e-6, 1e-310, 1e-310, 1e-3, 1e-50, 1e3, 1e3})
      g.add(round_step(to, h));
    for (int i = 0; i < 100; ++i) g.add(round_step(to, i % 2 == 0 ? 1e-4 : 1e4));
    g.cut();
    step_log<nothing_kept> log(0, g.t1(), 0, to);
    REQUIRE(g.keep(log) == 112);
    knows(log, g, 112);
  }
}

TEST_CASE("a log with a limit keeps what fits and not a byte more") {
  for (const auto to : {rounding::none, rounding::bits24, rounding::octave16}) {
    const grid g = walk(to, 9000);
    index known = 0;
    for (index limit = 0; limit < 80'000; limit += 1 + limit / 7) {
      step_log<decisions> log(0, g.t1(), 0, to, limit);
      const index n = g.keep(log);
      REQUIRE(log.bytes() <= limit);
      REQUIRE(n >= known);
      REQUIRE((n == 9000 || step_log<decisions>::bytes_for(n + 1, false, to) > limit));
      REQUIRE(step_log<decisions>::bytes_for(n, false, to) <= std::max<index>(limit, 0));
      knows(log, g, n);
      known = n;
    }
    CHECK(known > 4096);
  }
}

}  // namespace revode
