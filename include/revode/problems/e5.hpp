// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// A chemical pyrolysis, p = (A, B, C, M):
///   y1' = −A y1 − B y1 y3, y2' = A y1 − M C y2 y3, y3' = y2' − y4', y4' = B y1 y3 − C y4.
/// Values span 25 orders of magnitude, so that rounding alone destroys y2 = y3 + y4; codes in
/// double keep 2 to 4 digits of y2 and y3. At t1 y1 has decayed below every double: it is 0, and so
/// is y4.
struct e5 {
  static constexpr const char* name = "e5";
  static constexpr const char* summary = "a chemical pyrolysis over 13 decades, p = (A, B, C, M)";
  static constexpr const char* source =
      "Enright, Hull, Lindberg, BIT 15 (1975) 10-48, E5, in the form of Hairer, Wanner, Solving "
      "ODEs II, IV.10";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 1e13;
  static constexpr int digits = 16;
  static constexpr double atol(double) { return 1.7e-24; }

  REVODE_HD constexpr auto y0() const { return vec<double, 4>{1.76e-3, 0, 0, 0}; }
  REVODE_HD constexpr auto parameters() const {
    return vec<double, 4>{7.89e-10, 1.1e7, 1.13e3, 1e6};
  }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 4>{0, 8.8612335212910842e-23, 8.8612335212910842e-23, 0};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto first = p[0] * y[0];
    const auto second = p[1] * (y[0] * y[2]);
    const auto third = p[3] * (p[2] * (y[1] * y[2]));
    const auto fourth = p[2] * y[3];
    dy[0] = -first - second;
    dy[1] = first - third;
    dy[2] = (first - third) - (second - fourth);
    dy[3] = second - fourth;
  }
};

}  // namespace revode
