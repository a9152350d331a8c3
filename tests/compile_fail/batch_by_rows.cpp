// expect-error: a batch whose states are no matrix of columns \(y0 has a column a sample
// links: revode::nn revode::columns revode::solvers
// SPDX-License-Identifier: Apache-2.0
#include <revode/batch/batch_solver.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/solvers/tsit5.hpp>

using namespace revode;

int main() {
  const nn::neural_field f(nn::mlp({2, 4, 2}));
  using by_rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const batch_problem b{
      f, by_rows(2, 3), {0.0}, {1.0}, nn::initial_parameters<double>(f.network(), 1)};
  solve(b, tsit5{});
}
