// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// An electric circuit that mixes a signal of 1 kHz with one of 10 kHz in a ring of four diodes,
///   p = (C, Cs, Cp, R, Rp, Lh, Ls1, Ls2, Ls3, Rg1, Rg2, Rg3, Ri, Rc, γ, δ),
/// state: voltages U1 … U7, currents I1 … I8. A diode passes γ (e^{δU} − 1). The small Cs makes
/// fast oscillations. The reference is that of Rodas5P at rtol = atol = 1e-12 (685,018 steps);
/// dop853 at 1e-13 (19 million steps) differs by at most 5e-11 in every component.
struct ring_modulator {
  static constexpr const char* name = "ring_modulator";
  static constexpr const char* summary =
      "a ring of four diodes that mixes two signals, p = 16 constants of the circuit";
  static constexpr const char* source =
      "Horneber (1976), in Mazzia, Magherini, Test Set for IVP Solvers, release 2.4 (2008), II-3";
  static constexpr double t0 = 0, t1 = 1e-3;
  static constexpr int digits = 10;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr const char* labels[] = {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "I1",
                                           "I2", "I3", "I4", "I5", "I6", "I7", "I8"};

  REVODE_HD constexpr auto y0() const { return vec<double, 15>{}; }
  REVODE_HD constexpr auto parameters() const {
    return vec<double, 16>{1.6e-8, 2e-12, 1e-8, 25e3, 50, 4.45, 2e-3,           5e-4,
                           5e-4,   36.3,  17.3, 17.3, 50, 600,  40.67286402e-9, 17.7493332};
  }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 15>{-0.0233905735844,   -0.00736748548601, 0.258295671002,
                           -0.406446572055,    -0.403945566442,   0.260796676616,
                           0.110676186127,     2.93990434246e-07, -2.84002993307e-08,
                           0.00072671982673,   0.000792948719701, -0.000725528349575,
                           -0.000794140196856, 7.08849541687e-05, 2.39005907528e-05};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    using std::sin;
    const T slow = static_cast<T>(6283.185307179586477);  // 2π 1 kHz
    const T fast = static_cast<T>(62831.85307179586477), half = static_cast<T>(0.5);
    const auto signal = half * sin(slow * t), carrier = 2 * sin(fast * t);
    const auto passed = [&](const auto& u) { return p[14] * (exp(p[15] * u) - 1); };
    const auto q1 = passed(y[2] - y[4] - y[6] - carrier);
    const auto q2 = passed(y[5] - y[3] - y[6] - carrier);
    const auto q3 = passed(y[3] + y[4] + y[6] + carrier);
    const auto q4 = passed(y[6] - y[2] - y[5] + carrier);
    dy[0] = (y[7] - half * y[9] + half * y[10] + y[13] - y[0] / p[3]) / p[0];
    dy[1] = (y[8] - half * y[11] + half * y[12] + y[14] - y[1] / p[3]) / p[0];
    dy[2] = (y[9] - q1 + q4) / p[1];
    dy[3] = (q2 - q3 - y[10]) / p[1];
    dy[4] = (y[11] + q1 - q3) / p[1];
    dy[5] = (q4 - q2 - y[12]) / p[1];
    dy[6] = (q1 + q2 - q3 - q4 - y[6] / p[4]) / p[2];
    dy[7] = -(y[0] / p[5]);
    dy[8] = -(y[1] / p[5]);
    dy[9] = (half * y[0] - y[2] - p[10] * y[9]) / p[7];
    dy[10] = (y[3] - half * y[0] - p[11] * y[10]) / p[8];
    dy[11] = (half * y[1] - y[4] - p[10] * y[11]) / p[7];
    dy[12] = (y[5] - half * y[1] - p[11] * y[12]) / p[8];
    dy[13] = (signal - y[0] - (p[12] + p[9]) * y[13]) / p[6];
    dy[14] = -(y[1] + (p[13] + p[9]) * y[14]) / p[6];
  }
};

}  // namespace revode
