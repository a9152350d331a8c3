// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// y1' = y2, y2' = μ (1 - y1²) y2 - y1, p = (μ). Not stiff at the default μ = 1.
struct vdpol {
  static constexpr const char* name = "vdpol";
  static constexpr const char* summary = "Van der Pol's oscillator, p = (mu)";
  static constexpr const char* source =
      "van der Pol, Phil. Mag. 2 (1926) 978-992; span and start of class E2 of Hull et al. (1972)";
  static constexpr double t0 = 0, t1 = 20;
  static constexpr int digits = 16;

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{2, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 1>{1}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 2>{2.0081497621749486, -0.042508875273202147};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * ((1 - y[0] * y[0]) * y[1]) - y[0];
  }
};

}  // namespace revode
