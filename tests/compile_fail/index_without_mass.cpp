// expect-error: a field with index.. and no mass matrix .*leave index.. out\?
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

struct decays {
  static constexpr auto index() { return std::array{2}; }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
  }
};

int main() {
  revode::solve(revode::problem{decays{}, revode::vec{1.0}, 0.0, 1.0}, revode::tsit5{});
}
