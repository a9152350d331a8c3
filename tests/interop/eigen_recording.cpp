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

TEST_CASE("products in every spelling, with their closed-form pulls by the dot-product law") {
  const MatrixXd a = random(3, 4), b = random(4, 5), c = random(3, 5), k = random(3, 3);
  const VectorXd v = random(4), u = random(3);
  const MatrixXd like(3, 5);
  check_body([](const auto& a, const auto& b, auto& y) { y = a * b; }, like, exact, rounding, a, b);
  check_body([](const auto& a, const auto& b, auto& y) { y.noalias() = a.transpose() * b; },
             MatrixXd(4, 5), exact, rounding, a, c);
  check_body([](const auto& a, const auto& b, auto& y) { y = a * b.transpose(); }, MatrixXd(3, 3),
             exact, rounding, c, c);
  check_body([](const auto& a, const auto& b, auto& y) { y = a.transpose() * b.transpose(); },
             MatrixXd(4, 3), exact, rounding, a, k);
  check_body([](const auto& a, const auto& v, auto& y) { y.noalias() = a * v; }, VectorXd(3), exact,
             rounding, a, v);
  check_body([](const auto& a, const auto& u, auto& y) { y = a.transpose() * u; }, VectorXd(4),
             exact, rounding, a, u);
  check_body([](const auto& u, const auto& v, auto& y) { y = u * v.transpose(); }, MatrixXd(3, 4),
             exact, rounding, u, v);
  check_body([](const auto& u, const auto& a, auto& y) { y = u.transpose() * a; },
             Eigen::RowVectorXd(4), exact, rounding, u, a);
  check_body([](const auto& a, auto& y) { y = a * a; }, MatrixXd(3, 3), exact, rounding, k);
  check_body([](const auto& a, auto& y) { y = a * a.transpose() + a.transpose() * a; },
             MatrixXd(3, 3), exact, rounding, k);
  check_body([&](const auto& v, auto& y) { y = k * (a * v); }, VectorXd(3), exact, rounding, v);
  check_body([&](const auto& a, auto& y) { y = a * c; }, MatrixXd(4, 5), exact, rounding,
             MatrixXd(a.transpose()));
  check_body([&](const auto& k3, auto& y) { y = k3 * k.col(1); }, VectorXd(3), exact, rounding, k);
}

TEST_CASE("sums, differences and scalings of matrices, with plain ones and with numbers") {
  const MatrixXd a = random(3, 4), b = random(3, 4), c = random(4, 3);
  const MatrixXd like(3, 4);
  check_body([&](const auto& a, const auto& b, auto& y) { y = a + b - 2 * (a - b) / 3; }, like,
             exact, rounding, a, b);
  check_body([&](const auto& a, auto& y) { y = -(c.transpose() - a) + a * 2.0 + b; }, like, exact,
             rounding, a);
  check_body([&](const auto& a, const auto& c, auto& y) { y = a + c.transpose(); }, like, exact,
             rounding, a, c);
  check_body([&](const auto& s, const auto& a, auto& y) { y = s * a + b * s + s * (a + a); }, like,
             exact, rounding, 0.7, a);
  check_body([&](const auto& s, const auto& a, auto& y) { y = a / s; }, like, 1e-3, 1e-8, 0.7, a);
  check_body([](const auto& a, const auto& b, auto& y) { y = a.cwiseProduct(b); }, like, exact,
             rounding, a, b);
  check_body([](const auto& a, auto& y) { y = a.cwiseProduct(a); }, like, exact, rounding, a);
  check_body([](const auto& a, const auto& b, auto& y) { y = a.cwiseQuotient(b); }, like, 1e-3,
             1e-8, a, MatrixXd((b.array().abs() + 1).matrix()));
  check_body(
      [&](const auto& a, auto& y) {
        y = a;
        y += b;
        y -= a.cwiseProduct(b);
        y *= 3;
        y /= 2;
      },
      like, exact, rounding, a);
}

}  // namespace revode
