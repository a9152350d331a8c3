// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <any/chain.hpp>
#include <revode/any.hpp>
#include <revode/any/compiled.hpp>

namespace revode {
namespace {

constexpr std::size_t n = 12;

int f(double t, const double* y, const double* p, double* dy, void*) {
  chain_alone().f(t, {y, n}, {p, 2}, {dy, n});
  return 0;
}
int vjp(double t, const double* y, const double* p, const double* w, double* gt, double* gy,
        double* gp, void*) {
  chain_with_vjp().vjp(t, {y, n}, {p, 2}, {w, n}, *gt, {gy, n}, {gp, 2});
  return 0;
}
int jvp(double t, const double* y, const double* p, double dt, const double* v, const double* u,
        double* out, void*) {
  chain_with_jvp().jvp(t, {y, n}, {p, 2}, dt, {v, n}, {u, 2}, {out, n});
  return 0;
}
int band(double t, const double* y, const double* p, double* numbers, void*) {
  chain_with_band().banded_jacobian(t, {y, n}, {p, 2}, {numbers, 3 * n});
  return 0;
}
int entries(double t, const double* y, const double* p, double* numbers, void*) {
  chain_with_entries().sparse_jacobian(t, {y, n}, {p, 2}, {numbers, 3 * n - 2});
  return 0;
}
int mean(double, const double* y, const double*, double* dq, void*) {
  dq[0] = 0;
  for (std::size_t i = 0; i < n; ++i) dq[0] += y[i] / n;
  return 0;
}
int mean_vjp(double, const double*, const double*, const double* w, double*, double* gy, double*,
             void*) {
  for (std::size_t i = 0; i < n; ++i) gy[i] += w[0] / n;
  return 0;
}
bool has_klu() {
  const std::vector<std::string> all = any_algebra_names();
  return std::find(all.begin(), all.end(), "klu") != all.end();
}
int refusing(double, const double*, const double*, double*, void*) { return 7; }

/// Objects of C's, freed at the end.
struct chain_of_c {
  revode_problem* q = nullptr;
  revode_solution* s = nullptr;
  explicit chain_of_c(bool derivatives = true) {
    const any_problem of = of_chain(chain_alone());
    REQUIRE(revode_problem_new(n, of.y0.data(), 2, of.p.data(), of.t0, of.t1, f, nullptr, &q) ==
            REVODE_OK);
    if (!derivatives) return;
    REQUIRE(revode_problem_set_vjp(q, vjp) == REVODE_OK);
    REQUIRE(revode_problem_set_jvp(q, jvp) == REVODE_OK);
  }
  chain_of_c(const chain_of_c&) = delete;
  chain_of_c& operator=(const chain_of_c&) = delete;
  ~chain_of_c() {
    revode_solution_free(s);
    revode_problem_free(q);
  }
  void solve(const char* method, const char* algebra, revode_code expected = REVODE_OK) {
    revode_options o = REVODE_OPTIONS;
    o.algebra = algebra;
    revode_solution_free(s);
    s = nullptr;
    REQUIRE(revode_solve_differentiable(q, method, &o, nullptr, &s) == expected);
  }
  any_state state() const {
    any_state y(n);
    REQUIRE(revode_solution_y(s, y.data()) == REVODE_OK);
    return y;
  }
};

TEST_CASE("every algebra and every pair can be reached from C, in the bits of C++") {
  const chain_pattern of(n);
  const auto pattern = any_pattern(of.starts, of.rows);
  std::size_t known = 0;
  while (revode_algebra_name(known) != nullptr) ++known;
  CHECK(known == any_algebra_names().size());
  CHECK(std::string(revode_algebra_name(0)) == "dense");
  for (const compiled::algebra_entry& e : compiled::algebra_table()) {
    if (e.kind.massive) continue;
    const std::string method(e.method), algebra(e.algebra);
    CAPTURE(method);
    CAPTURE(algebra);
    chain_of_c c;
    REQUIRE(revode_problem_set_band(c.q, 1, 1) == REVODE_OK);
    REQUIRE(revode_problem_set_pattern(c.q, of.starts.data(), of.rows.data()) == REVODE_OK);
    if (method == "rodas5p") REQUIRE(revode_problem_use_finite_differences(c.q) == REVODE_OK);
    c.solve(method.c_str(), algebra.c_str());
    any_callbacks same = chain_with_jvp();
    same.by_finite_differences = method == "rodas5p";
    const any_method m(method, {.name = algebra, .lower = 1, .upper = 1, .pattern = pattern});
    const auto expected = solve(of_chain(same), m, options{}, recursive_checkpoint{});
    CHECK(c.state() == expected.y);
    const std::vector<double> w(n, 1.0);
    any_state y0(n), p(2);
    revode_gradient g = REVODE_GRADIENT;
    g.y0 = y0.data();
    g.p = p.data();
    REQUIRE(revode_solution_pullback(c.s, w.data(), nullptr, nullptr, &g) == REVODE_OK);
    const any_gradient bar = expected.pullback({.y = w});
    CHECK(y0 == bar.y0);
    CHECK(p == bar.p);
  }
}

TEST_CASE("Jacobians in a band and on a pattern from C, and what they return") {
  const chain_pattern of(n);
  chain_of_c c;
  REQUIRE(revode_problem_set_band(c.q, 1, 1) == REVODE_OK);
  REQUIRE(revode_problem_set_banded_jacobian(c.q, band) == REVODE_OK);
  REQUIRE(revode_problem_set_sparse_jacobian(c.q, entries) == REVODE_OK);
  revode_statistics told = REVODE_STATISTICS;
  c.solve("bdf5", "banded");
  REQUIRE(revode_solution_statistics(c.s, &told) == REVODE_OK);
  CHECK(told.jvp_evaluations == 0);
  for (const std::string& name : any_algebra_names()) {
    if (name != "klu") continue;
    const any_state banded = c.state();
    REQUIRE(revode_problem_set_pattern(c.q, of.starts.data(), of.rows.data()) == REVODE_OK);
    c.solve("bdf5", "klu");
    for (std::size_t i = 0; i < n; ++i)
      CHECK(c.state()[i] == doctest::Approx(banded[i]).epsilon(1e-7));
  }
  REQUIRE(revode_problem_set_banded_jacobian(c.q, refusing) == REVODE_OK);
  c.solve("bdf5", "banded", REVODE_CALLBACK);
  CHECK(std::string(revode_last_error()) ==
        "the caller's banded_jacobian returned 7 (it ends the call) return 0 to go on?");
}

/// An ensemble of the problem, whose states have `length` numbers, beside as many solves.
void check_ensemble(const chain_of_c& c, const std::string& algebra, std::size_t length = n) {
  CAPTURE(algebra);
  constexpr std::size_t count = 5;
  std::vector<double> starts, parameters;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < n; ++i)
      starts.push_back(0.1 * static_cast<double>(k) + 0.01 * static_cast<double>(i));
    parameters.insert(parameters.end(), {40 - 5 * static_cast<double>(k), 3});
  }
  revode_options o = REVODE_OPTIONS;
  o.algebra = algebra.c_str();
  revode_solution* all[count];
  REQUIRE(revode_solve_each(c.q, "bdf5", &o, count, starts.data(), parameters.data(), 3, all) ==
          REVODE_OK);
  for (std::size_t k = 0; k < count; ++k) {
    any_state y(length), alone(length);
    REQUIRE(revode_solution_y(all[k], y.data()) == REVODE_OK);
    revode_solution_free(all[k]);
    REQUIRE(revode_problem_set(c.q, &starts[n * k], &parameters[2 * k], 0, 0.5) == REVODE_OK);
    revode_solution* s = nullptr;
    REQUIRE(revode_solve(c.q, "bdf5", &o, &s) == REVODE_OK);
    REQUIRE(revode_solution_y(s, alone.data()) == REVODE_OK);
    revode_solution_free(s);
    CHECK(y == alone);
  }
}

TEST_CASE("an ensemble from C has the bits of its solves, with every algebra and an integral too") {
  const chain_pattern of(n);
  for (const std::string& algebra : any_algebra_names()) {
    chain_of_c c;
    REQUIRE(revode_problem_set_band(c.q, 1, 1) == REVODE_OK);
    REQUIRE(revode_problem_set_pattern(c.q, of.starts.data(), of.rows.data()) == REVODE_OK);
    check_ensemble(c, algebra);
  }
  chain_of_c c;
  REQUIRE(revode_problem_set_band(c.q, static_cast<int>(n), 1) == REVODE_OK);
  REQUIRE(revode_problem_set_quadrature(c.q, 1, nullptr, mean, mean_vjp, nullptr) == REVODE_OK);
  check_ensemble(c, "banded", n + 1);
  if (has_klu()) {
    REQUIRE(revode_problem_set_pattern(c.q, of.starts.data(), of.rows.data()) == REVODE_OK);
    check_ensemble(c, "klu", n + 1);
  }
}

TEST_CASE("products of an integrand without a jvp are differences, where they are asked for") {
  chain_of_c c;
  REQUIRE(revode_problem_set_quadrature(c.q, 1, nullptr, mean, mean_vjp, nullptr) == REVODE_OK);
  c.solve("bdf5", "gmres", REVODE_MISUSE);
  REQUIRE(revode_problem_use_finite_differences(c.q) == REVODE_OK);
  any_state alone(n + 1), by_products(n + 1);
  c.solve("bdf5", "dense");
  REQUIRE(revode_solution_y(c.s, alone.data()) == REVODE_OK);
  c.solve("bdf5", "gmres");
  REQUIRE(revode_solution_y(c.s, by_products.data()) == REVODE_OK);
  for (std::size_t i = 0; i <= n; ++i)
    CHECK(by_products[i] == doctest::Approx(alone[i]).epsilon(1e-4));
}

/// The mean, and a product of two elements that are far apart.
int two(double, const double* y, const double* p, double* dq, void*) {
  mean(0, y, p, dq, nullptr);
  dq[1] = p[1] * y[3] * y[9];
  return 0;
}
int two_vjp(double, const double* y, const double* p, const double* w, double*, double* gy,
            double* gp, void*) {
  mean_vjp(0, y, p, w, nullptr, gy, gp, nullptr);
  gy[3] += w[1] * p[1] * y[9];
  gy[9] += w[1] * p[1] * y[3];
  gp[1] += w[1] * y[3] * y[9];
  return 0;
}

/// State and integrals, and the gradient of some of them.
struct with_two_integrals {
  any_state z = any_state(n + 2), y0 = any_state(n + 2), p = any_state(2);
  revode_statistics stats = REVODE_STATISTICS;

  with_two_integrals(chain_of_c& c, const char* method, const char* algebra) {
    c.solve(method, algebra);
    REQUIRE(revode_solution_y(c.s, z.data()) == REVODE_OK);
    REQUIRE(revode_solution_statistics(c.s, &stats) == REVODE_OK);
    std::vector<double> w(n + 2, 0.0);
    w[2] = 1, w[n] = -3, w[n + 1] = 2;
    revode_gradient g = REVODE_GRADIENT;
    g.y0 = y0.data();
    g.p = p.data();
    REQUIRE(revode_solution_pullback(c.s, w.data(), nullptr, nullptr, &g) == REVODE_OK);
    CHECK(g.status == 0);
  }
  void check_near(const with_two_integrals& other) const {
    for (std::size_t i = 0; i < n + 2; ++i) {
      CHECK(z[i] == doctest::Approx(other.z[i]).epsilon(1e-4));
      CHECK(y0[i] == doctest::Approx(other.y0[i]).epsilon(1e-3));
    }
    for (std::size_t i = 0; i < 2; ++i) CHECK(p[i] == doctest::Approx(other.p[i]).epsilon(1e-3));
  }
};

TEST_CASE("a pattern of the state serves with integrals from C: their rows are added") {
  const chain_pattern of(n);
  std::vector<double> mass(n * n);
  for (std::size_t i = 0; i < n; ++i) mass[i * n + i] = i == 5 ? 0.5 : 1;
  for (const bool massive : {false, true})
    for (const char* method : {"bdf5", "radau_iia5", "rodas5p"}) {
      CAPTURE(method);
      chain_of_c c;
      REQUIRE(revode_problem_set_quadrature(c.q, 2, nullptr, two, two_vjp, nullptr) == REVODE_OK);
      if (massive) REQUIRE(revode_problem_set_mass(c.q, mass.data()) == REVODE_OK);
      if (method == std::string("rodas5p"))
        REQUIRE(revode_problem_use_finite_differences(c.q) == REVODE_OK);
      const with_two_integrals dense(c, method, nullptr);
      if (!has_klu()) continue;
      REQUIRE(revode_problem_set_pattern(c.q, of.starts.data(), of.rows.data()) == REVODE_OK);
      const with_two_integrals klu(c, method, "klu");
      klu.check_near(dense);
      REQUIRE(revode_problem_set_sparse_jacobian(c.q, entries) == REVODE_OK);
      const with_two_integrals own(c, method, "klu");
      own.check_near(dense);
      CHECK(own.stats.accepted == klu.stats.accepted);
    }
}

TEST_CASE(
    "the pattern of a state that misses an element, and a band of it, are told with integrals") {
  const std::vector<int> starts(n + 1, 0);
  chain_of_c c;
  REQUIRE(revode_problem_set_quadrature(c.q, 2, nullptr, two, two_vjp, nullptr) == REVODE_OK);
  REQUIRE(revode_problem_set_band(c.q, 1, 1) == REVODE_OK);
  c.solve("bdf5", "banded", REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "algebra banded with a band that misses an element of row 12 (a product with the Jacobian "
        "at the start shows one elsewhere, or another) widen it to the rows of the 2 integrals, or "
        "take klu with the pattern of y?");
  chain_of_c other(false);  // by differences those of the integrals alone are seen
  REQUIRE(revode_problem_use_finite_differences(other.q) == REVODE_OK);
  REQUIRE(revode_problem_set_quadrature(other.q, 2, nullptr, two, two_vjp, nullptr) == REVODE_OK);
  REQUIRE(revode_problem_set_band(other.q, 1, 1) == REVODE_OK);
  other.solve("bdf5", "banded", REVODE_MISUSE);
  CHECK(std::string(revode_last_error()).find("misses an element of column 0 (") !=
        std::string::npos);
  REQUIRE(revode_problem_set_band(other.q, n + 1, 1) == REVODE_OK);
  other.solve("bdf5", "banded");
  if (!has_klu()) return;
  REQUIRE(revode_problem_set_pattern(c.q, starts.data(), nullptr) == REVODE_OK);
  c.solve("bdf5", "klu", REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "algebra klu with a pattern that misses an element of row 0 (a product with the Jacobian "
        "at the start shows one elsewhere, or another) complete it?");
}

TEST_CASE("misuse of ensembles from C is told in words, and makes nothing") {
  chain_of_c c;
  revode_solution* all[2] = {nullptr, nullptr};
  CHECK(revode_solve_each(c.q, "bdf5", nullptr, 0, nullptr, nullptr, 0, nullptr) == REVODE_OK);
  CHECK(revode_solve_each(c.q, "bdf5", nullptr, 2, nullptr, nullptr, 0, nullptr) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "where the solutions go is NULL (it is needed) pass what an earlier call gave?");
  CHECK(revode_solve_each(c.q, "bdf5", nullptr, 2, nullptr, nullptr, -1, all) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "threads = -1 (a number of threads is not negative) give one >= 0?");
  REQUIRE(revode_problem_set_banded_jacobian(c.q, refusing) == REVODE_OK);
  REQUIRE(revode_problem_set_band(c.q, 1, 1) == REVODE_OK);
  revode_options o = REVODE_OPTIONS;
  o.algebra = "banded";
  CHECK(revode_solve_each(c.q, "bdf5", &o, 2, nullptr, nullptr, 2, all) == REVODE_CALLBACK);
  CHECK(std::string(revode_last_error()) ==
        "the caller's banded_jacobian returned 7 (it ends the call) return 0 to go on?");
  CHECK(all[0] == nullptr);
  REQUIRE(revode_solve_each(c.q, "bdf5", nullptr, 2, nullptr, nullptr, 2, all) == REVODE_OK);
  revode_solution_free(all[0]);
  revode_solution_free(all[1]);
}

TEST_CASE("misuse of algebras from C is told in words") {
  chain_of_c c;
  c.solve("bdf5", "kluu", REVODE_MISUSE);
  CHECK(std::string(revode_last_error()).find("unknown algebra 'kluu'") == 0);
  c.solve("bdf5", "gmres_ilu0", REVODE_MISUSE);
  CHECK(std::string(revode_last_error()).find("without a sparsity pattern") != std::string::npos);
  const int starts[13] = {0, 2, 1};
  CHECK(revode_problem_set_pattern(c.q, starts, starts) == REVODE_MISUSE);
  const int beyond[13] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, row[1] = {12};
  CHECK(revode_problem_set_pattern(c.q, beyond, row) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "a sparsity pattern with entry (12, 0) for a state of 12 (rows and columns count from 0) "
        "correct it?");
  CHECK(revode_problem_set_pattern(c.q, nullptr, nullptr) == REVODE_OK);
  CHECK(revode_problem_set_banded_jacobian(c.q, nullptr) == REVODE_MISUSE);
  c.solve("bdf5", nullptr);
}

}  // namespace
}  // namespace revode
