// expect-error: several gradients a pass do not go through events
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/solvers/tsit5.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};
struct landing {
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
};

int main() {
  const revode::problem q{decay{}, revode::vec{1.0}, 0.0, 1.0};
  const std::vector<revode::cotangents<revode::vec<double, 1>>> weights(2);
  gradients(q, revode::tsit5{}, revode::options{}, revode::events(landing{}), weights);
}
