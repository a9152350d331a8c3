// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include <revode/interop/eigen_recording.hpp>

#include "recorded_body.hpp"

namespace revode {
namespace {

using matrix = Eigen::MatrixXd;

/// f(0) … f(n − 1) on three threads, this one among them.
template <class F>
void on_three_threads(Eigen::Index n, const F& f) {
  const auto part = [&](Eigen::Index k) {
    for (Eigen::Index i = k * n / 3; i < (k + 1) * n / 3; ++i) f(i);
  };
  std::thread first(part, 0), second(part, 1);
  part(2);
  first.join();
  second.join();
}

template <class Body>
void refused(const Body& body) {
  const matrix a = matrix::Random(12, 12), b = matrix::Random(12, 12);
  plain_and_recorded<Body, matrix, matrix, matrix> p{.body = body, .result_shape = a};
  for (int again = 0; again < 20; ++again) {
    std::tuple<matrix, matrix> bars(matrix::Zero(12, 12), matrix::Zero(12, 12));
    CHECK_THROWS_WITH_AS(
        p.pull({a, b}, a, bars),
        "a recording that several threads wrote to (the derivative of a field or loop body without "
        "one of its own is recorded on one thread) give it a vjp, jvp or pull, in which threads "
        "may "
        "run, or run its loop on one thread?",
        std::invalid_argument);
  }
}

}  // namespace

TEST_CASE("a body over whole matrices that uses threads is refused") {
  SUBCASE("columns of the result") {
    refused([](const auto& a, const auto& b, auto& next) {
      next = a + b;
      on_three_threads(12, [&](Eigen::Index j) { next.col(j) = a * b.col(j) + next.col(j); });
    });
  }
  SUBCASE("elements") {
    refused([](const auto& a, const auto& b, auto& next) {
      next = a;
      on_three_threads(12, [&](Eigen::Index j) { next(j, j) = sin(a(0, j)) * b(j, 0); });
    });
  }
  SUBCASE("products that nobody has read, sums, functions, constants") {
    refused([](const auto& a, const auto& b, auto& next) {
      const matrix plain = matrix::Ones(12, 12);
      const auto product = (a * b).eval();
      next = product;
      on_three_threads(12, [&](Eigen::Index j) {
        const auto x = (product.array().tanh() + plain.array()).matrix().eval();
        auto y = x;
        y = y * 2.0 + a;
        next(0, j) = y.sum() + y.dot(x) + a.colwise().sum().norm() + a.maxCoeff();
      });
    });
  }
  SUBCASE("float beside double") {
    refused([](const auto& a, const auto& b, auto& next) {
      next = a;
      on_three_threads(12, [&](Eigen::Index j) {
        next(0, j) = variable<double>(b.template cast<float>().sum());
      });
    });
  }
}

}  // namespace revode
