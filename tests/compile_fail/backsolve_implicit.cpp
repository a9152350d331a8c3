// expect-error: backsolve takes explicit methods
// expect-error: kvaerno3
// expect-error: bdf<5>
// expect-error: ndf<5>
// expect-error: revode::radau[^_]
// expect-error: switching<
// SPDX-License-Identifier: Apache-2.0
#include <revode/adjoint/backsolve.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/ndf.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/switching.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

/// States of different sizes, so that each method has an error of its own.
template <class M, int N>
void pull() {
  const revode::problem q{decay{}, revode::vec<double, N>{1.0}, 0.0, 1.0};
  solve(q, M{}, revode::options{}, revode::backsolve{}).pullback(q.y0);
}

int main() {
  pull<revode::kvaerno3, 1>();
  pull<revode::bdf5, 2>();
  pull<revode::ndf5, 3>();
  pull<revode::radau, 4>();
  pull<revode::tsit5_rodas5p, 5>();
}
