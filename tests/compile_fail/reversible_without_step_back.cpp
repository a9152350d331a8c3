// expect-error: the steps of this method cannot be undone
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/reversible.hpp>
#include <revode/solvers/tsit5.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

int main() {
  const revode::problem q{decay{}, revode::vec{1.0}, 0.0, 1.0};
  solve(q, revode::tsit5{}, revode::options{}, revode::reversible{});
}
