// expect-error: a batch_problem with events, tangents or another adjoint than recursive_checkpoint \(each sample
// links: revode::nn revode::columns revode::solvers
// SPDX-License-Identifier: Apache-2.0
#include <revode/batch/batch_solver.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/solvers/tsit5.hpp>

using namespace revode;

struct below_zero {
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y.data()[0];
  }
};

int main() {
  const nn::neural_field f(nn::mlp({2, 4, 2}));
  const batch_problem b{
      f, Eigen::MatrixXd(2, 3), {0.0}, {1.0}, nn::initial_parameters<double>(f.network(), 1)};
  solve(b, tsit5{}, {}, event_list<below_zero>{}, recursive_checkpoint{});
}
