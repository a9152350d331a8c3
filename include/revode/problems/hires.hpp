// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// High irradiance responses of photomorphogenesis: eight proteins, ten rates
///   p = (k1, k2, k3, k4, k5, k6, k+, k−, k*, o).
/// y7 + y8 is conserved. The answer feels the rounding of the rates in its 13th digit.
struct hires {
  static constexpr const char* name = "hires";
  static constexpr const char* summary =
      "high irradiance response of a plant, 8 proteins, p = ten rates";
  static constexpr const char* source =
      "Schafer, J. Math. Biol. 2 (1975) 41-56; Hairer, Wanner, Solving ODEs II, IV.10";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 321.8122;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return 1e-4 * rtol; }

  REVODE_HD constexpr auto y0() const { return vec<double, 8>{1, 0, 0, 0, 0, 0, 0, 0.0057}; }
  REVODE_HD constexpr auto parameters() const {
    return vec<double, 10>{1.71, 0.43, 8.32, 0.69, 0.035, 8.32, 280, 0.69, 0.69, 0.0007};
  }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 8>{0.00073713125733256678, 0.00014424857263161846, 5.8887297409675747e-05,
                          0.0011756513432831492,  0.0023863561988313295,  0.0062389682527427925,
                          0.0028499983951857681,  0.0028500016048142321};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto bound = p[6] * (y[5] * y[7]);
    dy[0] = p[1] * y[1] - p[0] * y[0] + p[5] * y[2] + p[9];
    dy[1] = p[0] * y[0] - (p[1] + p[2]) * y[1];
    dy[2] = p[1] * y[3] - (p[5] + p[0]) * y[2] + p[4] * y[4];
    dy[3] = p[2] * y[1] + p[0] * y[2] - (p[3] + p[1]) * y[3];
    dy[4] = p[1] * (y[5] + y[6]) - (p[0] + p[4]) * y[4];
    dy[5] = p[3] * y[3] + p[0] * y[4] - p[1] * y[5] + p[7] * y[6] - bound;
    dy[6] = bound - (p[1] + p[7] + p[8]) * y[6];
    dy[7] = (p[1] + p[7] + p[8]) * y[6] - bound;
  }
};

}  // namespace revode
