// SPDX-License-Identifier: Apache-2.0
#include "recorded_body.hpp"

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random(int rows, int cols) { return MatrixXd::Random(rows, cols); }
VectorXd random(int size) { return VectorXd::Random(size); }

// Polynomials of degree ≤ 4 along any line: differences with h = 1/2 are exact but for rounding.
constexpr double exact = 0.5, rounding = 2e-13;

}  // namespace

TEST_CASE("slices are read and written, elements too; copies keep what they had") {
  const MatrixXd a = random(4, 5);
  const VectorXd p = random(20), v = random(6);
  check_body([](const auto& a, auto& y) { y = a.row(1) * a.col(3).dot(a.col(2)); },
             Eigen::RowVectorXd(5), exact, rounding, a);
  check_body(
      [](const auto& a, auto& y) {
        y = a.block(1, 1, 2, 3) * a.topRows(3) + a.middleRows(2, 2) - a.bottomRows(2);
      },
      MatrixXd(2, 5), exact, rounding, a);
  check_body(
      [](const auto& a, auto& y) { y = a.leftCols(2) + a.rightCols(2) - a.middleCols(1, 2); },
      MatrixXd(4, 2), exact, rounding, a);
  check_body(
      [](const auto& p, const auto& v, auto& y) {
        y = p.head(12).reshaped(2, 6) * v + p.template tail<2>() + p.segment(12, 2);
      },
      VectorXd(2), exact, rounding, p, v);
  check_body(
      [](const auto& v, auto& y) {
        y = v;
        const auto before = y.eval();
        y.head(2) = v.tail(2) * v[3];
        y[4] = v[0] * v[1];
        y.segment(2, 2) += before.head(2).cwiseProduct(y.head(2));
        y(5) -= before[0] * y[4];
        y *= 2;
      },
      VectorXd(6), exact, rounding, v);
  check_body(
      [](const auto& a, auto& y) {
        y = a;
        y.row(2) = a.row(1).cwiseProduct(a.row(2));
        y.col(0) = y.col(1);
        y.block(0, 3, 2, 2).setZero();
        y(3, 3) = a(0, 0) * y(2, 2);
      },
      MatrixXd(4, 5), exact, rounding, a);
  check_body([](const auto& v, auto& y) { y << v[1] * v[0], v.tail(3), 2.0, v.head(1); },
             VectorXd(6), exact, rounding, v);
  check_body(
      [](const auto& v, auto& y) {
        const int n = length(v);
        for (int i = 0; i < n; ++i) y[i] = v[(i + 1) % n] * v[i] - 0.5 * v[i];
      },
      VectorXd(6), exact, rounding, v);
}

TEST_CASE("parts of parts, and other views, write through to the whole") {
  const MatrixXd a = random(4, 5);
  check_body(
      [](const auto& a, auto& y) {
        y = a;
        y.row(0).head(2) = a.col(0).tail(2).transpose() * a(0, 0);
        y.col(3)[1] = a(2, 2) * a(2, 3);
        y.col(4).segment(1, 2).array() += 2 * a(1, 1);
        y.array() *= a.array() + 1;
        y.topRows(2).colwise() -= a.col(2).head(2);
        y.rightCols(2).bottomRows(2).setOnes();
        y.row(3).head(3) << a(0, 1), a.col(1).head(2).transpose();
        auto corner = y.block(0, 0, 2, 2);
        y(1, 1) = a(3, 3) * a(3, 3);  // a part of a variable sees what becomes of it
        y.row(2) = 2 * y.row(2);
        y.block(2, 0, 2, 2) += corner * corner;
      },
      MatrixXd(4, 5), 1e-3, 2e-9, a);
}

TEST_CASE("fixed sizes, row-major storage, arrays as leaves, float") {
  using Eigen::Matrix3d;
  using Eigen::Vector3d;
  using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix3d a = Matrix3d::Random();
  const Vector3d v = Vector3d::Random();
  check_body([](const auto& a, const auto& v, auto& y) { y = a * v + a.transpose() * v * v[0]; },
             Vector3d(0, 0, 0), exact, rounding, a, v);
  const row_major m = random(3, 4), n = random(4, 3);
  const MatrixXd c = random(3, 4);
  check_body([](const auto& m, const auto& n, auto& y) { y = m * n + m * m.transpose(); },
             row_major(3, 3), exact, rounding, m, n);
  check_body([](const auto& m, const auto& c, auto& y) { y = m + c.cwiseProduct(m); },
             MatrixXd(3, 4), exact, rounding, m, c);
  check_body([](const auto& m, auto& y) { y = m.colwise().sum() + m.row(1); },
             Eigen::RowVectorXd(4), exact, rounding, m);
  const Eigen::ArrayXXd x = random(2, 3).array();
  check_body([](const auto& x, auto& y) { y = x * x - 3 * x; }, Eigen::ArrayXXd(2, 3), exact,
             rounding, x);

  const Eigen::MatrixXf f = random(5, 5).cast<float>();
  const auto body = [](const auto& x, auto& y) { y = 0.5 * (x * x).array().tanh() * 2; };
  plain_and_recorded<decltype(body), Eigen::MatrixXf, Eigen::MatrixXf> call{body};
  std::tuple<Eigen::MatrixXf> bar{Eigen::MatrixXf::Zero(5, 5)};
  call.pull({f}, f, bar);
  static_assert(std::is_same_v<decltype(call.result.sum()), variable<float>>);
  const Eigen::MatrixXf u = f.array() * (1 - (f * f).array().tanh().square());
  const Eigen::MatrixXf expected = u * f.transpose() + f.transpose() * u;
  CHECK((std::get<0>(bar) - expected).norm() < 1e-6f);
}

}  // namespace revode
