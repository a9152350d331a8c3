// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// q' = v, v' = -ω² q, p = (ω); from (1, 0): q = cos ωt, v = -ω sin ωt.
struct harmonic {
  static constexpr const char* name = "harmonic";
  static constexpr const char* summary = "harmonic oscillator q'' = -omega^2 q, p = (omega)";
  static constexpr const char* source =
      "Hairer, Lubich, Wanner, Geometric Numerical Integration, I.1";
  static constexpr double t0 = 0, t1 = 10;
  static constexpr int digits = 16;
  static constexpr const char* labels[] = {"q", "v"};

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{1, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 1>{2}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 2>{0.40808206181339199, -1.8258905014552553};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -(p[0] * p[0] * y[0]);
  }
};

}  // namespace revode
