// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <complex>
#include <vector>

#include <revode/linalg/dense/complex_lu.hpp>
#include <revode/linalg/dense/dense_lu.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

dense_matrix<double> random_matrix(int n, random_numbers& random) {
  dense_matrix<double> a(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a(i, j) = random();
  return a;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double e : x) most = std::fmax(most, std::abs(e));
  return most;
}

TEST_CASE("dense LU: both solves leave a residual of rounding, at any size") {
  random_numbers random(3);
  for (const int n : {1, 2, 5, 40}) {
    const auto a = random_matrix(n, random);
    dense_lu<double> factors;
    REQUIRE(factors.factor_shifted(a, 3.0));
    for (const bool transposed : {false, true}) {
      const auto b = random.like(std::vector<double>(static_cast<std::size_t>(n)));
      auto x = b, rest = b;
      if (transposed)
        factors.solve_transposed(x);
      else
        factors.solve(x);
      for (double& e : x) e = -e;
      axpy(3.0, x, rest);  // b − (3 I − A) x
      for (double& e : x) e = -e;
      if (transposed)
        add_transposed_product(a, x, rest);
      else
        add_product(a, x, rest);
      CHECK(largest(rest) <= 20 * n * 2.3e-16 * (1 + largest(x)) * n);
    }
  }
}

template <int N>
void check_complex(int n) {
  random_numbers random(5);
  const auto a = random_matrix(n, random);
  complex_lu<double, N> factors;
  REQUIRE(factors.factor_shifted(a, 2.0, 3.0));
  for (const bool adjoint : {false, true}) {
    const auto b = random.like(std::vector<double>(static_cast<std::size_t>(n)));
    auto c = random.like(b);
    auto x = b, y = c;
    if (adjoint)
      factors.solve_adjoint(x, y);
    else
      factors.solve(x, y);
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      std::complex<double> sum =
          std::complex<double>(2, adjoint ? -3 : 3) * std::complex<double>(x[k], y[k]);
      for (int j = 0; j < n; ++j) {
        const auto l = static_cast<std::size_t>(j);
        sum -= (adjoint ? a(j, i) : a(i, j)) * std::complex<double>(x[l], y[l]);
      }
      CHECK(std::abs(sum - std::complex<double>(b[k], c[k])) < 1e-14 * n);
    }
  }
}

TEST_CASE("complex LU: solves with the matrix and with its conjugate transpose") {
  check_complex<1>(1);
  check_complex<3>(3);
  check_complex<8>(8);
  for (const int n : {1, 30}) check_complex<-1>(n);
}

TEST_CASE("LU: singular and non-finite matrices are reported, zero pivots are exchanged") {
  dense_matrix<double> a(2);
  dense_lu<double> factors;
  CHECK_FALSE(factors.factor(a));
  a(0, 1) = a(1, 0) = 1;
  CHECK(factors.factor(a));
  std::vector<double> x{3, 4};
  factors.solve(x);
  CHECK(x == std::vector<double>{4, 3});
  a(0, 0) = a(1, 1) = std::nan("");
  CHECK_FALSE(factors.factor(a));
  complex_lu<double, -1> complex;
  CHECK_FALSE(complex.factor_shifted(a, 1.0, 1.0));
  const mat<double, 1> zero{0};
  complex_lu<double, 1> small;
  CHECK_FALSE(small.factor_shifted(zero, 0.0, 0.0));
  CHECK(small.factor_shifted(zero, 0.0, 1e-300));  // 1/pivot does not overflow on the way
}

TEST_CASE("refinement: factors of another matrix serve while they converge, and it says when not") {
  random_numbers random(9);
  const int n = 12;
  const auto a = random_matrix(n, random);
  for (const double error : {1e-3, 1e6}) {
    dense_lu<double> factors;
    auto near = a;
    for (int i = 0; i < n; ++i) near(i, i) = near(i, i) + error;
    REQUIRE(factors.factor_shifted(near, 10.0));
    std::vector<double> x[1] = {std::vector<double>(n)}, rest[1] = {std::vector<double>(n)};
    const auto b = random.like(x[0]);
    const bool done = refine(
        x, rest,
        [&] {
          copy(b, rest[0]);
          axpy(-10.0, x[0], rest[0]);
          add_product(a, x[0], rest[0]);
        },
        [&] { factors.solve(rest[0]); });
    CHECK(done == (error < 1));
    copy(b, rest[0]);
    axpy(-10.0, x[0], rest[0]);
    add_product(a, x[0], rest[0]);
    if (done) CHECK(largest(rest[0]) < 1e-14);
  }
}

}  // namespace
}  // namespace revode
