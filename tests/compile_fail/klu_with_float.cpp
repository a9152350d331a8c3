// expect-error: KLU and UMFPACK know double only
// links: revode::klu
// links: revode::solvers
// SPDX-License-Identifier: Apache-2.0
#include <revode/interop/klu.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/kvaerno3.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

int main() {
  const revode::with_algebra<revode::kvaerno3, revode::klu> m{};
  solve(revode::problem{decay{}, std::vector<float>{1.0f}, 0.0, 1.0}, m, revode::options{});
}
