// expect-error: control_gradient_error with a Rosenbrock or IMEX method of sparse, banded
// expect-error: tangent_solver<[^\n]*switching<
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rosenbrock.hpp>
#include <revode/solvers/switching.hpp>

using namespace revode;

int main() {
  const auto field = [](const auto&, const auto& y, const auto& p, auto& dy) {
    dy[0] = -p[0] * y[0];
  };
  const problem q{field, vec{1.0}, 0.0, 1.0, vec{2.0}};
  const with_algebra<rodas4, banded> m{};
  const switching<tsit5, with_algebra<rodas5p, banded>> pair{};
  const control_gradient_error along{tangents<vec<double, 1>, vec<double, 1>>{}};
  return static_cast<int>(solve(q, m, {}, along).t + solve(q, pair, {}, along).t);
}
