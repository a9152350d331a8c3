// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Van der Pol's oscillator in its own slow time, p = (ε): y1' = y2, y2' = ((1 − y1²) y2 − y1)/ε.
struct vdpol_stiff {
  static constexpr const char* name = "vdpol_stiff";
  static constexpr const char* summary = "Van der Pol's stiff oscillator, slow time, p = (epsilon)";
  static constexpr const char* source = "Hairer, Wanner, Solving ODEs II, IV.10 (VDPOL)";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 2;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return rtol; }

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{2, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 1>{1e-6}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 2>{1.7061677321704650, -0.89280970102481655};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / p[0];
  }
};

/// The same oscillator in its fast time, p = (μ): y1' = y2, y2' = μ (1 − y1²) y2 − y1, μ = 1000.
struct vdpol_fast {
  static constexpr const char* name = "vdpol_fast";
  static constexpr const char* summary = "Van der Pol's stiff oscillator, fast time, p = (mu)";
  static constexpr const char* source =
      "Mazzia, Magherini, Test Set for IVP Solvers, release 2.4 (2008), II-14";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 2000;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return rtol; }

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{2, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 1>{1000}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 2>{1.7061677321704650, -0.00089280970102481655};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * ((1 - y[0] * y[0]) * y[1]) - y[0];
  }
};

}  // namespace revode
