// SPDX-License-Identifier: Apache-2.0
// prints: start: lambda 0\.000
// prints: at 30 degrees: .* lambda 14\.7150
// prints: dt/dg
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/problems/pendulum_index1.hpp>
#include <revode/revode.hpp>
#include <revode/solve/dense_output.hpp>

using namespace revode;

// A pendulum in x, y with the force λ of its rod. M = diag(1, 1, 1, 1, 0): the last row of f is an equation
// for λ, by which the bob stays on its circle.
struct half_way_down {
  static constexpr bool terminal = true;
  auto condition(const auto&, const auto& y, const auto&) const { return y[1] + 0.5; }
};

int main() {
  const pendulum_index1 pendulum;
  problem q{pendulum, pendulum.y0(), 0.0, 2.0, pendulum.parameters()};
  q.y0[4] = 123;  // a guess: λ is made consistent, and what was given has no derivative
  const options o{.rtol = 1e-10, .atol = 1e-10};

  auto s = solve(q, radau_iia9{}, o, events(half_way_down{}), recursive_checkpoint{.slots = 6});
  assert(s.status == status::terminal_event);
  auto path = solve(q, radau_iia9{}, o, dense_output{});
  std::printf("start: lambda %.3f\n", std::abs(path(1e-12)[4]));
  std::printf("at 30 degrees: t %.8f, lambda %.4f\n", s.t, s.y[4]);
  assert(std::abs(s.y[4] - 1.5 * 9.81) < 1e-6);  // 3 g/l cos of the angle from below

  // When does it come by? Times go with √(l/g).
  cotangents<vec<double, 5>> of_time;
  of_time.events = {1.0};
  const auto g = s.pullback(of_time);
  std::printf("dt/dg %.10f, by hand %.10f\n", g.p[0], -s.t / (2 * q.p[0]));
  std::printf("dt/dl %.10f, by hand %.10f\n", g.p[1], s.t / (2 * q.p[1]));
  assert(std::abs(g.p[0] + s.t / (2 * q.p[0])) < 1e-8);
  assert(std::abs(g.p[1] - s.t / (2 * q.p[1])) < 1e-7);
  assert(std::abs(g.y0[4]) < 1e-14);
}
