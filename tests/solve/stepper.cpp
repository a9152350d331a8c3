// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include <revode/problems/lorenz.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using lorenz_problem = problem<lorenz, vec<double, 3>, vec<double, 3>>;
const lorenz_problem chaotic{lorenz{}, {1, 0, 0}, 0, 3, lorenz{}.parameters()};

/// All states of the first sweep, then a restart: every replayed state, restores in between.
template <class M>
void replays_bit_for_bit(const options& o) {
  stepper<M, lorenz, vec<double, 3>, vec<double, 3>> loop(chaotic, M{}, o, true);
  std::vector<vec<double, 3>> states{loop.state()};
  std::vector<vec<double, 3>> slopes;
  std::optional<typename decltype(loop)::snapshot_type> kept;
  while (!loop.finished()) {
    if (loop.position() == 7) loop.save(kept);
    loop.step(loop.work_tape());
    states.push_back(loop.state());
    slopes.push_back(loop.work_tape().k[1]);
  }
  const auto n = static_cast<index>(states.size()) - 1;
  REQUIRE(n > 20);
  CHECK(loop.count() == n);
  CHECK(loop.result().stats.accepted == n);

  loop.restart();
  for (index i = 0; i < n; ++i) {
    REQUIRE(loop.state() == states[static_cast<std::size_t>(i)]);
    REQUIRE(loop.time() == loop.log().time(i));
    loop.step(loop.work_tape());
    REQUIRE(loop.work_tape().k[1] == slopes[static_cast<std::size_t>(i)]);
  }
  CHECK(loop.finished());
  CHECK(loop.time() == 3);

  loop.load(*kept);
  CHECK(loop.position() == 7);
  CHECK_FALSE(loop.finished());
  while (!loop.finished()) loop.step(loop.work_tape());
  CHECK(loop.state() == states.back());
}

}  // namespace

TEST_CASE("replays and restores repeat the first sweep bit for bit") {
  SUBCASE("adaptive steps") { replays_bit_for_bit<tsit5>({.rtol = 1e-6}); }
  SUBCASE("equal steps") { replays_bit_for_bit<rk4>({.fixed_step = 0.07}); }
}

TEST_CASE("a replay neither tests nor saves") {
  stepper<tsit5, lorenz, vec<double, 3>, vec<double, 3>> loop(chaotic, tsit5{},
                                                              {.save = {.ts = {0.5, 1, 3}}}, true);
  while (!loop.finished()) loop.step(loop.work_tape());
  const statistics first = loop.result().stats;
  loop.restart();
  while (!loop.finished()) loop.step(loop.work_tape());

  CHECK(loop.result().stats.accepted == first.accepted);
  CHECK(loop.result().stats.rejected == first.rejected);
  CHECK(loop.result().ys.size() == 3);
  CHECK(loop.result().stats.field_evaluations == first.field_evaluations + 1 + 6 * first.accepted);
}

TEST_CASE("the grid of equal steps is a formula and ends at t1 exactly") {
  const step_log<nothing> log(0.1, 0.7, 3);
  CHECK(log.time(0) == 0.1);
  CHECK(log.time(1) == 0.1 + 1 * (0.7 - 0.1) / 3);
  CHECK(log.time(3) == 0.7);
  CHECK(log.bytes() == 0);
}

TEST_CASE("an adaptive grid keeps eight bytes a step, in blocks of 4096") {
  step_log<nothing> log(0, 1, 0);
  for (index i = 0; i < 5000; ++i) log.keep(i, static_cast<double>(i + 1) / 5000, {});
  CHECK(log.time(0) == 0);
  CHECK(log.time(4097) == 4097.0 / 5000);
  CHECK(log.bytes() == 2 * 4096 * 8);
}

}  // namespace revode
