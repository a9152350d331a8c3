// expect-error: parameters that are no array .they are read, copied and differentiated as one
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

struct rates {
  double growth, decay;
};

int main() {
  const auto f = [](auto, const auto& y, const auto& p, auto& dy) { dy[0] = p.growth * y[0]; };
  solve(revode::problem{f, revode::vec{1.0}, 0.0, 1.0, rates{1, 2}}, revode::tsit5{});
}
