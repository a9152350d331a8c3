// SPDX-License-Identifier: Apache-2.0
// revode-core by pkg-config: a solve without Eigen, and what of it is compiled.
#include <cmath>

#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

int main() {
  using namespace revode;
  const auto decay = [](const auto&, const auto& y, const auto& p, auto& dy) {
    dy[0] = -p[0] * y[0];
  };
  const auto s =
      solve(problem{decay, vec{1.0}, 0.0, 1.0, vec{1.0}}, tsit5{}, {.rtol = 1e-9, .atol = 1e-12});
  return s.status == status::success && std::abs(s.y[0] - std::exp(-1.0)) < 1e-8 ? 0 : 1;
}
