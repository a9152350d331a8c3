// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <random>

#include <revode/ad/dual.hpp>
#include <revode/linalg/dense/lu.hpp>
#include <revode/state/vec.hpp>

using namespace revode;

namespace {

template <class T, int N>
vec<T, N> product(const mat<T, N>& a, const vec<T, N>& x, bool transposed = false) {
  vec<T, N> b{};
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) b[i] += (transposed ? a(j, i) : a(i, j)) * x[j];
  }
  return b;
}

/// Solves with random matrices and checks the backward error |Ax - b| <= 20 N eps |A| |x|.
template <class T, int N>
void solves_random_systems() {
  std::mt19937 random(7 + N);
  std::uniform_real_distribution<T> uniform(-1, 1);
  for (int round = 0; round < 50; ++round) {
    mat<T, N> a;
    vec<T, N> b;
    for (T& x : a.elements) x = uniform(random);
    for (T& x : b.elements) x = uniform(random);
    mat<T, N> endless;
    for (T& x : endless.elements) x = std::numeric_limits<T>::infinity();
    lu<T, N> factors;
    CHECK_FALSE(factors.factor(endless));  // leaves nothing behind
    const bool regular = factors.factor(a);
    REQUIRE(regular);
    for (bool transposed : {false, true}) {
      vec<T, N> x = b;
      transposed ? factors.solve_transposed(x) : factors.solve(x);
      const vec<T, N> back = product(a, x, transposed);
      T size = 0, residual = 0;
      for (int i = 0; i < N; ++i) {
        size = std::fmax(size, std::abs(x[i]));
        residual = std::fmax(residual, std::abs(back[i] - b[i]));
      }
      CHECK(residual <= 20 * N * std::numeric_limits<T>::epsilon() * size);
    }
  }
}

}  // namespace

TEST_CASE("the factors solve A x = b and its transpose to rounding") {
  solves_random_systems<double, 1>();
  solves_random_systems<double, 2>();
  solves_random_systems<double, 3>();
  solves_random_systems<double, 8>();
  solves_random_systems<double, 15>();
  solves_random_systems<float, 4>();
}

TEST_CASE("a zero first pivot is no obstacle: a cyclic shift is solved exactly") {
  mat<double, 3> shift{{0, 2, 0, 0, 0, 4, 8, 0, 0}};
  lu<double, 3> factors;
  REQUIRE(factors.factor(shift));
  vec<double, 3> x{2, 4, 8};
  factors.solve(x);
  CHECK(x == vec<double, 3>{1, 1, 1});
  x = {8, 2, 4};
  factors.solve_transposed(x);
  CHECK(x == vec<double, 3>{1, 1, 1});
}

TEST_CASE("partial pivoting keeps the multipliers at most one, so tiny pivots lose nothing") {
  mat<double, 2> a{{1e-20, 1, 1, 1}};
  lu<double, 2> factors;
  REQUIRE(factors.factor(a));
  vec<double, 2> x{1, 2};
  factors.solve(x);
  CHECK(x[0] == doctest::Approx(1).epsilon(1e-15));
  CHECK(x[1] == doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("singular and non-finite matrices are refused") {
  lu<double, 2> factors;
  CHECK_FALSE(factors.factor(mat<double, 2>{{1, 2, 2, 4}}));
  CHECK_FALSE(factors.factor(mat<double, 2>{{0, 0, 0, 0}}));
  CHECK_FALSE(factors.factor(mat<double, 2>{{std::nan(""), 1, 1, 1}}));
  CHECK_FALSE(factors.factor(mat<double, 2>{{1, std::nan(""), 1, 1}}));
  CHECK_FALSE(factors.factor(mat<double, 2>{{INFINITY, 1, 1, 1}}));
  CHECK(factors.factor(mat<double, 2>{{1, 2, 3, 4}}));
}

TEST_CASE("the derivative of a solve is -A⁻¹ A' x, by a matrix of duals") {
  using D = dual<double, 1>;
  const mat<double, 2> a{{2, 1, -1, 3}}, rate{{0.5, -1, 2, 0.25}};
  mat<D, 2> moving;
  for (int k = 0; k < 4; ++k) {
    moving.elements[k] = D(a.elements[k]);
    moving.elements[k].d[0] = rate.elements[k];
  }
  lu<D, 2> factors{};
  lu<double, 2> plain;
  REQUIRE(factors.factor(moving));
  REQUIRE(plain.factor(a));
  vec<D, 2> x{D(1), D(2)};
  vec<double, 2> value{1, 2};
  factors.solve(x);
  plain.solve(value);
  vec<double, 2> expected = product(rate, value);
  plain.solve(expected);
  for (int i = 0; i < 2; ++i) {
    CHECK(x[i].value == value[i]);
    CHECK(x[i].d[0] == doctest::Approx(-expected[i]).epsilon(1e-14));
  }
  vec<D, 2> mixed{D(1), D(2)};  // factors of numbers solve for duals
  plain.solve(mixed);
  CHECK(mixed[0].value == value[0]);
}
