// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>

#include <any/problems.hpp>

extern "C" int solve_from_fortran(const char* method, double* y, double* saved, double* event_t,
                                  double* of_y0, double* of_p);  // from_fortran.f90

namespace revode {
namespace {

/// What from_fortran.f90 solves.
any_problem predators_with_integral() {
  any_problem q = of(predators_with_vjp());
  q.events.push_back(any_event_callbacks{
      .name = "two",
      .condition = [](double, auto y, auto) { return y[0] - 2; },
      .direction = crossing::rising,
      .condition_gradient = [](double, auto, auto, double&, auto gy, auto) { gy[0] += 1; }});
  return with_quadrature(q, {.f = [](double t, auto y, auto, auto dq) { dq[0] = t * y[0]; },
                             .vjp =
                                 [](double t, auto y, auto, auto w, double& gt, auto gy, auto) {
                                   gt += w[0] * y[0];
                                   gy[0] += w[0] * t;
                                 }});
}

TEST_CASE("Fortran gets the bits of C++: solves, save points, integrals, events, gradients") {
  const any_problem q = predators_with_integral();
  options o;
  o.save.ts = {0.25, 2.5};
  for (const char* method : {"tsit5", "dop853", "radau_iia5"}) {
    CAPTURE(method);
    const auto s = solve(q, method, o, recursive_checkpoint{.slots = 5});
    REQUIRE(s.events.size() == 1);
    const auto bar = s.pullback({.y = any_state{1, -2, 0.5}, .events = {3}});
    double y[3], saved[2][3], event_t = 0, of_y0[3], of_p[4];
    REQUIRE(solve_from_fortran(method, y, saved[0], &event_t, of_y0, of_p) == 0);
    CHECK(std::memcmp(y, s.y.data(), sizeof y) == 0);
    for (std::size_t k = 0; k < 2; ++k)
      CHECK(std::memcmp(saved[k], s.ys[k].data(), sizeof saved[k]) == 0);
    CHECK(event_t == s.events[0].t);
    CHECK(std::memcmp(of_y0, bar.y0.data(), sizeof of_y0) == 0);
    CHECK(std::memcmp(of_p, bar.p.data(), sizeof of_p) == 0);
  }
}

}  // namespace
}  // namespace revode
