// expect-error: an event whose condition takes one scalar type only
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

struct landing {
  template <class P>
  double condition(double, const revode::vec<double, 1>& y, const P&) const {
    return y[0] - 0.5;
  }
};

int main() {
  const auto f = [](auto, const auto& y, auto& dy) { dy[0] = -y[0]; };
  solve(revode::problem{f, revode::vec{1.0}, 0.0, 1.0}, revode::tsit5{}, {},
        revode::events(landing{}));
}
