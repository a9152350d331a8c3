// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// The Oregonator of Field and Noyes, a model of the Belousov–Zhabotinskii reaction, p = (s, q, w):
///   y1' = s (y2 + y1 (1 − q y1 − y2)), y2' = (y3 − (1 + y1) y2)/s, y3' = w (y1 − y3).
struct orego {
  static constexpr const char* name = "orego";
  static constexpr const char* summary = "the Oregonator, a stiff limit cycle, p = (s, q, w)";
  static constexpr const char* source =
      "Field, Noyes, J. Chem. Phys. 60 (1974) 1877-1884; Hairer, Wanner, Solving ODEs II, IV.10";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 360;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return 1e-6 * rtol; }

  REVODE_HD constexpr auto y0() const { return vec<double, 3>{1, 2, 3}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 3>{77.27, 8.375e-6, 0.161}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 3>{1.0008148703185227, 1228.1785215498874, 132.05549428465043};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (y[1] + y[0] * (1 - p[1] * y[0] - y[1]));
    dy[1] = (y[2] - (1 + y[0]) * y[1]) / p[0];
    dy[2] = p[2] * (y[0] - y[2]);
  }
};

}  // namespace revode
