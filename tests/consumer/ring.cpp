// SPDX-License-Identifier: Apache-2.0
// A problem of a user's own, for the command.
#include <revode/problems/plugin.hpp>

struct ring {
  static constexpr const char* name = "ring";
  static constexpr double t0 = 0, t1 = 10;
  static constexpr int default_size = 3, least_size = 2;
  int n = default_size;

  auto y0() const {
    Eigen::VectorXd y = Eigen::VectorXd::Zero(n);
    y[0] = 1;
    return y;
  }
  auto parameters() const { return revode::vec<double, 1>{0.5}; }

  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < n; ++i) dy[i] = p[0] * (y[(i + 1) % n] - y[i]);
  }
};

REVODE_PROBLEM(ring)
