// expect-error: an explicit method solves no linear systems
// expect-error: adams<12>
// SPDX-License-Identifier: Apache-2.0
#include <revode/linalg/gmres.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/solvers/tsit5.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

int main() {
  const revode::with_algebra<revode::tsit5, revode::gmres<>> m{};
  solve(revode::problem{decay{}, revode::vec{1.0}, 0.0, 1.0}, m);
  const revode::with_algebra<revode::adams12, revode::gmres<>> n{};
  solve(revode::problem{decay{}, revode::vec{1.0}, 0.0, 1.0}, n);
}
