// expect-error: control_gradient_error with a Rosenbrock method needs the derivative of jvp
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rosenbrock.hpp>

using namespace revode;

struct numbers_alone {
  using state = vec<double, 1>;
  void operator()(double, const state& y, const state& p, state& dy) const {
    dy[0] = -p[0] * y[0] * y[0];
  }
  void jvp(double, const state& y, const state& p, double, const state& d, const state& dp,
           state& out) const {
    out[0] = -dp[0] * y[0] * y[0] - 2 * p[0] * y[0] * d[0];
  }
};

int main() {
  const problem q{numbers_alone{}, vec{1.0}, 0.0, 1.0, vec{2.0}};
  return static_cast<int>(
      solve(q, rodas4{}, {}, control_gradient_error{tangents<vec<double, 1>, vec<double, 1>>{}}).t);
}
