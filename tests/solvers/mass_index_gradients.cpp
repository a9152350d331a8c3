// SPDX-License-Identifier: Apache-2.0
// What gradients are along constraints of index 2 and 3.
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/pendulum_index2.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/solvers/radau_iia9.hpp>

namespace revode {
namespace {

/// dL/dg, dL/dl and the derivative of L along the circle, with the speed that goes with it.
template <class F>
vec<double, 3> along_the_circle(const F& f) {
  problem q{f, f.y0(), F::t0, F::t1, f.parameters()};
  const double angle = 0.3, speed = 0.4;  // a start that is not at rest
  q.y0 = {std::cos(angle), std::sin(angle), -speed * std::sin(angle), speed * std::cos(angle), 0};
  q.y0[4] = speed * speed - q.p[0] / q.p[1] * q.y0[1];
  const auto g =
      solve(q, radau_iia9{}, {.rtol = 1e-10, .atol = 1e-10}, recursive_checkpoint{.slots = 5})
          .pullback(vec{0.3, -0.8, 0.4, 0.2, 0.0});
  const vec<double, 5> turn{-q.y0[1], q.y0[0], -q.y0[3], q.y0[2], -q.p[0] / q.p[1] * q.y0[0]};
  return {g.p[0], g.p[1], dot(turn, g.y0)};
}

TEST_CASE("gradients along the constraints are those of the equation of index 1") {
  const auto one = along_the_circle(pendulum_index1{}), two = along_the_circle(pendulum_index2{}),
             three = along_the_circle(pendulum_index3{});
  for (int i = 0; i < 3; ++i) {
    CHECK(two[i] == doctest::Approx(one[i]).epsilon(1e-7));
    CHECK(three[i] == doctest::Approx(one[i]).epsilon(1e-6));
  }
}

}  // namespace
}  // namespace revode
