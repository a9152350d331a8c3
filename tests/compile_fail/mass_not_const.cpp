// expect-error: a mass that is not void mass.Matrix& m. const
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas5p.hpp>

struct half {
  template <class Matrix>
  void mass(Matrix& m) {
    m(0, 0) = 2;
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

int main() {
  revode::solve(revode::problem{half{}, revode::vec{1.0}, 0.0, 1.0}, revode::rodas5p{});
}
