// SPDX-License-Identifier: Apache-2.0
// M y' = f of index 2 and 3 by Radau: orders, and counts beside Hairer's code.
#include <doctest/doctest.h>

#include <cmath>

#include <revode/problems/car_axis.hpp>
#include <revode/problems/pendulum_index2.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>

namespace revode {
namespace {

template <class F>
auto problem_of(const F& f, double t1 = F::t1) {
  return problem{f, f.y0(), F::t0, t1, f.parameters()};
}
/// The largest errors at the end: of positions, velocities, the multiplier.
template <class F, class M>
vec<double, 3> errors_of(const F& f, const M& m, const options& o) {
  const auto s = solve(problem_of(f), m, o);
  REQUIRE(s.status == status::success);
  const auto off = [&](int i) { return std::abs(s.y[i] - f.reference()[i]); };
  return {std::fmax(off(0), off(1)), std::fmax(off(2), off(3)), off(4)};
}
/// Orders between two grids of equal steps, n and 2n.
template <class F, class M>
vec<double, 3> orders_of(const F& f, const M& m, int n) {
  const auto rough = errors_of(f, m, {.fixed_step = 2.0 / n});
  const auto fine = errors_of(f, m, {.fixed_step = 1.0 / n});
  vec<double, 3> order{};
  for (int i = 0; i < 3; ++i) order[i] = std::log2(rough[i] / fine[i]);
  return order;
}

TEST_CASE("orders with S stages: 2S - 1 and S at index 2, 2S - 2 or more, S and S - 1 at index 3") {
  const auto two = orders_of(pendulum_index2{}, radau_iia5{}, 80);
  CHECK(std::abs(two[0] - 5) <= 0.15);
  CHECK(std::abs(two[1] - 5) <= 0.15);
  CHECK(std::abs(two[2] - 3) <= 0.15);
  const auto three = orders_of(pendulum_index3{}, radau_iia5{}, 160);
  CHECK(three[0] >= 4);
  CHECK(std::abs(three[1] - 3) <= 0.15);
  CHECK(std::abs(three[2] - 2) <= 0.15);
  CHECK(std::abs(orders_of(pendulum_index2{}, radau_iia9{}, 80)[2] - 5) <= 0.2);
  const auto nine = orders_of(pendulum_index3{}, radau_iia9{}, 160);
  CHECK(std::abs(nine[1] - 5) <= 0.2);
  CHECK(std::abs(nine[2] - 4) <= 0.2);
}

TEST_CASE("positions are as good as the tolerance, steps as many as RADAU5 takes") {
  // accepted steps and factorisations of Hairer's code (ODEInterface, gfortran), first step 1e-6
  struct row {
    double tol;
    int steps, factorizations;
  };
  const auto check = [](const auto& f, const row& beside, int positions, double bound) {
    const options o{.rtol = beside.tol, .atol = beside.tol, .first_step = 1e-6};
    const auto s = solve(problem_of(f), radau_iia5{}, o);
    REQUIRE(s.status == status::success);
    CAPTURE(beside.tol);
    CHECK(std::abs(s.stats.accepted - beside.steps) <= 0.1 * beside.steps);
    CHECK(std::abs(s.stats.factorizations - beside.factorizations) <= 0.15 * beside.factorizations);
    for (int i = 0; i < positions; ++i)
      CHECK(std::abs(s.y[i] - f.reference()[i]) <= bound * beside.tol);
  };
  for (const row& r : {row{1e-6, 66, 69}, {1e-8, 132, 134}, {1e-10, 278, 278}})
    check(pendulum_index2{}, r, 2, 5);
  for (const row& r : {row{1e-6, 73, 78}, {1e-8, 148, 146}, {1e-10, 305, 288}})
    check(pendulum_index3{}, r, 2, 30);
  for (const row& r : {row{1e-4, 99, 98}, {1e-6, 200, 201}, {1e-8, 415, 416}})
    check(car_axis{}, r, 4, 150);  // Hairer's code has fewer digits there
}

}  // namespace
}  // namespace revode
