// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/interop/eigen.hpp>

#include <Eigen/LU>

#include <revode/ad/dual.hpp>

using namespace revode;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("numbers times duals and variables: every shape of product") {
  using D = dual<double, 1>;
  const MatrixXd a = MatrixXd::Random(9, 7), b = MatrixXd::Random(7, 8);
  Eigen::Matrix<D, Eigen::Dynamic, Eigen::Dynamic> moving = b.cast<D>();
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 8; ++j) moving(i, j).d[0] = b(i, j) * b(i, j);
  }
  const MatrixXd expected = a * b.cwiseProduct(b);
  const Eigen::Matrix<D, Eigen::Dynamic, Eigen::Dynamic> right = a * moving,
                                                         left = moving.transpose() * a.transpose();
  const Eigen::Matrix<D, Eigen::Dynamic, 1> column = a * moving.col(2);
  for (int i = 0; i < 9; ++i) {
    CHECK(column[i].d[0] == doctest::Approx(expected(i, 2)).epsilon(1e-13));
    for (int j = 0; j < 8; ++j) {
      CHECK(right(i, j).d[0] == doctest::Approx(expected(i, j)).epsilon(1e-13));
      CHECK(left(j, i).d[0] == doctest::Approx(expected(i, j)).epsilon(1e-13));
    }
  }
  // a factor whose value happens to be 1 keeps its derivative
  const D one = D::input(1.0, 0);
  const Eigen::Matrix<D, Eigen::Dynamic, 1> scaled = one * (a * b.col(0).cast<D>());
  CHECK(scaled[0].d[0] == doctest::Approx((a * b.col(0))[0]));
}

TEST_CASE("an Eigen solve keeps the derivative of an element whose value is zero") {
  using D = dual<double, 1>;
  using vector = Eigen::Matrix<D, Eigen::Dynamic, 1>;
  MatrixXd a(9, 9);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) a(i, j) = i == j ? 12.0 : std::sin(1.0 + i + 3 * j);
  }
  vector b(9);
  for (int i = 0; i < 9; ++i) b[i] = i < 8 ? D::input(0.0, 0) : D(1);
  const Eigen::Matrix<D, Eigen::Dynamic, Eigen::Dynamic> moving = a.cast<D>();
  const vector x = moving.partialPivLu().solve(b);
  VectorXd rate = VectorXd::Ones(9);
  rate[8] = 0;
  const VectorXd expected = a.partialPivLu().solve(rate);
  for (int i = 0; i < 9; ++i) CHECK(x[i].d[0] == doctest::Approx(expected[i]).epsilon(1e-13));
}
