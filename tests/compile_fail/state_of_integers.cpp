// expect-error: a state of integers .its elements move by less than 1. write vec.1.0, 0.0
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

int main() {
  const auto f = [](auto, const auto& y, const auto&, auto& dy) { dy[0] = -y[0]; };
  solve(revode::problem{f, revode::vec{1}, 0.0, 1.0, revode::vec{2.0}}, revode::tsit5{});
}
