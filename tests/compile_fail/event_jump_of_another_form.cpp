// expect-error: an event whose jump is not called as jump.t, y, p, y_new.
// SPDX-License-Identifier: Apache-2.0
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

struct bounce {
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
  template <class T, class Y, class P>
  void jump(const T&, Y& y, const P&) const {
    y[1] = -y[1];
  }
};

int main() {
  const auto f = [](auto, const auto& y, auto& dy) {
    dy[0] = y[1];
    dy[1] = -9.81;
  };
  solve(revode::problem{f, revode::vec{1.0, 0.0}, 0.0, 1.0}, revode::tsit5{}, {},
        revode::events(bounce{}));
}
