// expect-error: this adjoint does not follow events
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/reversible.hpp>
#include <revode/solvers/reversible_heun.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};
struct landing {
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
};

int main() {
  const revode::problem q{decay{}, revode::vec{1.0}, 0.0, 1.0};
  solve(q, revode::reversible_heun{}, revode::options{}, revode::events(landing{}),
        revode::reversible{});
}
