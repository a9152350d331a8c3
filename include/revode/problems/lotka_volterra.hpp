// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Prey x and predators y: x' = a x - b x y, y' = -c y + d x y, p = (a, b, c, d).
struct lotka_volterra {
  static constexpr const char* name = "lotka_volterra";
  static constexpr const char* summary = "predators and prey, p = (a, b, c, d)";
  static constexpr const char* source = "Lotka, Elements of Physical Biology (1925), ch. VIII";
  static constexpr double t0 = 0, t1 = 10;
  static constexpr int digits = 16;
  static constexpr const char* labels[] = {"x", "y"};

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{1, 1}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 4>{1.5, 1, 3, 1}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 2>{1.0263447675750893, 0.90969107813604162};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto meetings = y[0] * y[1];
    dy[0] = p[0] * y[0] - p[1] * meetings;
    dy[1] = p[3] * meetings - p[2] * y[1];
  }
};

}  // namespace revode
