// expect-error: an event whose condition is not called as condition.t, y, p. and a number
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

/// With a domain, which alone makes it an event.
struct landing {
  template <class Y>
  auto condition(const Y& y) const {
    return y[0];
  }
  template <class T, class Y, class P>
  bool inside(const T&, const Y& y, const P&) const {
    return y[0] > -1;
  }
};

int main() {
  const auto f = [](auto, const auto& y, auto& dy) { dy[0] = -y[0]; };
  solve(revode::problem{f, revode::vec{1.0}, 0.0, 1.0}, revode::tsit5{}, {},
        revode::events(landing{}));
}
