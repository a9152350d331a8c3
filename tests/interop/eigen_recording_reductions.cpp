// SPDX-License-Identifier: Apache-2.0
#include "recorded_body.hpp"

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

[[maybe_unused]] MatrixXd random(int rows, int cols) { return MatrixXd::Random(rows, cols); }
[[maybe_unused]] VectorXd random(int size) { return VectorXd::Random(size); }

// Polynomials of degree ≤ 4 along any line: differences with h = 1/2 are exact but for rounding.
[[maybe_unused]] constexpr double exact = 0.5, rounding = 2e-13;

}  // namespace

TEST_CASE("reductions to a number") {
  const MatrixXd a = random(3, 4), b = random(3, 4);
  const VectorXd v = random(5), u = random(5);
  check_body([](const auto& a, auto& y) { y = a.sum() + 2 * a.mean() + a.squaredNorm(); }, 0.0,
             exact, rounding, a);
  check_body([](const auto& a, auto& y) { y = a.norm() * a.array().square().mean(); }, 0.0, 1e-3,
             2e-9, a);
  check_body([](const auto& u, const auto& v, auto& y) { y = u.dot(v) * v.dot(u); }, 0.0, exact,
             rounding, u, v);
  check_body([&](const auto& v, auto& y) { y = v.dot(u) + v.dot(v) + v.dot(u + v); }, 0.0, exact,
             rounding, v);
  check_body([&](const auto& v, auto& y) { y = v.transpose() * v + v.maxCoeff() - v.minCoeff(); },
             0.0, 1e-3, 1e-10, v);
  check_body([&](const auto& a, auto& y) { y = a.cwiseProduct(b).sum() + a(1, 2) * a(0, 3); }, 0.0,
             exact, rounding, a);
  check_body([](const auto& a, auto& y) { y = (a * a.transpose()).trace(); }, 0.0, exact, rounding,
             a);
}

TEST_CASE("rows and columns: vectors beside each, and sums over them") {
  const MatrixXd a = random(3, 4);
  const VectorXd c = random(3), r = random(4);
  const MatrixXd like(3, 4);
  check_body([](const auto& a, const auto& c, auto& y) { y = a.colwise() + c; }, like, exact,
             rounding, a, c);
  check_body([](const auto& a, const auto& r, auto& y) { y = a.rowwise() - r.transpose(); }, like,
             exact, rounding, a, r);
  check_body([&](const auto& a, auto& y) { y = (a.colwise() - c).rowwise() + r.transpose(); }, like,
             exact, rounding, a);
  check_body(
      [](const auto& a, const auto& c, auto& y) { y = a.transpose().rowwise() + c.transpose(); },
      MatrixXd(4, 3), exact, rounding, a, c);
  check_body([](const auto& a, auto& y) { y = a.rowwise().sum(); }, VectorXd(3), exact, rounding,
             a);
  check_body([](const auto& a, auto& y) { y = a.colwise().mean().transpose(); }, VectorXd(4), exact,
             rounding, a);
  check_body([](const auto& a, auto& y) { y = a.transpose().colwise().squaredNorm().transpose(); },
             VectorXd(3), exact, rounding, a);
  check_body([](const auto& a, const auto& c, auto& y) { y = c.asDiagonal() * a; }, like, exact,
             rounding, a, c);
  check_body([](const auto& a, const auto& r, auto& y) { y = a * r.asDiagonal(); }, like, exact,
             rounding, a, r);
  check_body(
      [](const auto& a, auto& y) {  // softmax of each row
        y = a.array().exp();
        y = (y.array().colwise() / y.array().rowwise().sum()).matrix();
      },
      like, 1e-3, 2e-9, a);
  check_body(
      [](const auto& a, const auto& c, auto& y) {
        y = a;
        y.colwise() += c;
      },
      like, exact, rounding, a, c);
}

}  // namespace revode
