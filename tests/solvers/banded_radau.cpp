// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/banded.hpp>
#include <revode/solvers/radau_iia5.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE("banded algebra: Radau IIA takes the dense steps, and its gradient is as exact") {
  check_algebra(radau_iia5{}, banded{1, 1, true}, true);
}

TEST_CASE("banded algebra: steps across which J changes too much have an exact gradient, too") {
  auto q = line_problem_of(false, 60, 1.0);
  q.p[0] = 0.002;
  const with_algebra<radau_iia5, banded> m{};
  const options o{.fixed_step = 0.05};  // stage Jacobians are too far apart for refinement
  auto s = solve(q, m, o, recursive_checkpoint{.slots = 2});
  auto d = solve(q, radau_iia5{}, o, recursive_checkpoint{.slots = 2});
  REQUIRE(s.status == status::success);
  const auto g = s.pullback(q.y0), h = d.pullback(q.y0);
  CHECK(relative_difference(g.y0, h.y0) < 1e-12);
  CHECK(relative_difference(g.p, h.p) < 1e-12);
  CHECK(dot_product_law(q, m, o, recursive_checkpoint{.slots = 2}, 1).worst < 1e-12);
}

}  // namespace
}  // namespace revode
