// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/interop/eigen_recording.hpp>

#include "recorded_body.hpp"

// Long sums of float. Added one after the other, or eight side by side, they lose three to five digits.

namespace revode {
namespace {

constexpr int count = (1 << 20) + 3;
constexpr double bound = 1e-6;

template <class Array>
Array uneven(Eigen::Index rows, Eigen::Index cols) {
  Array x(rows, cols);
  for (Eigen::Index i = 0; i < x.size(); ++i)
    x.data()[i] = 0.1F + 1e-3F * static_cast<float>(i % 7);
  return x;
}
template <class X>
double exact_sum(const X& x) {
  long double sum = 0;
  for (const auto element : x.reshaped()) sum += static_cast<long double>(element);
  return static_cast<double>(sum);
}
double off(double x, double exact) { return std::abs(x / exact - 1); }

/// The value of body(x…) and its derivatives with respect to each x, weight 1.
template <class Result, class Body, class... X>
auto pulled(const Body& body, const Result& weight, const X&... x) {
  plain_and_recorded<Body, Result, X...> p{.body = body, .result_shape = weight};
  std::tuple<X...> bars{zero_cotangent(x)...};
  p.record({x...}, bars);
  Result value = weight;
  recorded<Result>::read(p.result, value);
  p.pull({x...}, weight, bars);
  return std::pair(value, bars);
}

using column = Eigen::ArrayXf;
using matrix = Eigen::MatrixXf;

}  // namespace

TEST_CASE("sums, means, squares and dot products of a million floats") {
  const column x = uneven<column>(count, 1);
  const double sum = exact_sum(x), squares = exact_sum(x.square());
  CHECK(off(pairwise_sum(x), sum) < bound);
  const auto value = [&](const auto& body) { return pulled<float>(body, 1.0F, x).first; };
  CHECK(off(value([](const auto& x, auto& y) { y = x.sum(); }), sum) < bound);
  CHECK(off(value([](const auto& x, auto& y) { y = x.mean(); }), sum / count) < bound);
  CHECK(off(value([](const auto& x, auto& y) { y = x.matrix().squaredNorm(); }), squares) < bound);
  CHECK(off(value([](const auto& x, auto& y) { y = x.matrix().dot(x.matrix()); }), squares) <
        bound);
  CHECK(off(value([](const auto& x, auto& y) { y = x.matrix().transpose() * x.matrix(); }),
            squares) < bound);
}

TEST_CASE("cotangents of a number that met a million floats") {
  const column x = uneven<column>(count, 1);
  const double sum = exact_sum(x), inverses = exact_sum(1 / x.cast<double>()), n = count;
  const auto slope = [&](const auto& body) {
    return std::get<0>(pulled<float>(body, 1.0F, 1.5F, x).second);
  };
  CHECK(off(slope([](const auto& a, const auto& x, auto& y) { y = (a * x).sum(); }), sum) < bound);
  CHECK(off(slope([](const auto& a, const auto& x, auto& y) { y = (a + x).sum(); }), n) < bound);
  CHECK(off(slope([](const auto& a, const auto& x, auto& y) { y = (x - a).mean(); }), -1) < bound);
  CHECK(off(slope([](const auto& a, const auto& x, auto& y) { y = (a / x).sum(); }), inverses) <
        2 * bound);
}

TEST_CASE_TEMPLATE("sums over the long way of a matrix, and cotangents of what lay beside it", M,
                   Eigen::MatrixXf, Eigen::Matrix<float, -1, -1, Eigen::RowMajor>) {
  const Eigen::Index rows = count / 4;
  const M x = uneven<M>(rows, 4);
  const Eigen::RowVectorXf b = uneven<Eigen::RowVectorXf>(1, 4);
  const auto sums = [](const auto& x, const auto& b, auto& y) {
    y = (x.rowwise() + b).colwise().sum();
  };
  const auto [value, bars] = pulled<Eigen::RowVectorXf>(sums, Eigen::RowVectorXf::Ones(4), x, b);
  for (int j = 0; j < 4; ++j) {
    const double n = static_cast<double>(rows);
    CHECK(off(value[j], exact_sum(x.col(j)) + n * static_cast<double>(b[j])) < 2 * bound);
    CHECK(std::get<1>(bars)[j] == static_cast<float>(rows));
  }
}

TEST_CASE("the order depends on the shape alone, for double, float and duals") {
  const Eigen::ArrayXd x = Eigen::ArrayXd::Random(5000);
  const double sum = pairwise_sum(x);
  CHECK(pairwise_sum(x.segment(0, 5000)) == sum);
  CHECK(pairwise_sum(0.5 * x + 0.5 * x) == sum);
  CHECK(pairwise_sum(x.matrix().transpose()) == sum);
  Eigen::Array<dual<double, 1>, -1, 1> moving(5000);
  for (int i = 0; i < 5000; ++i) {
    moving[i] = dual<double, 1>(x[i]);
    moving[i].d[0] = x[i];
  }
  CHECK(pairwise_sum(moving).value == sum);
  CHECK(pairwise_sum(moving).d[0] == sum);
  const Eigen::ArrayXXd m = Eigen::ArrayXXd::Random(50, 60);
  CHECK(std::abs(pairwise_sum(m) - m.sum()) < 1e-12);
  CHECK(pairwise_sum(m.topRows(7)) == pairwise_sum(m.topRows(7).eval()));
  CHECK(pairwise_sum(Eigen::ArrayXXd(0, 3)) == 0);
}

}  // namespace revode
