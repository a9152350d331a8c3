// expect-error: a field that cannot be called as f.t, y, p, dy., or f.t, y, dy. without parameters
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

int main() {
  const auto f = [](auto, const auto& y, const auto& p) { return p[0] * y[0]; };
  solve(revode::problem{f, revode::vec{1.0}, 0.0, 1.0, revode::vec{2.0}}, revode::tsit5{});
}
