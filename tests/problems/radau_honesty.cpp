// SPDX-License-Identifier: Apache-2.0
#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>

#include "newton_honesty.hpp"

namespace revode {
namespace {

template <class Check>
void for_each_radau(const Check& check) {
  check(radau_iia5{});
  check(radau_iia9{});
  check(radau_iia13{});
}

TEST_CASE("Radau: an iteration does not end on the rate of another step") {
  const erased_problem pollu = make_problem("pollu");  // was 16 to 1,840 tolerances off
  for_each_radau([&](const auto& m) {
    for (const double tol : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) check_honest(m, pollu, tol, tol, 2);
  });
  check_honest(radau_iia9{}, make_problem("hires"), 1e-10, 1e-14, 2);  // 66
}

TEST_CASE("Radau: where its order is reduced, errors stay within a hundred tolerances") {
  for_each_radau(
      [](const auto& m) {  // was up to 2,300; most are below 1, the last steps are periods long
        for (const double lambda : {-1e3, -1e4, -1e5, -1e6, -1e7})
          for (const double t1 : {1.0, 10.0, 100.0})
            for (int k = 3; k <= 10; ++k)
              check_honest(m, make_prothero_robinson(lambda, t1), std::pow(10, -k),
                           std::pow(10, -k), 100);
      });
}

TEST_CASE("Radau: rtol may be 0, or far below atol") {
  for_each_radau([](const auto& m) { check_tolerances_without_rtol(m); });
}

TEST_CASE("Radau: components may have no rtol of their own") {
  const erased_problem q = make_problem("hires");
  for_each_radau([&](const auto& m) {
    options o{.rtol = 1e-6, .atol = 1e-6};
    o.norm.rtol = std::vector<double>(8, 0.0);
    const auto each = solve(problem{q.f, q.y0, q.t0, q.t1, q.p}, m, o);
    const auto all = solve(problem{q.f, q.y0, q.t0, q.t1, q.p}, m, {.rtol = 0, .atol = 1e-6});
    CHECK(each.y == all.y);
    CHECK(each.stats.newton_iterations == all.stats.newton_iterations);
  });
}

}  // namespace
}  // namespace revode
