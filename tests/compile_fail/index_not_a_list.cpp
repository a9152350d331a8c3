// expect-error: an index that is no list by index.. const .*return a std::array or std::vector\?
// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/pendulum_index1.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/radau_iia5.hpp>

struct by_number : revode::pendulum_index1 {
  int index(int i) const { return i < 4 ? 1 : 2; }
};

int main() {
  const by_number f;
  revode::solve(revode::problem{f, f.y0(), 0.0, 1.0, f.parameters()}, revode::radau_iia5{});
}
