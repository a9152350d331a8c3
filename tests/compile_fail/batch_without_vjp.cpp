// expect-error: a gradient of a batch_problem by a field without f.vjp
// links: revode::nn revode::columns revode::solvers
// SPDX-License-Identifier: Apache-2.0
#include <revode/batch/batch_solver.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/solvers/tsit5.hpp>

using namespace revode;

struct decay {
  static constexpr bool takes_sample_times = true;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < y.size(); ++i) dy.data()[i] = -p.data()[0] * y.data()[i];
  }
};

int main() {
  const batch_problem b{decay{}, Eigen::MatrixXd(2, 3), {0.0}, {1.0}, Eigen::VectorXd(1)};
  solve(b, tsit5{}, {}, recursive_checkpoint{});
}
