// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>
#include <vector>

#include <Eigen/LU>

#include <revode/interop/eigen/sparse.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/rodas3.hpp>
#include <revode/testing/references.hpp>

#include "../solvers/ignition.hpp"

namespace revode {
namespace {

TEST_CASE("sparse factors tell the sign of their determinant, with pivots beside the diagonal") {
  random_numbers random(9);
  int negative = 0;
  const int n = 12;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i)
      for (const int j : {(i * 5 + round) % n, (i + 1) % n}) entries.emplace_back(i, j);
    const auto pattern = std::make_shared<const sparsity>(n, entries);
    sparse_matrix<double> j{pattern, {}};
    Eigen::MatrixXd a = 0.01 * Eigen::MatrixXd::Identity(n, n);
    for (int i = 0; i < n; ++i)
      for (int e = pattern->start(i); e < pattern->start(i + 1); ++e) {
        j.values.push_back(pattern->column(e) == i && i % 2 == 0 ? 0.0 : random());
        a(i, pattern->column(e)) -= j.values.back();
      }
    sparse_factors<std::vector<double>> factors;
    if (std::abs(a.determinant()) < 1e-9) continue;
    REQUIRE(factors.factor_shifted(j, 0.01));
    CHECK(steps_over_growth(factors, 1) == (a.determinant() < 0));
    negative += a.determinant() < 0 ? 1 : 0;
  }
  CHECK(negative > 10);
  CHECK(negative < 30);
}

TEST_CASE("an ignition is seen by sparse factors in the steps that dense ones take") {
  const std::vector<double> y0(21);
  const eigen_sparse on_pattern{std::make_shared<sparsity>(sparsity_of(ignition_of(y0)))};
  check_ignites_as_dense<rodas3>(y0, on_pattern);
  check_ignites_as_dense<bdf5>(y0, on_pattern);
}

}  // namespace
}  // namespace revode
