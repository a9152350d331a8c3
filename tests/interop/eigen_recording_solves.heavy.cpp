// SPDX-License-Identifier: Apache-2.0
#include "recorded_body.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

// Solves, arrays among numbers and other recordings, and shapes that do not fit.

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

}  // namespace

TEST_CASE("solves: the pull is a solve with the transposed matrix") {
  MatrixXd a = MatrixXd::Random(5, 5);
  a.diagonal().array() += 6;
  const MatrixXd s = a * a.transpose();
  const VectorXd b = VectorXd::Random(5);
  const MatrixXd many = MatrixXd::Random(5, 2);
  check_body([](const auto& a, const auto& b, auto& x) { x = a.partialPivLu().solve(b); },
             VectorXd(5), 1e-3, 1e-10, a, b);
  check_body([](const auto& a, const auto& b, auto& x) { x = a.transpose().lu().solve(b * 2); },
             MatrixXd(5, 2), 1e-3, 1e-10, a, many);
  check_body([&](const auto& a, auto& x) { x = a.partialPivLu().solve(b); }, VectorXd(5), 1e-3,
             1e-10, a);
  check_body([](const auto& s, const auto& b, auto& x) { x = s.ldlt().solve(b); }, VectorXd(5),
             1e-3, 1e-10, s, b);
  check_body([](const auto& s, const auto& b, auto& x) { x = s.llt().solve(b); }, MatrixXd(5, 2),
             1e-3, 1e-10, s, many);

  // closed form: x̄ = w gives b̄ = A⁻ᵀ w, Ā = −b̄ xᵀ
  const auto body = [](const auto& a, const auto& b, auto& x) { x = a.partialPivLu().solve(b); };
  plain_and_recorded<decltype(body), VectorXd, MatrixXd, VectorXd> call{body};
  call.result_shape = b;
  std::tuple<MatrixXd, VectorXd> bars{MatrixXd::Zero(5, 5), VectorXd::Zero(5)};
  call.pull({a, b}, many.col(0), bars);
  const VectorXd b_bar = a.transpose().inverse() * many.col(0), x = a.inverse() * b;
  CHECK((std::get<1>(bars) - b_bar).norm() < 1e-14);
  CHECK((std::get<0>(bars) + b_bar * x.transpose()).norm() < 1e-14);
}

TEST_CASE("shapes that do not fit are refused in words") {
  recording<double> r;
  const MatrixXd a = MatrixXd::Zero(3, 4);
  recorded<MatrixXd>::type x, y;
  recorded<Eigen::Vector2d>::type two;
  recorded<MatrixXd>::open(r, a, nullptr, x);
  const Eigen::Vector2d small(1, 2);
  recorded<Eigen::Vector2d>::open(r, small, nullptr, two);
  CHECK_THROWS_WITH_AS(x * x,
                       "the product of a 3x4 and a 3x4 matrix (columns of the first meet rows of "
                       "the second) transpose one?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(x + x.transpose(),
                       "the sum of a 3x4 and a 4x3 matrix (they have the same shape) transpose or "
                       "resize one?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(x.colwise() + two,
                       "a 2x1 matrix beside each column of a 3x4 matrix (a vector of 3 is meant) "
                       "resize it?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(x.block(1, 1, 3, 2),
                       "a block of 3x2 at (1, 1) of a 3x4 matrix (it lies within) mend its place?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(two = x.col(0),
                       "a 3x1 matrix assigned to one of 2x1 (its type fixes the size) assign one "
                       "that fits?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(x.row(0) = two,
                       "the assignment of a 1x4 and a 1x2 matrix (they have the same shape) "
                       "transpose or resize one?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(x.reshaped(5, 5),
                       "25 elements of a 3x4 matrix (a reshaped matrix has as many as before) mend "
                       "the shape?",
                       std::invalid_argument);
  recorded<MatrixXd>::shape(r, a, y);
  CHECK_THROWS_WITH_AS(x + y,
                       "a recorded matrix that is read and was never written (a result is written "
                       "before it is read) assign to it first?",
                       std::invalid_argument);
  MatrixXd wrong = MatrixXd::Zero(4, 4);
  CHECK_THROWS_WITH_AS(recorded<MatrixXd>::open(r, a, &wrong, x),
                       "the cotangent of a 4x4 and a 3x4 matrix (they have the same shape) "
                       "transpose or resize one?",
                       std::invalid_argument);
}

TEST_CASE("matrices and scalar variables mix in one recording, in their order") {
  // y = sin(s) A x where s = |x|² x₀ : the pull goes back and forth between the two
  const MatrixXd a = MatrixXd::Random(4, 4);
  const VectorXd x = VectorXd::Random(4);
  check_body(
      [](const auto& a, const auto& x, auto& y) {
        using std::exp;
        using std::sin;
        const auto s = sin(x.squaredNorm() * x[0]);
        const auto first = (a * x).eval();
        y = s * first + exp(first[1] * s) * x / (1 + s * s);
      },
      VectorXd(4), 1e-3, 1e-9, a, x);
}

TEST_CASE("a recording is opened while another is pulled") {
  const MatrixXd a = MatrixXd::Random(4, 4);
  const VectorXd x = VectorXd::Random(4), w = VectorXd::Random(4);
  const auto inner_body = [&](const auto& x, auto& y) { y = (a * x).array().tanh(); };
  recording<double> outer, inner;
  recorded<VectorXd>::type vx, vy, ix, iy, out;
  VectorXd bar = VectorXd::Zero(4), y(4);
  recorded<VectorXd>::open(outer, x, &bar, vx);
  inner_body(x, y);
  recorded<VectorXd>::output(outer, y, vy);
  outer.operation([&, vx, vy](recording<double>& r) {
    VectorXd at(4), y_bar = VectorXd::Zero(4);
    recorded<VectorXd>::read(vx, at);
    recorded<VectorXd>::add_cotangent(r, vy, y_bar);
    VectorXd at_bar = VectorXd::Zero(4);
    inner.clear();
    recorded<VectorXd>::open(inner, at, &at_bar, ix);
    inner_body(ix, iy);
    inner.begin_pull();
    recorded<VectorXd>::seed(inner, iy, y_bar);
    inner.pull();
    vx.array_node().place().add(at_bar.array());
  });
  out = vy.cwiseProduct(vx);
  outer.begin_pull();
  recorded<VectorXd>::seed(outer, out, w);
  outer.pull();
  const VectorXd u = w.cwiseProduct(x).array() * (1 - y.array().square());
  const VectorXd expected = w.cwiseProduct(y) + a.transpose() * u;
  CHECK((bar - expected).norm() < 1e-15);
}

}  // namespace revode
