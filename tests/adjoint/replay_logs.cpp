// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include "contract/bdf12.hpp"
#include "contract/jump_at_stop.hpp"
#include "every_way.hpp"

#include <revode/problems/lorenz.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using every_way_of::check;

const lorenz field;
const problem chaotic{field, field.y0(), 0., 4., field.parameters()};
const problem driven{contract::driven_field{}, vec{0.4, 1.0}, 0.1, 7.3, vec{1.5, 0.2}};

}  // namespace

TEST_CASE("the same bits for every schedule, budget, tier and log: Lorenz") {
  SUBCASE("tsit5") { check<tsit5>(chaotic, {.rtol = 1e-5, .atol = 1e-5}, vec{1., 2., 3.}); }
  SUBCASE("records and a memo") {
    check<contract::bdf12>(chaotic, {.rtol = 1e-2, .atol = 1e-2}, vec{1., 2., 3.});
  }
  SUBCASE("records and a memo, equal steps") {
    check<contract::bdf12>(chaotic, {.fixed_step = 0.02}, vec{1., 2., 3.});
  }
}

TEST_CASE("the same bits for every schedule, budget, tier and log: a clipped end, rounded steps") {
  for (const auto to : {rounding::none, rounding::bits24, rounding::octave16}) {
    const options o{.rtol = 1e-7, .atol = 1e-7, .max_step = 0.13, .step_rounding = to};
    // The last step is cut: no step of the grid ends where t + h would.
    stepper<tsit5, contract::driven_field, vec<double, 2>, vec<double, 2>> loop(driven, tsit5{}, o);
    while (!loop.finished()) loop.step(loop.work_tape());
    CHECK(loop.time() == 7.3);
    CHECK(loop.work_tape().t_new - loop.work_tape().t < 0.13);
    check<tsit5>(driven, o, vec{1., -0.7});
  }
}

TEST_CASE("the same bits for every schedule, budget, tier and log: save points, a jump at a stop") {
  const problem q{contract::driven_field{}, vec{0.4, 1.0}, 0.1, 4.0, vec{1.5, 0.2, 0.3, -0.2}};
  const options o{.rtol = 1e-10,
                  .atol = 1e-10,
                  .save = {.t0 = true, .ts = {0.1, 0.5, 0.5, 1.1, 1.3, 4}, .t1 = true}};
  const auto stats = solve(q, contract::jumping_tsit5{}, o).stats;
  CHECK(stats.accepted > 60);
  CHECK(stats.rejected > 0);
  check<contract::jumping_tsit5>(q, o, vec{1., -0.7});
}

TEST_CASE(
    "attempts that are rejected again are counted, and evaluate the field as the first time") {
  for (const index slots : {1, 3, 10, 50}) {
    const options o{.rtol = 1e-5, .atol = 1e-5};
    auto s = solve(chaotic, tsit5{}, o,
                   recursive_checkpoint{.slots = slots, .log = step_replay::controller});
    auto t = solve(chaotic, tsit5{}, o, recursive_checkpoint{.slots = slots});
    REQUIRE(s.stats.rejected > 0);
    const auto a = s.pullback(vec{1., 2., 3.}).reverse, b = t.pullback(vec{1., 2., 3.}).reverse;
    CHECK(a.replayed_steps == b.replayed_steps);
    CHECK(a.restores == b.restores);
    CHECK(a.field_evaluations == 6 * (a.replayed_steps + a.rejected_again) + a.restores);
    CHECK(b.field_evaluations == 6 * b.replayed_steps + b.restores);
    CHECK(a.vjp_evaluations == b.vjp_evaluations);
    if (slots < 10) CHECK(a.rejected_again > s.stats.rejected);
  }
}

}  // namespace revode
