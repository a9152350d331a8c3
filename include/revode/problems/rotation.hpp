// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// y' = [[a, b], [c, d]] y, p = (a, b, c, d): by default the rotation with unit angular velocity,
/// y = (cos t, sin t).
struct rotation {
  static constexpr const char* name = "rotation";
  static constexpr const char* summary = "linear system in the plane, p = the matrix by rows";
  static constexpr const char* source = "Hairer, Norsett, Wanner, Solving ODEs I, I.12";
  static constexpr double t0 = 0, t1 = 10;
  static constexpr int digits = 16;

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{1, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 4>{0, -1, 1, 0}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 2>{-0.83907152907645245, -0.54402111088936981};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0] + p[1] * y[1];
    dy[1] = p[2] * y[0] + p[3] * y[1];
  }
};

}  // namespace revode
