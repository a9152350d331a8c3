// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/interop/eigen.hpp>

#include <revode/ad/derivatives.hpp>
#include <revode/ad/finite_differences.hpp>

using namespace revode;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// dy = V tanh(W y + b) - y sin t: all weights in one vector.
struct perceptron {
  int n = 3, hidden = 5;

  int parameters() const { return 2 * n * hidden + hidden; }

  template <class T>
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  template <class T>
  using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  template <class T>
  void operator()(const T& t, const vector<T>& y, const vector<T>& p, vector<T>& dy) const {
    using std::sin;
    const Eigen::Map<const matrix<T>> w(p.data(), hidden, n);
    const Eigen::Map<const vector<T>> b(p.data() + n * hidden, hidden);
    const Eigen::Map<const matrix<T>> v(p.data() + n * hidden + hidden, n, hidden);
    dy = v * (w * y + b).array().tanh().matrix() - sin(t) * y;
  }
};

VectorXd wave(int n, double phase) {
  VectorXd x(n);
  for (int i = 0; i < n; ++i) x[i] = std::sin(phase + 1.7 * i);
  return x;
}

}  // namespace

TEST_CASE("a network over Eigen vectors: the recorded vjp equals differences and its own jvp") {
  const perceptron f;
  const VectorXd y = wave(f.n, 1), p = wave(f.parameters(), 2), w = wave(f.n, 3), v = wave(f.n, 4),
                 q = wave(f.parameters(), 5);
  using D = derivatives<perceptron, VectorXd, VectorXd>;
  static_assert(D::vjp_source == derivative_source::recording);
  D d;
  const double t = 0.6, kt = 0.8;
  VectorXd gy = VectorXd::Zero(f.n), gp = VectorXd::Zero(f.parameters()), out(f.n);
  double gt = 0;
  d.vjp(f, t, y, p, w, &gt, gy, gp);

  const auto differences = by_finite_differences(f);
  VectorXd gy2 = VectorXd::Zero(f.n), gp2 = VectorXd::Zero(f.parameters());
  double gt2 = 0;
  differences.vjp(t, y, p, w, gt2, gy2, gp2);
  CHECK(gt == doctest::Approx(gt2).epsilon(1e-9));
  CHECK((gy - gy2).norm() < 1e-9 * gy.norm());
  CHECK((gp - gp2).norm() < 1e-9 * gp.norm());

  d.jvp(f, t, y, p, kt, v, q, out);
  const double pushed = w.dot(out), pulled = gt * kt + gy.dot(v) + gp.dot(q);
  CHECK(std::abs(pushed - pulled) <=
        1e-14 * (w.norm() * out.norm() +
                 std::hypot(gt, gy.norm(), gp.norm()) * std::hypot(kt, v.norm(), q.norm())));

  MatrixXd jac(f.n, f.n);
  d.jacobian(f, t, y, p, jac);
  CHECK((jac.transpose() * w - gy).norm() < 1e-14 * gy.norm());
}

TEST_CASE("second order over Eigen vectors equals the difference of two vjps") {
  const perceptron f;
  const VectorXd y = wave(f.n, 1), p = wave(f.parameters(), 2), u = wave(f.n, 3), k = wave(f.n, 4);
  derivatives<perceptron, VectorXd, VectorXd> d;
  const double t = 0.6, kt = 0.8, h = 1e-5;
  VectorXd gy = VectorXd::Zero(f.n), gp = VectorXd::Zero(f.parameters());
  VectorXd up = gy, down = gy, pup = gp, pdown = gp;
  double gt = 0, tup = 0, tdown = 0;
  d.second(f, t, y, p, u, kt, k, &gt, gy, gp);
  d.vjp(f, t + h * kt, y + h * k, p, u, &tup, up, pup);
  d.vjp(f, t - h * kt, y - h * k, p, u, &tdown, down, pdown);
  CHECK(gt == doctest::Approx((tup - tdown) / (2 * h)).epsilon(1e-8));
  CHECK((gy - (up - down) / (2 * h)).norm() < 1e-8 * gy.norm());
  CHECK((gp - (pup - pdown) / (2 * h)).norm() < 1e-8 * gp.norm());
}

namespace {

/// A batch of columns under one constant matrix: dY = A Y ∘ Y + p0 Y.
struct batch_field {
  template <class T>
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  MatrixXd a = MatrixXd::Random(2, 2);

  template <class T>
  void operator()(const T&, const matrix<T>& y, const vec<T, 1>& p, matrix<T>& dy) const {
    dy = (a * y).cwiseProduct(y) + p[0] * y;
  }
};

}  // namespace

TEST_CASE("a matrix state keeps its shape, and numbers multiply recorded matrices") {
  const batch_field f;
  const MatrixXd y = MatrixXd::Random(2, 3), w = MatrixXd::Random(2, 3);
  const vec<double, 1> p{0.7};
  MatrixXd gy = MatrixXd::Zero(2, 3);
  vec<double, 1> gp{};
  derivatives<batch_field, MatrixXd, vec<double, 1>> d;
  d.vjp(f, 0.0, y, p, w, nullptr, gy, gp);
  const MatrixXd wy = w.cwiseProduct(y);
  const MatrixXd expected = f.a.transpose() * wy + w.cwiseProduct(f.a * y) + 0.7 * w;
  CHECK((gy - expected).norm() < 1e-14 * expected.norm());
  CHECK(gp[0] == doctest::Approx(wy.sum()).epsilon(1e-14));

  const MatrixXd turned = y.transpose();  // same length, other shape: the arrays follow
  MatrixXd out(2, 3), g2 = MatrixXd::Zero(2, 3);
  d.jvp(f, 0.0, y, p, 0.0, w, gp, out);
  CHECK(out.rows() == 2);
  CHECK(out.cols() == 3);
}

namespace {

struct rotation {
  template <class T>
  void operator()(const T&, const Eigen::Matrix<T, 2, 1>& y, const vec<T, 1>& p,
                  Eigen::Matrix<T, 2, 1>& dy) const {
    Eigen::Matrix2d a;
    a << 0, -1, 1, 0;
    dy = p[0] * (a * y);
  }
};

}  // namespace

TEST_CASE("a fixed Eigen vector goes through duals in one sweep, without storage") {
  using D = derivatives<rotation, Eigen::Vector2d, vec<double, 1>>;
  static_assert(D::vjp_source == derivative_source::duals);
  D d;
  const Eigen::Vector2d y(3, 4), w(1, 2);
  Eigen::Vector2d gy(0, 0);
  vec<double, 1> gp{};
  d.vjp(rotation{}, 0.0, y, vec<double, 1>{2}, w, nullptr, gy, gp);
  CHECK(gy[0] == 4);
  CHECK(gy[1] == -2);
  CHECK(gp[0] == 2);
}
