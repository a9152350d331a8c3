// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia9.hpp>

#include <vector>

#include "implicit_fields.hpp"

namespace revode {
namespace {

template <class M>
void check_laws() {
  for (const double stiffness : {40.0, 4e4}) {
    check_implicit_laws(M{}, vec{0.5, 1.0}, vec{stiffness, 1.3});
    check_implicit_laws(M{}, std::vector{0.5, 1.0}, std::vector{stiffness, 1.3});
  }
}

TEST_CASE("Radau of five and seven stages: replays, products and duals agree") {
  check_laws<radau_iia9>();
  check_laws<radau_iia13>();
}

template <class M>
void check_long_solve() {
  problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 200.0, vec{1000.0, 1.3}};
  const options o{.fixed_step = 0.002};
  auto many = solve(q, M{}, o, recursive_checkpoint{.slots = 32});
  auto few = solve(q, M{}, o, recursive_checkpoint{.slots = 24});
  REQUIRE(many.stats.accepted == 100'000);
  const auto g = many.pullback(vec{1.0, -1.0}), other = few.pullback(vec{1.0, -1.0});
  CHECK(g.reverse.peak_states <= 32);
  CHECK(equal_bits(g.y0, other.y0));
  CHECK(equal_bits(g.p, other.p));
}

TEST_CASE(
    "Radau of five and seven stages: 100,000 stiff steps in 32 snapshots, the same bits in 24") {
  check_long_solve<radau_iia9>();
  check_long_solve<radau_iia13>();
}

template <class M>
void check_replays_by_the_controller() {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e4, 1.3}};
  for (const double first : {0.0, 1.0}) {  // chosen; far too long, so that trials are rejected
    options o{.rtol = 1e-9, .atol = 1e-11, .first_step = first};
    o.save.ts = {0.213, 0.2131, 1.413};
    const recursive_checkpoint logged{.slots = 3};
    CHECK(
        equal_gradients_law(q, M{}, o, logged, {.slots = 2, .log = step_replay::controller}).what ==
        "");
  }
}

TEST_CASE("Radau of five and seven stages: replays that repeat the attempts give the same bits") {
  check_replays_by_the_controller<radau_iia9>();
  check_replays_by_the_controller<radau_iia13>();
}

}  // namespace
}  // namespace revode
