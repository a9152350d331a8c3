// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <any/chain.hpp>
#include <any/problems.hpp>

// from_fortran.f90
extern "C" int solve_from_fortran(const char* method, double* y, double* saved, double* event_t,
                                  double* of_y0, double* of_p);
extern "C" int solve_chain_from_fortran(const char* method, const char* algebra, const double* y0,
                                        const double* w, double* y, double* of_y0, double* of_p,
                                        double* ends);
extern "C" int differences_from_fortran(const char* method, double unit, double time, double* of_y0,
                                        double* of_p);

namespace revode {
namespace {

/// What from_fortran.f90 solves.
any_problem predators_with_integral() {
  any_problem q = of(predators_with_vjp());
  q.f = {predators_with_vjp(),
         {.f =
              [](double t, auto, auto, auto dy) {
                dy[0] = 0.125 * t;
                dy[1] = 0;
              },
          .vjp = [](double, auto, auto, auto w, double& gt, auto, auto) { gt += 0.125 * w[0]; }}};
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

TEST_CASE(
    "Fortran gets the bits of C++: solves, parts, save points, integrals, events, gradients") {
  const any_problem q = predators_with_integral();
  options o;
  o.save.ts = {0.25, 2.5};
  for (const char* method : {"tsit5", "dop853", "radau_iia5", "kencarp4_imex"}) {
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

/// The chain's own numbers on its pattern in the order of Fortran's, from the first row of a column.
any_callbacks chain_with_both_shapes() {
  any_callbacks c = chain_with_vjp();
  c.banded_jacobian = chain_with_band().banded_jacobian;
  c.sparse_jacobian = [](double, auto y, auto p, auto entries) {
    std::size_t e = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (j > 0) entries[e++] = 0.75 * p[0];
      entries[e++] = on_diagonal(y, p, j);
      if (j + 1 < y.size()) entries[e++] = 1.25 * p[0];
    }
  };
  return c;
}

TEST_CASE("Fortran gets the bits of C++ with banded and sparse matrices: gradients, ensembles") {
  constexpr std::size_t n = 12;
  std::vector<int> starts{0}, rows;
  for (int j = 0; j < static_cast<int>(n); ++j) {
    for (int i = std::max(j - 1, 0); i <= std::min(j + 1, static_cast<int>(n) - 1); ++i)
      rows.push_back(i);
    starts.push_back(static_cast<int>(rows.size()));
  }
  const any_problem q = of_chain(chain_with_both_shapes());
  const std::vector<double> w{1, -2, 3, -4, 5, -6, 6, -5, 4, -3, 2, -1};
  std::vector<any_point> points{{}, {.p = {30, 2}}, {.p = {20, 1}}};
  for (const std::string& algebra : any_algebra_names())
    for (const char* method : {"bdf5", "esdirk547", "radau_iia5"}) {
      if (algebra != "banded" && algebra != "klu") continue;
      CAPTURE(algebra);
      CAPTURE(method);
      const any_method m(
          method, {.name = algebra, .lower = 1, .upper = 1, .pattern = any_pattern(starts, rows)});
      const auto s = solve(q, m, options{}, recursive_checkpoint{.slots = 5});
      const auto bar = s.pullback({.y = w});
      double y[n], of_y0[n], of_p[2], ends[3][n];
      REQUIRE(solve_chain_from_fortran(method, algebra.c_str(), q.y0.data(), w.data(), y, of_y0,
                                       of_p, ends[0]) == 0);
      CHECK(s.stats.jvp_evaluations == 0);
      CHECK(std::memcmp(y, s.y.data(), sizeof y) == 0);
      CHECK(std::memcmp(of_y0, bar.y0.data(), sizeof of_y0) == 0);
      CHECK(std::memcmp(of_p, bar.p.data(), sizeof of_p) == 0);
      const auto all = solve_each(q, m, options{}, points, 1);
      for (std::size_t k = 0; k < 3; ++k)
        CHECK(std::memcmp(ends[k], all[k].y.data(), sizeof ends[k]) == 0);
    }
}

TEST_CASE("Fortran tells the sizes of numbers and times for differences") {
  const double unit = 0x1p-30, time = 0x1p-10;
  any_callbacks c{
      .f = [](double t, auto y, auto p, auto dy) { dy[0] = -p[0] * t * y[0] / (p[1] + y[0]); },
      .by_finite_differences = true,
      .typical_size = unit,
      .typical_time = time};
  const any_problem q{.f = c, .y0 = {2 * unit}, .t1 = 2 * time, .p = {unit / (time * time), unit}};
  for (const char* method : {"tsit5", "radau_iia5", "rodas5p"}) {
    CAPTURE(method);
    const auto bar = solve(q, method, options{.atol = 1e-9 * unit}, recursive_checkpoint{})
                         .pullback({.y = any_state{1}});
    double of_y0[1], of_p[2];
    REQUIRE(differences_from_fortran(method, unit, time, of_y0, of_p) == 0);
    CHECK(std::memcmp(of_y0, bar.y0.data(), sizeof of_y0) == 0);
    CHECK(std::memcmp(of_p, bar.p.data(), sizeof of_p) == 0);
  }
}

}  // namespace
}  // namespace revode
