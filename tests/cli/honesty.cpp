// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include <page.hpp>

namespace revode::honesty {
namespace {

auto some_rows(bool stiff, std::initializer_list<const char*> problems) -> std::vector<row> {
  std::vector<row> rows;
  for (const cli::method_entry& m : family_of(stiff).methods)
    for (const char* name : problems)
      for (const int digits : {3, 5, 7})
        rows.push_back(solve_row(m, make_problem(name), digits, stiff ? limit_implicit : 1e5));
  return rows;
}

TEST_CASE("honesty: what is called success is near, by every adaptive method (all rows: heavy)") {
  const auto check = [](const std::vector<row>& rows) {
    const summary s = summary_of(rows);
    CHECK(s.rows > rows.size() / 2);
    CHECK(s.median <= 20);
    CHECK(20 * s.over <= s.rows);
  };
  check(some_rows(true, {"rober", "hires", "pollu", "vdpol_stiff"}));
  check(some_rows(false, {"lotka_volterra", "brusselator", "decay", "vdpol"}));
}

TEST_CASE("honesty: the condition of a problem is what its flow makes of one tolerance") {
  CHECK(condition_of(make_problem("decay")) == 1);
  const double turned = condition_of(make_problem("rotation"));  // |cos 10| + |sin 10| and less
  CHECK(turned > 1);
  CHECK(turned < 2);
}

TEST_CASE("honesty: a sum that the field keeps is broken by rounding alone") {
  const erased_problem rober = make_problem("rober");  // y₁ + y₂ + y₃
  Eigen::VectorXd y = rober.reference;
  CHECK(broken_invariants(rober, y, 1e-6, 1e-6) < 1e-6);
  y[2] += 3e-6;
  CHECK(broken_invariants(rober, y, 1e-6, 1e-6) ==
        doctest::Approx(3e-6 / (3e-6 + 1e-6)).epsilon(1e-6));
  CHECK(broken_invariants(make_problem("lorenz"), Eigen::VectorXd::Ones(3), 1e-6, 1e-6) == 0);
  const row e5 = solve_row(cli::find_method("rodas5p"), make_problem("e5"), 3, limit_implicit);
  CHECK(e5.off > 1e4);  // y₂ − y₃ − y₄ is all of it
  CHECK(e5.broken > 0.2 * e5.off);
  CHECK(e5.broken <= e5.off);
}

TEST_CASE("honesty: reasons are computed") {
  row r{"m", "p", 8, status::success, 150, 10, 1000};
  CHECK(reason_of(r) == "condition");
  r.off = 5e3;
  CHECK(reason_of(r) == "drift of 0.5 a step");
  r.off = 1e5;
  CHECK(reason_of(r).empty());
  r.broken = 2e4;
  CHECK(reason_of(r) == "rounding of a linear invariant, 2e+04 tolerances");
  r = {"m", "p", 14, status::success, 200, 1, 100'000};
  CHECK(reason_of(r) == "rounding");
}

}  // namespace
}  // namespace revode::honesty
