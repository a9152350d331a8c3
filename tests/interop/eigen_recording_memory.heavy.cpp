// SPDX-License-Identifier: Apache-2.0
#include "recorded_body.hpp"

#include <thread>
#include <vector>

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
