// SPDX-License-Identifier: Apache-2.0
// links: revode::problems
// What docs/models.md shows.
#include <revode/problems/plugin.hpp>

struct ring {
  static constexpr const char* name = "ring";
  static constexpr double t0 = 0, t1 = 10;
  auto y0() const { return revode::vec<double, 3>{1, 0, 0}; }
  auto parameters() const { return revode::vec<double, 1>{0.5}; }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 3; ++i) dy[i] = p[0] * (y[(i + 1) % 3] - y[i]);
  }
};
REVODE_PROBLEM(ring)
