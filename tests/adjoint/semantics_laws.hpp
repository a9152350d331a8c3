// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/moving_grid.hpp>

namespace revode::semantics {

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

/// Gradients of all inputs through stops and events of every kind, by duals on the frozen grid.
template <class M>
void by_duals(const M& m, double bound) {
  const problem q{driven{}, state{0.4, 1.0}, 0.1, 3.1, parameters{1.5, 0.2, 0.8}};
  for (const double h : {0.26, 0.0}) {
    options o{.rtol = 1e-5, .fixed_step = h, .stops = {0.7, 1.9}, .discontinuities = {2}};
    o.save = {.t0 = true, .ts = {0.5, 1.3, 2.6}, .t1 = true};
    const auto r = moving_grid_law(q, m, o, events(kick{}, dose{}, scaling{{0.3, 1.4, 1.4, 5}}),
                                   recursive_checkpoint{.slots = 5}, bound);
    CAPTURE(std::string(M::name));
    CAPTURE(h);
    CAPTURE(r.what);
    CAPTURE(r.worst);
    CHECK(r.holds);
  }
}

}  // namespace revode::semantics
