// expect-error: a field with an index.. above 1 for a method that weighs all elements alike .*take radau_iia5, or
// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/pendulum_index3.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas5p.hpp>

int main() {
  const revode::pendulum_index3 f;
  revode::solve(revode::problem{f, f.y0(), 0.0, 1.0, f.parameters()}, revode::rodas5p{});
}
