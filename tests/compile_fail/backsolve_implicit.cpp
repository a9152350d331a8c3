// expect-error: backsolve takes explicit methods
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/backsolve.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kvaerno3.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
  template <class T, class Y, class P>
  void implicit_part(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
  template <class T, class Y, class P>
  void explicit_part(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = 0 * y[0];
  }
};

int main() {
  const revode::problem q{decay{}, revode::vec{1.0}, 0.0, 1.0};
  solve(q, revode::kvaerno3{}, revode::options{}, revode::backsolve{}).pullback(q.y0);
}
