// SPDX-License-Identifier: Apache-2.0
// The index of each element of y from C: x' = z, 0 = x - p t, so that x = p t and z = p.
#include <doctest/doctest.h>

#include <revode.h>

#include <cmath>
#include <string>

namespace {

int held(double t, const double* y, const double* p, double* dy, void*) {
  dy[0] = y[1];
  dy[1] = y[0] - p[0] * t;
  return 0;
}
int held_vjp(double t, const double*, const double* p, const double* w, double* gt, double* gy,
             double* gp, void*) {
  *gt -= p[0] * w[1];
  gy[0] += w[1];
  gy[1] += w[0];
  gp[0] -= t * w[1];
  return 0;
}

TEST_CASE("elements of index 2 from C, with the gradient, and misuse in words") {
  const double start[] = {0, 0}, slope[] = {3}, mass[] = {1, 0, 0, 0};
  const int index[] = {1, 2}, wrong[] = {1, 4};
  revode_problem* q = nullptr;
  REQUIRE(revode_problem_new(2, start, 1, slope, 0, 1, held, nullptr, &q) == REVODE_OK);
  REQUIRE(revode_problem_set_vjp(q, held_vjp) == REVODE_OK);
  CHECK(revode_problem_set_index(q, index) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "an index of 2 numbers without a mass matrix (elements of y' = f are all of index 1) give "
        "any_callbacks::mass, too?");
  REQUIRE(revode_problem_set_mass(q, mass) == REVODE_OK);
  REQUIRE(revode_problem_set_index(q, index) == REVODE_OK);

  revode_options o = REVODE_OPTIONS;
  o.rtol = o.atol = 1e-8;
  revode_solution* s = nullptr;
  REQUIRE(revode_solve_differentiable(q, "radau", &o, nullptr, &s) == REVODE_OK);
  double y[2], of_p[1];
  REQUIRE(revode_solution_y(s, y) == REVODE_OK);
  CHECK(std::abs(y[0] - 3) < 1e-12);
  CHECK(std::abs(y[1] - 3) < 1e-10);
  revode_gradient g = REVODE_GRADIENT;
  g.p = of_p;
  const double of_x[] = {1, 0};
  REQUIRE(revode_solution_pullback(s, of_x, nullptr, nullptr, &g) == REVODE_OK);
  CHECK(std::abs(of_p[0] - 1) < 1e-12);
  revode_solution_free(s);

  s = nullptr;
  CHECK(revode_solve(q, "rodas5p", &o, &s) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()).find("weigh all elements alike") != std::string::npos);
  REQUIRE(revode_problem_set_index(q, wrong) ==
          REVODE_OK);  // told where it is solved, as its size is
  CHECK(revode_solve(q, "radau", &o, &s) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()).find("4") != std::string::npos);
  REQUIRE(revode_problem_set_mass(q, nullptr) == REVODE_OK);  // and with it the index
  CHECK(revode_solve(q, "tsit5", &o, &s) == REVODE_OK);
  revode_solution_free(s);
  revode_problem_free(q);
}

}  // namespace
