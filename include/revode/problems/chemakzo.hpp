// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Chemical Akzo Nobel: two species react with carbon dioxide that flows in, M y' = f of index 1,
///   r1 = k1 y1⁴ √y2, r2 = k2 y3 y4, r3 = k2/K y1 y5, r4 = k3 y1 y4², r5 = k4 y6² √y2,
///   0 = Ks y1 y4 − y6 in the last row, M = diag(1, 1, 1, 1, 1, 0),
///   p = (k1, k2, k3, k4, K, klA, Ks, pCO2, H). The field needs y2 ≥ 0.
struct chemakzo {
  static constexpr const char* name = "chemakzo";
  static constexpr const char* summary =
      "Chemical Akzo Nobel, 5 equations and an equilibrium, p = nine constants of the process";
  static constexpr const char* source =
      "Stortelder, in Mazzia, Magherini, Test Set for IVP Solvers, release 2.4 (2008), Chemical "
      "Akzo Nobel problem";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 180;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr const char* labels[] = {"FLB", "CO2", "FLBT", "ZHU", "ZLA", "FLB.ZHU"};

  REVODE_HD constexpr auto y0() const {
    return vec<double, 6>{0.444, 0.00123, 0, 0.007, 0, 115.83 * (0.444 * 0.007)};
  }
  REVODE_HD constexpr auto parameters() const {
    return vec<double, 9>{18.7, 0.58, 0.09, 0.42, 34.4, 3.3, 115.83, 0.9, 737};
  }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 6>{0.11507949206617022,    0.0012038314715677151, 0.16115628874079742,
                          0.00036561564212492832, 0.017080108852644041,  0.0048735313103074554};
  }

  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 5; ++i) m(i, i) = 1;
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    const auto root = sqrt(y[1]), square = y[0] * y[0];
    const auto r1 = p[0] * (square * square * root), r2 = p[1] * (y[2] * y[3]);
    const auto r3 = p[1] / p[4] * (y[0] * y[4]), r4 = p[2] * (y[0] * (y[3] * y[3]));
    const auto r5 = p[3] * (y[5] * y[5] * root), inflow = p[5] * (p[7] / p[8] - y[1]);
    dy[0] = r2 - 2 * r1 - r3 - r4;
    dy[1] = inflow - r1 / 2 - r4 - r5 / 2;
    dy[2] = r1 - r2 + r3;
    dy[3] = r3 - r2 - 2 * r4;
    dy[4] = r2 - r3 + r5;
    dy[5] = p[6] * (y[0] * y[3]) - y[5];
  }
};

}  // namespace revode
