// expect-error: an event whose after_step is not called as after_step.t, y, p. and a bool
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

/// With a domain, which alone makes it an event.
struct watched {
  template <class T, class Y, class P>
  bool inside(const T&, const Y& y, const P&) const {
    return y[0] > 0;
  }
  template <class Y, class P>
  void after_step(double, const Y&, const P&) const {}
};

int main() {
  const auto f = [](auto, const auto& y, auto& dy) { dy[0] = -y[0]; };
  solve(revode::problem{f, revode::vec{1.0}, 0.0, 1.0}, revode::tsit5{}, {},
        revode::events(watched{}));
}
