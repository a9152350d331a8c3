// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "../contract/bdf12.hpp"

#include <revode/problems/lorenz.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using lorenz_problem = problem<lorenz, vec<double, 3>, vec<double, 3>>;
const lorenz_problem chaotic{lorenz{}, {1, 0, 0}, 0, 3, lorenz{}.parameters()};

/// Something of a step's tape that its stages decide.
template <class Tape>
vec<double, 3> probe(const Tape& tape) {
  if constexpr (requires { tape.k; })
    return tape.k[1];
  else
    return tape.after.z[1];
}

/// All states of the first sweep, then a restart: every replayed state, restores in between. The
/// log may take so many bytes.
template <class M>
void replays_bit_for_bit(const options& o, index log_bytes) {
  CAPTURE(log_bytes);
  stepper<M, lorenz, vec<double, 3>, vec<double, 3>> loop(chaotic, M{}, o, log_bytes);
  std::vector<vec<double, 3>> states{value(M{}, loop.state())};
  std::vector<double> times{loop.time()};
  std::vector<vec<double, 3>> slopes;
  std::optional<typename decltype(loop)::snapshot_type> kept;
  while (!loop.finished()) {
    if (loop.position() == 7) loop.save(kept);
    loop.step(loop.work_tape());
    states.push_back(value(M{}, loop.state()));
    times.push_back(loop.time());
    slopes.push_back(probe(loop.work_tape().stages));
  }
  const auto n = static_cast<index>(states.size()) - 1;
  REQUIRE(n > 20);
  CHECK(loop.count() == n);
  CHECK(loop.result().stats.accepted == n);

  loop.restart();
  for (index i = 0; i < n; ++i) {
    REQUIRE(value(M{}, loop.state()) == states[static_cast<std::size_t>(i)]);
    REQUIRE(loop.time() == times[static_cast<std::size_t>(i)]);
    loop.step(loop.work_tape());
    REQUIRE(loop.work_tape().t == times[static_cast<std::size_t>(i)]);
    REQUIRE(loop.work_tape().t_new == times[static_cast<std::size_t>(i) + 1]);
    REQUIRE(probe(loop.work_tape().stages) == slopes[static_cast<std::size_t>(i)]);
  }
  CHECK(loop.finished());
  CHECK(loop.time() == 3);

  loop.load(*kept);
  CHECK(loop.position() == 7);
  CHECK_FALSE(loop.finished());
  while (!loop.finished()) loop.step(loop.work_tape());
  CHECK(value(M{}, loop.state()) == states.back());
}

}  // namespace

TEST_CASE("replays and restores repeat the first sweep bit for bit, however long the log is") {
  for (const index log_bytes :
       {index{0}, index{8 + 5 * 8}, index{8 + 7 * 8}, index{8 + 8 * 8}, index{200}, unbounded}) {
    for (const auto steps : {rounding::none, rounding::bits24, rounding::octave16})
      replays_bit_for_bit<tsit5>({.rtol = 1e-6, .step_rounding = steps}, log_bytes);
    replays_bit_for_bit<rk4>({.fixed_step = 0.07}, log_bytes);
    replays_bit_for_bit<contract::bdf12>({.rtol = 1e-2, .atol = 1e-2}, log_bytes);
    replays_bit_for_bit<contract::bdf12>({.fixed_step = 0.01}, log_bytes);
  }
}

TEST_CASE("a replay neither saves nor counts; by the log it does not test either") {
  for (const index log_bytes : {unbounded, index{0}}) {
    stepper<tsit5, lorenz, vec<double, 3>, vec<double, 3>> loop(
        chaotic, tsit5{}, {.save = {.ts = {0.5, 1, 3}}}, log_bytes);
    while (!loop.finished()) loop.step(loop.work_tape());
    const statistics first = loop.result().stats;
    loop.restart();
    while (!loop.finished()) loop.step(loop.work_tape());

    REQUIRE(first.rejected > 0);
    CHECK(loop.result().stats.accepted == first.accepted);
    CHECK(loop.result().stats.rejected == first.rejected);
    CHECK(loop.result().ys.size() == 3);
    CHECK(loop.rejected_again() == (log_bytes > 0 ? 0 : first.rejected));
    CHECK(loop.result().stats.field_evaluations ==
          first.field_evaluations + 1 + 6 * (first.accepted + loop.rejected_again()));
  }
}

TEST_CASE("the carry after a step is rebuilt from its tape without a call, bit for bit") {
  const auto check = [](const auto& m, const options& o) {
    using M = std::remove_cvref_t<decltype(m)>;
    stepper<M, lorenz, vec<double, 3>, vec<double, 3>> loop(chaotic, m, o, unbounded);
    std::vector<step_tape<M, vec<double, 3>>> tapes;
    std::vector<vec<double, 3>> states;
    while (!loop.finished()) {
      loop.step(loop.work_tape());
      tapes.push_back(loop.work_tape());
      states.push_back(loop.state());
    }
    const index evaluations = loop.sys().counts.field_evaluations;
    for (std::size_t i = 0; i < tapes.size(); ++i) {
      loop.resume(static_cast<index>(i), tapes[i]);
      REQUIRE(loop.state() == states[i]);
      REQUIRE(loop.position() == static_cast<index>(i) + 1);
      REQUIRE(loop.time() == tapes[i].t_new);
    }
    CHECK(loop.sys().counts.field_evaluations == evaluations);
    loop.resume(4, tapes[4]);
    while (!loop.finished()) loop.step(loop.work_tape());
    CHECK(loop.state() == states.back());
  };
  check(tsit5{}, {.rtol = 1e-6});
  check(rk4{}, {.fixed_step = 0.07});
  check(dop853{}, {.rtol = 1e-6});
}

}  // namespace revode
