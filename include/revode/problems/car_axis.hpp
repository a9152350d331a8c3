// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// The axis of a car on a bumpy road, M y' = f of index 3: state (xl, yl, xr, yr), the ends of the axis, their
/// velocities and two multipliers; p = (L, L0, r, ω, g). The left wheel stands still, the right one is at
/// (xb, yb), yb = r sin ωt, xb² + yb² = L²; each end hangs on a spring of length L0 over its wheel.
///   k ul' = (L0 − Ll) xl/Ll + λ1 xb + 2 λ2 (xl − xr),            k ur' = (L0 − Lr) (xr − xb)/Lr − 2 λ2 (xl − xr),
///   k vl' = (L0 − Ll) yl/Ll + λ1 yb + 2 λ2 (yl − yr) − k g,      k vr' = (L0 − Lr) (yr − yb)/Lr − 2 λ2 (yl − yr) − k g,
///   0 = xl xb + yl yb, 0 = (xl − xr)² + (yl − yr)² − L²,
/// M = diag(1, 1, 1, 1, k, k, k, k, 0, 0), k = 5·10⁻⁴. y0 is consistent for these p.
struct car_axis {
  static constexpr const char* name = "car_axis";
  static constexpr const char* summary =
      "the axis of a car on a bumpy road, index 3, p = (L, L0, r, omega, g)";
  static constexpr const char* source =
      "Schneider, in Mazzia, Magherini, Test Set for IVP Solvers, release 2.4 (2008), car axis "
      "problem";
  static constexpr double t0 = 0, t1 = 3, k = 5e-4;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr const char* labels[] = {"xl",  "yl",  "xr",  "yr",      "vxl",
                                           "vyl", "vxr", "vyr", "lambda1", "lambda2"};

  REVODE_HD constexpr auto y0() const {
    return vec<double, 10>{0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0, 0, 0};
  }
  REVODE_HD constexpr auto parameters() const { return vec<double, 5>{1, 0.5, 0.1, 10, 1}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 10>{0.049345578427524094,  0.49698946023000812,   1.0417425248854262,
                           0.37391102726536579,   -0.077058368403592092, 0.0074468665920684194,
                           0.017556815753541611,  0.77034104377959989,   -0.0047368865908533246,
                           -0.0011046803312595649};
  }
  static constexpr auto index() { return std::array{1, 1, 1, 1, 2, 2, 2, 2, 3, 3}; }

  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 4; ++i) m(i, i) = 1, m(4 + i, 4 + i) = k;
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    using std::sqrt;
    const auto yb = p[2] * sin(p[3] * t), xb = sqrt(p[0] * p[0] - yb * yb);
    const auto x = y[0] - y[2], z = y[1] - y[3];  // along the axis
    const auto right_x = y[2] - xb, right_y = y[3] - yb;
    const auto left = p[1] / sqrt(y[0] * y[0] + y[1] * y[1]) - 1;
    const auto right = p[1] / sqrt(right_x * right_x + right_y * right_y) - 1;
    const auto weight = T(k) * p[4];
    for (int i = 0; i < 4; ++i) dy[i] = y[4 + i];
    dy[4] = left * y[0] + y[8] * xb + 2 * (y[9] * x);
    dy[5] = left * y[1] + y[8] * yb + 2 * (y[9] * z) - weight;
    dy[6] = right * right_x - 2 * (y[9] * x);
    dy[7] = right * right_y - 2 * (y[9] * z) - weight;
    dy[8] = xb * y[0] + yb * y[1];
    dy[9] = x * x + z * z - p[0] * p[0];
  }
};

}  // namespace revode
