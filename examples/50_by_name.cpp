// SPDX-License-Identifier: Apache-2.0
// An epidemic, by the compiled interface: the method is a name, the field a function over arrays, and
// the program compiles in half a second. When does infection fall below one in a thousand, and how does
// the number of those who had it depend on infectiousness and recovery?
//
// prints: day 169\.5: 0\.7965 of all had it
// prints: gradient by recursive_checkpoint: 2\.730505 -5\.461009
#include <cstdio>

#include <revode/any.hpp>

int main() {
  using namespace revode;
  any_problem epidemic;
  epidemic.f = any_callbacks{.f =
                                 [](double, auto y, auto p, auto dy) {
                                   const double infections = p[0] * y[0] * y[1],
                                                recoveries = p[1] * y[1];
                                   dy[0] = -infections;
                                   dy[1] = infections - recoveries;
                                 },
                             .vjp =
                                 [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
                                   const double of_infections = w[1] - w[0];
                                   gy[0] += of_infections * p[0] * y[1];
                                   gy[1] += of_infections * p[0] * y[0] - w[1] * p[1];
                                   gp[0] += of_infections * y[0] * y[1];
                                   gp[1] -= w[1] * y[1];
                                 }};
  epidemic.y0 = {0.999, 0.001};
  epidemic.t1 = 500;
  epidemic.p = {0.2, 0.1};
  epidemic.events.push_back(any_event_callbacks{
      .name = "over",
      .condition = [](double, auto y, auto) { return y[1] - 0.001; },
      .direction = crossing::falling,
      .terminal = true,
      .condition_gradient = [](double, auto, auto, double&, auto gy, auto) { gy[1] += 1; }});

  const options accurate{.rtol = 1e-8, .atol = 1e-10};
  const auto s = solve(epidemic, "tsit5", accurate, recursive_checkpoint{.slots = 10});
  std::printf("day %.1f: %.4f of all had it (%s)\n", s.t, 1 - s.y[0], name(s.status));

  const auto g = s.pullback({.y = any_state{-1, 0}});
  std::printf("gradient by recursive_checkpoint: %.6f %.6f\n", g.p[0], g.p[1]);
}
