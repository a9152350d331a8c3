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

TEST_CASE("arrays: + - * / with arrays and numbers, and every function") {
  const MatrixXd a = random(3, 4), p = (a.array().abs() + 0.5).matrix();
  const MatrixXd like(3, 4);
  const auto law = [&](const auto& body, const MatrixXd& x) {
    check_body(body, like, 1e-3, 2e-9, x);
  };
  law([](const auto& x, auto& y) { y = x.array().tanh(); }, a);
  law([](const auto& x, auto& y) { y = x.array().exp().matrix(); }, a);
  law([](const auto& x, auto& y) { y = x.array().log(); }, p);
  law([](const auto& x, auto& y) { y = x.array().log1p(); }, p);
  law([](const auto& x, auto& y) { y = x.array().sqrt(); }, p);
  law([](const auto& x, auto& y) { y = x.array().square() + x.array().cube(); }, a);
  law([](const auto& x, auto& y) { y = x.array().inverse(); }, p);
  law([](const auto& x, auto& y) { y = x.array().sin() * x.array().cos(); }, a);
  law([](const auto& x, auto& y) { y = x.array().abs(); }, a);
  law([](const auto& x, auto& y) { y = x.array().logistic(); }, a);
  law([](const auto& x, auto& y) { y = x.array().pow(2.5); }, p);
  law([](const auto& x, auto& y) { y = x.array().max(0.0); }, a);
  law([](const auto& x, auto& y) { y = x.cwiseMax(0.1).cwiseMin(0.4); }, a);
  law([](const auto& x, auto& y) { y = x.array().max(x.array().square() - 0.2); }, a);
  law([](const auto& x, auto& y) { y = 1 / (1 + (-x.array()).exp()); }, a);
  law([](const auto& x, auto& y) { y = (2 - x.array()) / (x.array() * 3 - 7) - 1; }, a);
  law([&](const auto& x, auto& y) { y = a.array() / (x.array() + p.array()); }, p);
  law([](const auto& x, auto& y) { y = x.cwiseAbs2() + x.cwiseInverse() + x.cwiseSqrt(); }, p);
  law(
      [](const auto& x, auto& y) {
        using std::tanh;
        y = tanh(exp(x.array()) - 1);
      },
      a);
  law(
      [](const auto& x, auto& y) {
        y = x.unaryExpr([](const auto& s) {
          using std::sin;
          return s * s > 0.2 ? sin(s) * s : s / 2;
        });
      },
      a);
  const auto with_number = [](const auto& s, const auto& x, auto& y) {
    y = (s + x.array()) * (x.array() - s) / (s - 3 - x.array()) + s / (x.array() + 4) -
        s * x.array();
  };
  check_body(with_number, like, 1e-3, 2e-9, 0.3, a);
}

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
