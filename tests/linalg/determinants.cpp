// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <Eigen/LU>

#include <revode/batch/lane_implicit/lane_factors.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/dense/dense_lu.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

/// Random numbers in the band of `lower` and `upper` diagonals, with some zeros on its own one.
Eigen::MatrixXd random_band(int n, int lower, int upper, random_numbers& random) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i - j <= lower && j - i <= upper) a(i, j) = i == j && i % 3 == 1 ? 0.0 : random();
  return a;
}

/// Whether det(shift I − a) < 0 by what factors tell forwards; backwards they tell the same beside (−1)ⁿ.
template <class Factors, class Matrix>
bool tells(const Matrix& a, double shift) {
  Factors factors;
  REQUIRE(factors.factor_shifted(a, shift));
  const bool turned = steps_over_growth(factors, 1);
  if (a.rows() % 2 == 0)
    CHECK(steps_over_growth(factors, -1) == turned);
  else
    CHECK_FALSE((steps_over_growth(factors, -1) && turned));
  return turned;
}

struct tally {
  int negative = 0, positive = 0;
  void add(bool is_negative) { ++(is_negative ? negative : positive); }
};

template <int N>
void check_size(random_numbers& random, tally& all) {
  for (int round = 0; round < 20; ++round) {
    const Eigen::MatrixXd a = random_band(N, N, N, random);
    const double shift = 0.3;
    const bool expected = (shift * Eigen::MatrixXd::Identity(N, N) - a).eval().determinant() < 0;
    all.add(expected);
    mat<double, N> fixed;
    dense_matrix<double> dense(N);
    lane_factors<double, N, 2> lanes;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        fixed(i, j) = dense(i, j) = a(i, j);
        lanes.a[i * N + j][0] = i == j ? 1 : 0;
        lanes.a[i * N + j][1] = (i == j ? shift : 0) - a(i, j);
      }
    eliminate_in_lanes(lanes);
    CHECK(tells<lu<double, N>>(fixed, shift) == expected);
    CHECK(tells<dense_lu<double>>(dense, shift) == expected);
    REQUIRE(lanes.regular[1] == 1);
    refuse_growth_in_lanes(lanes, {1, 1});
    CHECK(lanes.regular[0] == 1);
    CHECK((lanes.regular[1] == 0) == expected);
  }
}

TEST_CASE("dense factors tell the sign of their determinant, in lanes as well") {
  random_numbers random(7);
  tally all;
  check_size<1>(random, all);
  check_size<2>(random, all);
  check_size<3>(random, all);
  check_size<4>(random, all);
  check_size<5>(random, all);
  check_size<8>(random, all);
  check_size<9>(random, all);
  check_size<12>(random, all);
  CHECK(all.negative > 40);
  CHECK(all.positive > 40);
}

TEST_CASE("banded factors tell the sign of their determinant") {
  random_numbers random(8);
  tally all;
  for (int round = 0; round < 60; ++round) {
    const int n = 7 + round % 9, lower = 1 + round % 3, upper = 1 + round % 2;
    const Eigen::MatrixXd a = random_band(n, lower, upper, random);
    banded_matrix<std::vector<double>> band;
    band.resize(n, lower, upper);
    for (int i = 0; i < n; ++i)
      for (int j = band.first(i); j <= band.last(i); ++j) band(i, j) = a(i, j);
    const bool expected = (0.1 * Eigen::MatrixXd::Identity(n, n) - a).eval().determinant() < 0;
    all.add(expected);
    CHECK(tells<banded_lu<double>>(band, 0.1) == expected);
  }
  CHECK(all.negative > 15);
  CHECK(all.positive > 15);
}

TEST_CASE("a sign that rounding may have chosen is not told") {
  for (const double last : {-1.0, -1e-9, -1e-14}) {
    dense_matrix<double> a(3);  // 0 I − A has pivots 1, 1 and `last`
    a(0, 0) = a(1, 1) = -1;
    a(2, 2) = -last;
    CHECK(tells<dense_lu<double>>(a, 0.0) == (last < -1e-12));
  }
}

TEST_CASE("factors over duals tell by their values") {
  mat<dual<double, 1>, 2> a;
  a(0, 0) = a(1, 1) = 1.0;
  a(0, 1) = a(1, 0) = 0.0;
  a(0, 0).d[0] = -5.0;
  lu<dual<double, 1>, 2> factors;
  REQUIRE(factors.factor_shifted(a, dual<double, 1>(2.0)));
  CHECK_FALSE(factors.sign_has_turned(false));
  a(1, 1) = 3.0;
  REQUIRE(factors.factor_shifted(a, dual<double, 1>(2.0)));
  CHECK(factors.sign_has_turned(false));
}

}  // namespace
}  // namespace revode
