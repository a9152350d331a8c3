// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/krylov/bicgstab.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <revode/linalg/banded.hpp>
#include <revode/linalg/block_jacobi.hpp>
#include <revode/linalg/preconditioned_by.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/problems/burgers_1d.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

using states = std::vector<double>;

/// The products of a matrix with a heavy diagonal, and a right-hand side.
struct random_system {
  static constexpr int n = 25;
  dense_matrix<double> a{n};
  states b;
  random_system() {
    random_numbers random(1);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a(i, j) = random() + (i == j ? 6.0 : 0.0);
    b = random.like(states(n));
  }
  void operator()(const double* in, double* out) const {
    for (int i = 0; i < n; ++i) {
      out[i] = 0;
      for (int j = 0; j < n; ++j) out[i] += a(i, j) * in[j];
    }
  }
};

TEST_CASE("GMRES: n products solve n equations, restarts take more, and the bits repeat") {
  const random_system apply;
  const int n = apply.n;
  const states& b = apply.b;
  for (const int restart : {n, 8}) {
    gmres_solver<double> solver;
    solver.resize(n, restart);
    states x(n), rest(n), again(n);
    const int products = solver.solve(b.data(), x.data(), apply, {1e-13}, 500);
    if (restart == n) CHECK(products <= n + 1);
    if (restart == 8) CHECK(products > 8);
    apply(x.data(), rest.data());
    for (int i = 0; i < n; ++i) CHECK(std::abs(rest[std::size_t(i)] - b[std::size_t(i)]) < 1e-12);
    solver.solve(b.data(), again.data(), apply, {1e-13}, 500);
    CHECK(again == x);
    CHECK(solver.solve(b.data(), x.data(), apply, {0.0}, 5) <= 6);
    const states nothing(n);
    CHECK(solver.solve(nothing.data(), x.data(), apply, {1e-13}, 500) == 0);
    CHECK(x == nothing);
  }
}

TEST_CASE("GMRES: singular and non-finite systems end, with what is there or with NaN") {
  gmres_solver<double> solver;
  solver.resize(3, 3);
  const states b{1, 2, 3};
  states x(3);
  const auto zero = [](const double*, double* out) { out[0] = out[1] = out[2] = 0; };
  CHECK(solver.solve(b.data(), x.data(), zero, {1e-13}, 50) < 5);
  CHECK(x[0] != x[0]);  // 0 would pass for a solution
  CHECK(solver.residual() == 1);
  const auto bad = [](const double*, double* out) { out[0] = out[1] = out[2] = std::nan(""); };
  CHECK(solver.solve(b.data(), x.data(), bad, {1e-13}, 50) < 5);
  CHECK(x[0] != x[0]);
}

TEST_CASE("BiCGSTAB: solves to what is asked, repeats its bits, and ends where it cannot") {
  const random_system apply;
  const int n = apply.n;
  const states& b = apply.b;
  bicgstab_solver<double> solver;
  solver.resize(n, 1);
  states x(n), rest(n), again(n);
  const int rough = solver.solve(b.data(), x.data(), apply, {1e-3}, 500);
  const int products = solver.solve(b.data(), x.data(), apply, {1e-13}, 500);
  CHECK(rough < products);
  CHECK(products <= 2 * n);
  apply(x.data(), rest.data());
  for (int i = 0; i < n; ++i) CHECK(std::abs(rest[std::size_t(i)] - b[std::size_t(i)]) < 1e-12);
  solver.solve(b.data(), again.data(), apply, {1e-13}, 500);
  CHECK(again == x);
  CHECK(solver.solve(b.data(), x.data(), apply, {0.0}, 500) < 500);  // rounding ends it
  const states nothing(n);
  CHECK(solver.solve(nothing.data(), x.data(), apply, {1e-13}, 500) == 0);
  CHECK(x == nothing);
  const auto zero = [](const double*, double* out) { std::fill_n(out, n, 0.0); };
  CHECK(solver.solve(b.data(), x.data(), zero, {1e-13}, 50) <= 2);
  CHECK(x[0] != x[0]);  // 0 would pass for a solution
  const auto bad = [](const double*, double* out) { std::fill_n(out, n, std::nan("")); };
  CHECK(solver.solve(b.data(), x.data(), bad, {1e-13}, 50) <= 2);
  CHECK(x[0] != x[0]);
}

template <class L, class Number>
auto check_solves(const L& algebra, Number factor) {
  const burgers_1d f{20};
  const auto y = f.y0();
  const auto p = f.parameters();
  system<burgers_1d, states, vec<double, 1>> sys(f, p);
  typename L::template jacobian<states> j{};
  dense_matrix<double> dense(20);
  sys.jacobian(0, y, dense);
  algebra.evaluate(sys, 0, y, j);
  typename L::template factors<states> factors;
  typename L::template complex_factors<states> complex;
  dense_lu<double> expected;
  complex_lu<double, -1> expected_complex;
  REQUIRE(factors.factor_shifted(j, 40 * factor));
  REQUIRE(expected.factor_shifted(dense, 40 * factor));
  REQUIRE(complex.factor_shifted(j, 30 * factor, 20 * factor));
  REQUIRE(expected_complex.factor_shifted(dense, 30 * factor, 20 * factor));
  random_numbers random(8);
  const auto b = random.like(y), c = random.like(y);
  const auto close = [](const states& x, const states& z) {
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == doctest::Approx(z[i]).epsilon(1e-9));
  };
  auto x = b, z = b, u = c, v = c;
  factors.solve(x), expected.solve(z);
  close(x, z);
  x = z = b;
  factors.solve_transposed(x), expected.solve_transposed(z);
  close(x, z);
  x = z = b;
  complex.solve(x, u), expected_complex.solve(z, v);
  close(x, z), close(u, v);
  x = z = b, u = v = c;
  complex.solve_adjoint(x, u), expected_complex.solve_adjoint(z, v);
  close(x, z), close(u, v);
  x = z = b;
  add_product(j, b, x), add_product(dense, b, z);
  close(x, z);
  add_transposed_product(j, b, x), add_transposed_product(dense, b, z);
  close(x, z);
  return sys.counts;
}

TEST_CASE("matrix-free algebra: the dense solutions, by products alone") {
  const auto plain = check_solves(gmres<>{}, 1.0);
  CHECK(plain.jacobian_evaluations == 2);  // the dense one, too
  check_solves(bicgstab<>{}, 1.0);
  const auto diagonal = check_solves(gmres<banded>{{0, 0}}, 1.0);
  CHECK(diagonal.jvp_evaluations > 40);
  const auto exact = check_solves(gmres<banded>{{1, 1}}, 1.0);
  CHECK(exact.jvp_evaluations <= 3 + 3 * 3 + 1);  // the preconditioner is the inverse
  CHECK(exact.vjp_evaluations <= 3 * 3 + 1);
}

/// I − γ J by its diagonal of burgers_1d's diffusion, roughly.
struct rough_diagonal {
  double gamma = 0;
  bool setup(double, const double*, double step, bool) {
    gamma = step;
    return true;
  }
  void apply(double* x) const {
    for (int i = 0; i < 20; ++i) x[i] /= 1 + 8 * gamma;
  }
  void apply_transposed(double* x) const { apply(x); }
};

TEST_CASE("preconditioners: complete where nothing is left out, of complex shifts as well") {
  const burgers_1d f{20};
  const problem q{f, f.y0(), 0.0, 1.0, f.parameters()};
  const auto pattern = std::make_shared<sparsity>(sparsity_of(q));
  const index colours = pattern->colours();
  const auto incomplete = check_solves(gmres<ilu0>{.preconditioner = {pattern, true}}, 1.0);
  CHECK(incomplete.jvp_evaluations <=
        colours + 1 + 3 * 3 + 1);  // a tridiagonal matrix fills nothing
  const auto whole = check_solves(gmres<block_jacobi>{.preconditioner = {{20}, pattern}}, 1.0);
  CHECK(whole.jvp_evaluations <= colours + 3 * 3 + 1);
  check_solves(gmres<block_jacobi>{.preconditioner = {{4}, pattern}}, 1.0);
  check_solves(bicgstab<block_jacobi>{.preconditioner = {{4, true}, pattern}}, 1.0);
  check_solves(bicgstab<preconditioned_by<rough_diagonal>>{}, 1.0);
}

TEST_CASE("goals: solves end there, move first, and keep to two bytes") {
  const random_system apply;
  const states& b = apply.b;
  double size = 0;
  for (const double x : b) size += x * x;
  size = std::sqrt(size);
  const auto check = [&](auto solver) {
    solver.resize(apply.n, apply.n);
    states x(b.size());
    const int few = solver.solve(b.data(), x.data(), apply, {1e-13, 0.01 * size}, 500);
    CHECK(solver.left() <= 0.01 * size);
    CHECK(few < solver.solve(b.data(), x.data(), apply, {1e-13}, 500));
    CHECK(solver.solve(b.data(), x.data(), apply, {1e-13, 2 * size}, 500) == 0);
    CHECK(x == states(b.size()));
    CHECK(solver.solve(b.data(), x.data(), apply, {1e-13, 2 * size, true}, 500) == 1);
    CHECK(x != states(b.size()));
  };
  check(gmres_solver<double>{});
  check(bicgstab_solver<double>{});
  for (const double x : {3.7e-9, 1.0, 2.5e11}) {
    CHECK(short_number(x).value() <= x);
    CHECK(short_number(x).value() > 0.992 * x);
  }
  CHECK(short_number().value() == 0);
  CHECK(sizeof(short_number) == 2);
}

TEST_CASE(
    "a product Jacobian's size, and what is told of a solution by products: rounding, no more") {
  const burgers_1d f{20};
  const auto y = f.y0();
  const auto p = f.parameters();
  system<burgers_1d, states, vec<double, 1>> sys(f, p);
  dense_matrix<double> dense(20);
  sys.jacobian(0, y, dense);
  product_jacobian<unconditioned, states> products;
  products.take(sys, 0, y);
  const double size = largest_element(products), element = largest_element(dense);
  CHECK(size >= element);
  CHECK(size <= 20 * element);
  const states b = random_numbers(8).like(y);
  states right(20), rest(20);  // (40 − J) x = right
  for (int i = 0; i < 20; ++i) right[std::size_t(i)] = 40 * b[std::size_t(i)];
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) right[std::size_t(i)] -= dense(i, j) * b[std::size_t(j)];
  const auto told = [&](double off, const auto& j) {
    states x = b;
    x[7] += off;
    const auto residual = [&] {
      for (int i = 0; i < 20; ++i)
        rest[std::size_t(i)] = right[std::size_t(i)] - 40 * x[std::size_t(i)];
      add_product(dense, x, rest);
    };
    return trouble_of_solution(&right, &x, &rest, 1, 40 + size, j, residual);
  };
  CHECK(told(1e-14, products) == status::success);
  CHECK(told(1e-10, products) == status::linear_solve_failure);
  CHECK(told(1e-10, dense) == status::success);
  CHECK(told(1e-4, dense) == status::linear_solve_failure);
}

TEST_CASE("matrix-free algebra: limits that allow nothing are refused word by word") {
  std::string said;
  try {
    check_solves(gmres<>{{}, {.restart = 0}}, 1.0);
  } catch (const std::invalid_argument& e) {
    said = e.what();
  }
  CHECK(
      said ==
      "GMRES that restarts after 0 and ends after 300 products (it takes one at least) give more?");
}

}  // namespace
}  // namespace revode
