// SPDX-License-Identifier: Apache-2.0
#include "recorded_body.hpp"

#include <thread>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

/// z ← x z, `n` times in one recording.
struct chain_of_products {
  int n;
  template <class M>
  void operator()(const M& x, const M& z, M& y) const {
    y = z;
    for (int i = 0; i < n; ++i) y = x * y;
  }
};

/// h ← tanh(h w + b), n times.
struct recurrent {
  int n;
  template <class M, class V>
  void operator()(const M& w, const V& b, const M& h, M& y) const {
    y = h;
    for (int i = 0; i < n; ++i) y = ((y * w).rowwise() + b.transpose()).array().tanh();
  }
};

}  // namespace

TEST_CASE("a chain of n products keeps n results and nothing else: cotangents take their places") {
  const int n = 100, size = 24;
  const MatrixXf x = MatrixXf::Random(size, size) / 3, z = MatrixXf::Random(size, size),
                 w = MatrixXf::Random(size, size);
  plain_and_recorded<chain_of_products, MatrixXf, MatrixXf, MatrixXf> call{{n}};
  std::tuple<MatrixXf, MatrixXf> bars{MatrixXf::Zero(size, size), MatrixXf::Zero(size, size)};
  call.result_shape = z;
  call.pull({x, z}, w, bars);
  CHECK(call.r.arrays().array_bytes() == n * size * size * sizeof(float));

  // The reverse pass by hand, in the same order: the same bits, in float.
  std::vector<MatrixXf> stack{z};
  for (int i = 0; i < n; ++i) stack.push_back(x * stack.back());
  MatrixXf bar = w, x_bar = MatrixXf::Zero(size, size);
  for (int i = n; i-- > 0;) {
    x_bar.noalias() += bar * stack[static_cast<std::size_t>(i)].transpose();
    bar = (x.transpose() * bar).eval();
  }
  CHECK(std::get<0>(bars) == x_bar);
  CHECK(std::get<1>(bars) == bar);
}

TEST_CASE("a recurrent chain keeps one array a step: what no pull needs is gone at once") {
  const int n = 50, rows = 4, size = 24;
  const MatrixXd w = MatrixXd::Random(size, size) / 5, h = MatrixXd::Random(rows, size);
  const VectorXd b = VectorXd::Random(size);
  plain_and_recorded<recurrent, MatrixXd, MatrixXd, VectorXd, MatrixXd> call{{n}};
  std::tuple<MatrixXd, VectorXd, MatrixXd> bars{MatrixXd::Zero(size, size), VectorXd::Zero(size),
                                                MatrixXd::Zero(rows, size)};
  call.result_shape = h;
  const std::tuple<MatrixXd, VectorXd, MatrixXd> values{w, b, h};
  call.pull(values, h, bars);
  // n hidden states, and two on the way to the next one
  CHECK(call.r.arrays().array_bytes() == (n + 2) * rows * size * sizeof(double));
}

TEST_CASE("the second recording of a body allocates nothing in its recording") {
  const auto body = [](const auto& w, const auto& s, const auto& h, auto& y) {
    const auto a = (w * h).array().tanh() + s * h.array();
    y = (a / (1 + a.square())).matrix();
    y.head(3) = h.tail(3) * y.sum();
    y[4] = y[2] * h.dot(y);
  };
  const MatrixXd w = MatrixXd::Random(8, 8);
  const VectorXd h = VectorXd::Random(8);
  plain_and_recorded<decltype(body), VectorXd, MatrixXd, double, VectorXd> call{body};
  call.result_shape = h;
  std::tuple<MatrixXd, double, VectorXd> bars{MatrixXd::Zero(8, 8), 0.0, VectorXd::Zero(8)};
  const std::tuple<MatrixXd, double, VectorXd> values{w, 0.3, h};
  const auto pass = [&] {
    call.pull(values, h, bars);
    return call.r.bytes();
  };
  const std::size_t bytes = pass();
  const auto first = bars;
  std::get<0>(bars).setZero();
  std::get<1>(bars) = 0;
  std::get<2>(bars).setZero();
  for (int i = 0; i < 3; ++i) CHECK(pass() == bytes);
  CHECK((std::get<0>(bars) - 3 * std::get<0>(first)).norm() < 1e-13);
}

TEST_CASE("a constant is not differentiated, a view of one is not even copied") {
  const MatrixXd w = MatrixXd::Random(64, 64);
  const VectorXd h = VectorXd::Random(64);
  const std::size_t vector_bytes = 64 * sizeof(double);
  const auto bytes_of_pull = [&](const auto& body) {
    plain_and_recorded<std::decay_t<decltype(body)>, VectorXd, VectorXd> call{body};
    call.result_shape = h;
    std::tuple<VectorXd> bar{VectorXd::Zero(64)};
    call.pull({h}, h, bar);
    CHECK((std::get<0>(bar) - w.transpose() * h).norm() < 1e-13);
    return call.r.arrays().array_bytes();
  };
  const Eigen::Map<const MatrixXd> view(w.data(), 64, 64);
  CHECK(bytes_of_pull([&](const auto& x, auto& y) { y = view * x; }) == 0);  // not even y
  CHECK(bytes_of_pull([&](const auto& x, auto& y) { y = w * x; }) == 64 * vector_bytes);

  // A frozen leaf is a constant of the recording that refers to what it freezes.
  recording<double> r;
  recorded<frozen<MatrixXd>>::type frozen_w;
  recorded<VectorXd>::type x, y;
  VectorXd bar = VectorXd::Zero(64);
  recorded<frozen<MatrixXd>>::open(r, frozen(w), static_cast<int*>(nullptr), frozen_w);
  recorded<VectorXd>::open(r, h, &bar, x);
  y = *frozen_w * x;
  y += frozen_w->col(3);
  r.begin_pull();
  recorded<VectorXd>::seed(r, y, h);
  r.pull();
  CHECK((bar - w.transpose() * h).norm() < 1e-13);
  CHECK(r.arrays().array_bytes() == 2 * vector_bytes);
}

TEST_CASE("a local plain matrix may be gone when the recording is pulled") {
  const VectorXd h = VectorXd::Random(6);
  const auto body = [](const auto& x, auto& y) {
    VectorXd mask = VectorXd::Zero(6);
    mask[1] = mask[4] = 2;
    y = x.cwiseProduct(mask);
    mask.setConstant(1e30);
  };
  check_body(body, VectorXd(6), 0.5, 1e-13, h);
}

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

TEST_CASE("constants of no recording: variables that nobody opened, frozen numbers") {
  const MatrixXd a = MatrixXd::Random(3, 3), b = MatrixXd::Random(3, 3);
  check_body(
      [&](const auto& x, auto& y) {
        std::decay_t<decltype(y)> h, g;  // the type of the carry, or plain: MatrixXd
        h = a;
        h.row(1).setZero();
        g = h * a + 2 * h;
        h.col(2) = x.col(0);  // now it depends on x
        y = h * g + (g.array() * x.array()).matrix() + x * h;
        y.colwise() += a.col(1);
      },
      MatrixXd(3, 3), 0.5, 2e-13, b);
  recorded<MatrixXd>::type x;
  {
    recording<double> r;
    variable<double> frozen_number(3);
    recorded<MatrixXd>::open(r, a, nullptr, x);
    x = frozen_number * a + frozen_number * b;
    CHECK((x.values() - 3 * (a + b)).norm() < 4e-15);
    CHECK(r.size() == 0);
  }
  recorded<MatrixXd>::constant(b, x);
  CHECK(x.values() == b);
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

TEST_CASE("two threads record at once, each for itself; an exception leaves nothing behind") {
  const auto work = [](double start, MatrixXd* result) {
    plain_and_recorded<recurrent, MatrixXd, MatrixXd, VectorXd, MatrixXd> call{{5}};
    const MatrixXd w = MatrixXd::Constant(6, 6, start), h = MatrixXd::Identity(3, 6);
    call.result_shape = h;
    for (int round = 0; round < 50; ++round) {
      std::tuple<MatrixXd, VectorXd, MatrixXd> bars{MatrixXd::Zero(6, 6), VectorXd::Zero(6),
                                                    MatrixXd::Zero(3, 6)};
      call.pull({w, VectorXd::Constant(6, 0.1), h}, h, bars);
      *result = std::get<0>(bars);
    }
  };
  MatrixXd alone[2], together[2];
  work(0.1, &alone[0]);
  work(0.2, &alone[1]);
  std::thread first(work, 0.1, &together[0]), second(work, 0.2, &together[1]);
  first.join();
  second.join();
  CHECK(together[0] == alone[0]);
  CHECK(together[1] == alone[1]);

  const VectorXd x = VectorXd::Random(3);
  bool fail = true;
  const auto body = [&](const auto& x, auto& y) {
    y = x.array().exp();
    if (fail) throw std::runtime_error("not now");
    y = y.cwiseProduct(x);
  };
  plain_and_recorded<decltype(body), VectorXd, VectorXd> call{body};
  call.result_shape = x;
  std::tuple<VectorXd> bar{VectorXd::Zero(3)};
  CHECK_THROWS(call.pull({x}, x, bar));
  fail = false;
  call.pull({x}, x, bar);
  const VectorXd expected = x.array() * x.array().exp() * (1 + x.array());
  CHECK((std::get<0>(bar) - expected).norm() < 1e-14);
}

}  // namespace revode
