// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Two bodies, relative motion in the plane: x'' = -μ x/r³, state (x, y, x', y'), p = (μ), from the
/// nearest point of the ellipse with semi-major axis 1 and eccentricity e (for μ = 1):
///   y0 = (1 - e, 0, 0, √((1 + e)/(1 - e))),  0 ≤ e < 1.
struct kepler {
  static constexpr const char* name = "kepler";
  static constexpr const char* summary = "two bodies, kepler:e with eccentricity e, p = (mu)";
  static constexpr const char* source =
      "Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637, class D (e = 0.1, 0.3, 0.5, 0.7, 0.9)";
  static constexpr double t0 = 0, t1 = 20;
  static constexpr int digits = 12;  // of the largest component, for e <= 0.9
  static constexpr const char* labels[] = {"x", "y", "vx", "vy"};

  double eccentricity = 0.5;

  REVODE_HD auto y0() const {
    using std::sqrt;
    const double e = eccentricity;
    return vec<double, 4>{1 - e, 0, 0, sqrt((1 + e) / (1 - e))};
  }
  REVODE_HD constexpr auto parameters() const { return vec<double, 1>{1}; }

  /// From Kepler's equation E - e sin E = t1, by Newton's method.
  REVODE_HD auto reference() const {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const double e = eccentricity, minor = sqrt((1 - e) * (1 + e));
    double anomaly = t1 + e * sin(t1);
    for (int i = 0; i < 50; ++i) {
      anomaly -= (anomaly - e * sin(anomaly) - t1) / (1 - e * cos(anomaly));
    }
    const double c = cos(anomaly), s = sin(anomaly), rate = 1 / (1 - e * c);
    return vec<double, 4>{c - e, minor * s, -s * rate, minor * c * rate};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    const auto r2 = y[0] * y[0] + y[1] * y[1];
    const auto pull = p[0] / (r2 * sqrt(r2));
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -(pull * y[0]);
    dy[3] = -(pull * y[1]);
  }
};

}  // namespace revode
