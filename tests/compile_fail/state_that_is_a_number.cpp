// expect-error: a state that is no array .y0 needs data.. and size... write vec.1.0.
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

int main() {
  const auto f = [](auto, const auto& y, auto& dy) { dy = -y; };
  solve(revode::problem{f, 1.0, 0.0, 1.0}, revode::tsit5{});
}
