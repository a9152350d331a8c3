// expect-error: with_error of an adjoint whose solution is not pulled back
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/all.hpp>
#include <revode/solvers/tsit5.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

int main() {
  const revode::problem q{decay{}, revode::vec{1.0}, 0.0, 1.0};
  value_and_checked_gradient(
      q, revode::tsit5{}, {}, [](const auto& y) { return y[0]; },
      revode::control_gradient_error{revode::random_directions{}});
}
