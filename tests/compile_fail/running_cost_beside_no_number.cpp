// expect-error: a loss_with_running_cost whose terminal part is no number of y
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/tsit5.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

int main() {
  const revode::problem q{decay{}, revode::vec{1.0}, 0.0, 1.0};
  const revode::loss_with_running_cost loss{
      [](const auto& y) { return y; },
      [](const auto&, const auto& y, const auto&) { return y[0]; }};
  value_and_gradient(q, revode::tsit5{}, {}, loss);
}
