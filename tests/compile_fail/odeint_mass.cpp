// expect-error: a field with a mass matrix as odeint's system .*solve it by revode::solve\?
// links: revode::odeint revode::solvers
// SPDX-License-Identifier: Apache-2.0
#include <revode/interop/odeint.hpp>
#include <revode/solvers/rodas5p.hpp>

using namespace revode;

struct half {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = 2;
  }
  template <class Y, class T>
  void operator()(const Y& y, Y& dy, const T&) const {
    dy[0] = -y[0];
  }
};

int main() {
  odeint::as_stepper<rodas5p, vec<double, 1>> stepper;
  vec<double, 1> y{1};
  half f;
  stepper.do_step(f, y, 0.0, 0.1);
}
