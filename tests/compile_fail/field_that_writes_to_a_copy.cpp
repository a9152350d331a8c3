// expect-error: a field whose dy is a copy, or const
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

int main() {
  using state = std::vector<double>;
  const auto f = [](double, state y, state p, state dy) { dy[0] = p[0] * y[0]; };
  solve(revode::problem{f, state{1}, 0.0, 1.0, state{2}}, revode::tsit5{});
}
