// expect-error: take a one-step method, such as tsit5 or rodas5p
// expect-error: take a one-step method, or the tangents alone
// expect-error: bdf<5>
// expect-error: ndf<5>
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/solvers/ndf.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

int main() {
  const revode::problem q{decay{}, revode::vec{1.0}, 0.0, 1.0};
  const auto loss = [](const auto& y) { return y[0] * y[0]; };
  const revode::adams12 m;
  hessian_vector_product(q, m, revode::options{}, loss, revode::tangents{q.y0, q.p});
  hessian_vector_product(q, revode::bdf5{}, revode::options{}, loss, revode::tangents{q.y0, q.p});
  hessian_vector_product(q, revode::ndf5{}, revode::options{}, loss, revode::tangents{q.y0, q.p});
  value_and_gradient(q, m, revode::options{}, loss,
                     revode::control_gradient_error{revode::random_directions{}});
}
