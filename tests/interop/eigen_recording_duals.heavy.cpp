// SPDX-License-Identifier: Apache-2.0
#include "recorded_body.hpp"

#include "dual_matrices.hpp"

// Recordings of arrays over duals: the derivative part of a pull is a Hessian-vector product.

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using vector = rebind_t<VectorXd, D>;

/// ∇(wᵀ body(x)) and its derivative along v.
template <class Body, class Z>
std::pair<Z, Z> gradient_and_hvp(const Body& body, const Z& x, const Z& v, const VectorXd& w) {
  using moving_type = rebind_t<Z, D>;
  plain_and_recorded<Body, vector, moving_type> call{body};
  call.result_shape = vector(w.size());
  std::tuple<moving_type> bars(rebind_like<D>(x));
  call.pull({moving(x, v)}, w.cast<D>(), bars);
  return {value_part(std::get<0>(bars)), moving_part(std::get<0>(bars))};
}

/// The laws of a second derivative: uᵀ H v = vᵀ H u, and H v against differences of the gradient.
template <class Body, class Z>
void check_hessian(const Body& body, const Z& x, Eigen::Index results) {
  const Z u = Z::Random(x.rows(), x.cols()), v = Z::Random(x.rows(), x.cols());
  const VectorXd w = VectorXd::Random(results);
  const Z hv = gradient_and_hvp(body, x, v, w).second, hu = gradient_and_hvp(body, x, u, w).second;
  CHECK(std::abs(inner(u, hv) - inner(v, hu)) <= 1e-13 * (1 + u.norm() * hv.norm()));
  const auto along = [&](double h) {
    return Z((gradient_and_hvp(body, Z(x + h * v), v, w).first -
              gradient_and_hvp(body, Z(x - h * v), v, w).first) /
             (2 * h));
  };
  const Z expected = (4 * along(1e-3) - along(2e-3)) / 3;
  CHECK((hv - expected).norm() <= 1e-8 * (1 + expected.norm()));
  CHECK(hv.norm() > 0.01);
}

}  // namespace

TEST_CASE("the Hessian of (aᵀx)² + Σ exp(x_i): 2 a aᵀ + diag(exp x), a plain") {
  const VectorXd a = VectorXd::Random(5), x = VectorXd::Random(5), v = VectorXd::Random(5);
  const auto body = [&](const auto& x, auto& y) {
    const auto s = x.dot(a);
    y[0] = s * s + x.array().exp().sum();
  };
  const auto [by_x, hv] = gradient_and_hvp(body, x, v, VectorXd::Ones(1));
  const VectorXd e = x.array().exp();
  CHECK((by_x - (2 * a.dot(x) * a + e)).norm() < 1e-14);
  CHECK((hv - (2 * a.dot(v) * a + e.cwiseProduct(v))).norm() < 1e-14);
}

TEST_CASE("the Hessian of |X B X|²/2 in products, B a plain matrix: its closed form") {
  const MatrixXd b = MatrixXd::Random(3, 3), x = MatrixXd::Random(3, 3), v = MatrixXd::Random(3, 3);
  const auto body = [&](const auto& x, auto& y) { y[0] = (x * b * x).squaredNorm() / 2; };
  const auto [by_x, hv] = gradient_and_hvp(body, x, v, VectorXd::Ones(1));
  // ∇ = F (B X)ᵀ + (X B)ᵀ F with F = X B X
  const MatrixXd f = x * b * x, df = v * b * x + x * b * v;
  const MatrixXd gradient = f * (b * x).transpose() + (x * b).transpose() * f;
  const MatrixXd expected = df * (b * x).transpose() + f * (b * v).transpose() +
                            (v * b).transpose() * f + (x * b).transpose() * df;
  CHECK((by_x - gradient).norm() < 1e-13);
  CHECK((hv - expected).norm() < 1e-13);
}

TEST_CASE("element by element, slices and reductions: symmetric, and as differences say") {
  const VectorXd x = VectorXd::Random(6).array() * 0.4 + 1;
  const MatrixXd m = MatrixXd::Random(4, 3), b = MatrixXd::Random(3, 4);
  check_hessian(
      [](const auto& x, auto& y) {
        const auto a = x.array();
        y = (a.tanh() * a.log() + a.sqrt() / (1 + a.square()) + a.cube().sin() * a.inverse() +
             a.cos().exp() * a.log1p() + a.abs().pow(1.5) * a.logistic() + 2.0 / a.abs2())
                .matrix();
      },
      x, 6);
  check_hessian(
      [](const auto& x, auto& y) {
        y = x.cwiseProduct(x) * x.norm();
        y.head(2) = x.tail(2) * x.segment(1, 3).squaredNorm();
        y[3] = x[0] * y[1] * x.mean();
        y[4] += x.maxCoeff() * x.minCoeff() * x[2];
        y.template tail<1>() *= x.cwiseMax(x.head(6) * 0.5).sum();
      },
      x, 6);
  check_hessian(
      [&](const auto& m, auto& y) {
        auto t = (m.transpose() + b).eval();
        t.row(1) = t.row(0).cwiseProduct(t.row(2));
        t.colwise() += m.row(0).transpose();
        const auto scaled = (t.col(0).asDiagonal() * b).eval();
        y = (scaled * m.col(1)).array() * t.colwise().sum().transpose().head(3).array() +
            m.block(1, 0, 3, 3).diagonal().array() * m.trace() + (t * m).rowwise().norm().array();
        y += b * m.col(2).unaryExpr([](const auto& z) { return z * z * z; });
      },
      m, 3);
}

}  // namespace revode
