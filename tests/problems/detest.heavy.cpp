// SPDX-License-Identifier: Apache-2.0
#include "detest.hpp"

#include <revode/problems/detest_references.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/rock4.hpp>

namespace revode {
namespace {

TEST_CASE("DETEST: references by vern9 agree with dop853's, and with the known solutions") {
  for (const detest_case& c : detest_cases()) {
    CAPTURE(c.name);
    const auto s = solve(problem_of(c), dop853{}, {.rtol = 1e-13, .atol = 1e-13});
    CHECK(error_of(c, s.y) < 2e-10);
    const auto table = c.f.reference();
    CHECK(error_of(c, Eigen::Map<const Eigen::VectorXd>(table.data(), c.f.size())) < 2e-10);
    if (c.name == "A1") CHECK(std::abs(c.reference[0] - std::exp(-20.0)) < 1e-13);
    if (c.name == "A2") CHECK(std::abs(c.reference[0] - 1 / std::sqrt(21.0)) < 1e-12);
    if (c.name == "A3") CHECK(std::abs(c.reference[0] - std::exp(std::sin(20.0))) < 1e-12);
    if (c.name == "A4") CHECK(std::abs(c.reference[0] - 20 / (1 + 19 * std::exp(-5.0))) < 1e-11);
  }
}

TEST_CASE("DETEST at 1e-8: explicit methods end within a hundred tolerances, or 20 conditions") {
  const auto all = detest_cases();
  for_each_method(explicit_methods{}, [&](const auto& m) { check_method(m, all); });
  check_method(rock4{}, all);
}

}  // namespace
}  // namespace revode
