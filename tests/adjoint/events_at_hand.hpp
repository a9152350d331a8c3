// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/state/vec.hpp>

/// Fields and events in which everything depends on everything.
namespace revode::at_hand {

using state = vec<double, 2>;
using parameters = vec<double, 3>;

/// y0' = y1 cos t, y1' = −p0 sin y0 − p1 y1 + t, and 2 more of it behind t = 2
struct driven {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = y[1] * cos(t);
    dy[1] = -(p[0] * sin(y[0])) - p[1] * y[1] + t;
    if (t >= 2) dy[1] = dy[1] + 2;
  }
};
/// State and parameters jump, and everything depends on everything.
struct kick {
  template <class T, class Y, class P>
  T condition(const T& t, const Y& y, const P& p) const {
    return y[0] - 0.6 * p[0] + 0.05 * t;
  }
  template <class T, class Y, class P>
  void jump(const T& t, const Y& y, const P& p, Y& y_new, P& p_new) const {
    y_new[0] = 0.3 * y[0] * y[1] + 0.1 * t;
    y_new[1] = y[0] - p[1] * y[1];
    p_new[0] = 1.1 * p[0] + 0.05 * y[0] * t;
    p_new[1] = p[1] + 0.01 * y[1] * y[1];
  }
};
struct dose {
  template <class P>
  auto time(const P& p) const {
    return 0.9 * p[2];
  }
  template <class T, class Y, class P>
  void jump(const T& t, const Y& y, const P& p, Y& y_new) const {
    y_new[1] = y[1] + 0.2 * p[2] * y[0] + 0.1 * t * t;
  }
};
struct scaling {
  std::vector<double> times;
  template <class T, class Y, class P>
  void jump(const T& t, const Y& y, const P&, Y& y_new) const {
    y_new[0] = 0.9 * y[0] + 0.02 * t;
  }
};

}  // namespace revode::at_hand
