// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Seven stars in the plane that pass close to each other, p = their masses (m_i = i):
///   x_i'' = Σ_{j≠i} m_j (x_j - x_i)/r_ij³,  y_i'' likewise,  r_ij² = (x_i - x_j)² + (y_i - y_j)²,
/// state (x1…x7, y1…y7, x1'…x7', y1'…y7').
struct pleiades {
  static constexpr const char* name = "pleiades";
  static constexpr const char* summary = "seven stars in the plane, p = their masses";
  static constexpr const char* source = "Hairer, Norsett, Wanner, Solving ODEs I, II.10";
  static constexpr double t0 = 0, t1 = 3;
  static constexpr int digits = 16;
  static constexpr const char* labels[] = {"x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
                                           "y1",  "y2",  "y3",  "y4",  "y5",  "y6",  "y7",
                                           "vx1", "vx2", "vx3", "vx4", "vx5", "vx6", "vx7",
                                           "vy1", "vy2", "vy3", "vy4", "vy5", "vy6", "vy7"};

  REVODE_HD constexpr auto y0() const {
    return vec<double, 28>{3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                           0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0};
  }
  REVODE_HD constexpr auto parameters() const { return vec<double, 7>{1, 2, 3, 4, 5, 6, 7}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 28>{
        0.37061391439705129,  3.2372840920572331,   -3.2225590324183233,  0.65970914557753084,
        0.34255817071565798,  1.5621721014006310,   -0.70030929222124954, -3.9434375855173921,
        -3.2713809739725499,  5.2250818434565442,   -2.5906124349774695,  1.1982136933922746,
        -0.24296823449358234, 1.0914492404289797,   3.4170038063143148,   1.3545845016255012,
        -2.5900655978107754,  2.0250537347142411,   -1.1558151001604491,  -0.80729881702230217,
        0.59523963542087188,  -3.7412449612340085,  0.37734596857506290,  0.93868588695510789,
        0.36679222272005699,  -0.34740463538084944, 2.3449154481809369,   -1.9470204342632919};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    using place = decltype(y.size());  // the container's own index
    for (place i = 0; i < 14; ++i) {
      dy[i] = y[14 + i];
      dy[14 + i] = T(0);
    }
    for (place i = 1; i < 7; ++i) {
      for (place j = 0; j < i; ++j) {
        const auto dx = y[j] - y[i];
        const auto dz = y[7 + j] - y[7 + i];
        const auto r2 = dx * dx + dz * dz;
        const auto g = 1 / (r2 * sqrt(r2));
        dy[14 + i] += p[j] * (g * dx);
        dy[21 + i] += p[j] * (g * dz);
        dy[14 + j] -= p[i] * (g * dx);
        dy[21 + j] -= p[i] * (g * dz);
      }
    }
  }

  /// With s = (m_j w_i - m_i w_j) per pair, the force s·(dx, dz) g pulls back to
  /// g s - 3 g (s·d) d / r² on the distance d, and to g d·w on the masses.
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  REVODE_HD void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    using std::sqrt;
    using place = decltype(y.size());  // the container's own index
    for (place i = 0; i < 14; ++i) gy[14 + i] += w[i];
    for (place i = 1; i < 7; ++i) {
      for (place j = 0; j < i; ++j) {
        const auto dx = y[j] - y[i];
        const auto dz = y[7 + j] - y[7 + i];
        const auto r2 = dx * dx + dz * dz;
        const auto g = 1 / (r2 * sqrt(r2));
        const auto sx = p[j] * w[14 + i] - p[i] * w[14 + j];
        const auto sz = p[j] * w[21 + i] - p[i] * w[21 + j];
        const auto along = 3 * (sx * dx + sz * dz) / r2;
        const auto bar_x = g * (sx - along * dx);
        const auto bar_z = g * (sz - along * dz);
        gy[j] += bar_x;
        gy[i] -= bar_x;
        gy[7 + j] += bar_z;
        gy[7 + i] -= bar_z;
        if (gp.size() > 0) {
          gp[j] += g * (dx * w[14 + i] + dz * w[21 + i]);
          gp[i] -= g * (dx * w[14 + j] + dz * w[21 + j]);
        }
      }
    }
  }
};

}  // namespace revode
