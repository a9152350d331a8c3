// SPDX-License-Identifier: Apache-2.0
#include "recorded_body.hpp"

#include "malloc_counts.hpp"

#if defined(COUNTS_MALLOC)
namespace revode {

TEST_CASE("the second recording of a body of matrices allocates nothing, nor does its pull") {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const auto body = [](const auto& w, const auto& b, const auto& s, const auto& h, auto& y) {
    const auto a = (w * h).array().tanh() + s * h.array();
    y = (a / (1 + a.square())).matrix() + b;
    y.head(3) = h.tail(3) * y.sum();
    y[4] = y[2] * h.dot(y);
    y += w.topRows(4).transpose() * h.head(4) + (w.colwise() + b).rowwise().sum();
  };
  const std::tuple<MatrixXd, VectorXd, double, VectorXd> values{
      MatrixXd::Random(8, 8), VectorXd::Random(8), 0.3, VectorXd::Random(8)};
  auto bars = values;
  const VectorXd w = VectorXd::Random(8);
  plain_and_recorded<decltype(body), VectorXd, MatrixXd, VectorXd, double, VectorXd> call{body};
  call.result_shape = w;
  long before = allocations;
  call.pull(values, w, bars);
  CHECK(allocations > before);
  before = allocations;
  for (int i = 0; i < 10; ++i) call.pull(values, w, bars);
  CHECK(allocations == before);
}

}  // namespace revode
#endif
