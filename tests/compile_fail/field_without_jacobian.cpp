// expect-error: this field has no Jacobian .its call operator accepts one scalar type only
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas5p.hpp>

using revode::vec;

int main() {
  const auto f = [](double, const vec<double, 1>& y, const vec<double, 0>&, vec<double, 1>& dy) {
    dy[0] = -y[0];
  };
  solve(revode::problem{f, vec{1.0}, 0.0, 1.0}, revode::rodas5p{});
}
