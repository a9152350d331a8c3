// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>

#include "recorded_body.hpp"

namespace revode {
namespace {

using Eigen::MatrixXd;
using by_rows_matrix = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

const MatrixXd a = MatrixXd::Random(3, 4), b = MatrixXd::Random(3, 4), like(3, 4);
constexpr double h = 1e-3, tolerance = 1e-9;

}  // namespace

TEST_CASE("elements chosen by comparisons, of matrices of either order and of numbers") {
  check_body(
      [](const auto& a, const auto& b, auto& y) {
        y = (a.array() > b.array()).select(a.array().square(), 0.5 * b.array()).matrix();
      },
      like, h, tolerance, a, b);
  check_body(
      [](const auto& a, auto& y) {
        y = (a.array() > 0.2 && a.array() < 0.7).select(a, 0.0);
        y += (a.array() != 0).select(b, 2 * a);
      },
      like, h, tolerance, a);
  check_body(
      [](const auto& a, const auto& b, auto& y) {
        y = (0.1 < a.array() || !(b.array() <= b.mean())).select(1.0, a * b.sum());
        y.row(1) = y.row(2) * b.maxCoeff();
      },
      by_rows_matrix(3, 4), h, tolerance, by_rows_matrix(a), b);
}

TEST_CASE("masks count as Eigen's do, of floats beside doubles") {
  const Eigen::MatrixXf x = a.cast<float>();
  Eigen::MatrixXf bar = x;
  recording<float> r;
  recorded<Eigen::MatrixXf>::type v;
  recorded<Eigen::MatrixXf>::open(r, x, &bar, v);
  const auto& seen = v;
  const auto mask = seen.array() > 0.1;
  CHECK(mask.count() == (x.array() > 0.1f).count());
  CHECK(mask.any() == (x.array() > 0.1f).any());
  CHECK(mask.all() == (x.array() > 0.1f).all());
  CHECK(
      mask.select(seen.array(), 0.5).values().isApprox((x.array() > 0.1f).select(x.array(), 0.5f)));
}

TEST_CASE("the largest and smallest of columns and rows, and functions of elements") {
  check_body(
      [](const auto& a, auto& y) {
        const auto e = (a.rowwise() - a.colwise().maxCoeff()).array().exp();
        y = (e.rowwise() / e.colwise().sum()).matrix();
      },
      like, h, tolerance, a);
  check_body([](const auto& a, auto& y) { y = a.colwise() - a.rowwise().minCoeff(); },
             by_rows_matrix(3, 4), h, tolerance, by_rows_matrix(a));
  check_body(
      [](const auto& a, auto& y) {
        const auto x = a.array() / 2;
        y = (x.tan() + x.asin() + x.acos() + x.atan() + x.sinh() * x.cosh() + x.expm1() +
             (x + 2).rsqrt())
                .matrix();
      },
      like, h, tolerance, a);
}

TEST_CASE("corners, blocks of fixed size, inverses, normalised matrices; elements in turn") {
  const MatrixXd k = MatrixXd::Random(3, 3) + 3 * MatrixXd::Identity(3, 3);
  check_body(
      [](const auto& a, auto& y) {
        y = a.inverse() + a.normalized();
        y.topLeftCorner(2, 2) += a.bottomRightCorner(2, 2);
        y.template block<1, 2>(0, 1) = a.template block<1, 2>(2, 0);
        y.col(2) *= a(0, 0);
        y(1, 2) = y(0, 0) * y(1, 0) * a(0, 0);
        y(0, 0) = y(1, 2) + a(0, 1);
      },
      MatrixXd(3, 3), h, 1e-8, k);
}

}  // namespace revode
