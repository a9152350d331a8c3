// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// The pendulum in the plane by its accelerations, with the multiplier λ of its rod, M y' = f of
/// index 1, state (x, y, u, v, λ), M = diag(1, 1, 1, 1, 0), p = (g, l), lengths in units of l:
///   x' = u, y' = v, u' = −λ x, v' = −λ y − g/l, 0 = u² + v² − λ (x² + y²) − y g/l.
/// From the horizontal at rest, so y0 is consistent for every p. With ω² = g/l and θ the angle from
/// below: sin(θ/2) = cd(ωt, k)/√2, k² = 1/2; x = sin θ, y = cd² − 1, u² + v² = −2ω² y, λ = −3ω² y.
/// x² + y² = 1 and x u + y v = 0 are invariants which a method does not keep to the last bit.
struct pendulum_index1 {
  static constexpr const char* name = "pendulum_index1";
  static constexpr const char* summary =
      "a pendulum with the multiplier of its rod, index 1, p = (g, l)";
  static constexpr const char* source =
      "Hairer, Wanner, Solving ODEs II, VII.1; Jacobi's elliptic functions";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 2;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr const char* labels[] = {"x", "y", "vx", "vy", "lambda"};

  REVODE_HD constexpr auto y0() const { return vec<double, 5>{1, 0, 0, 0, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 2>{9.81, 1}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 5>{0.79356619534332185, -0.60848393044379138, 2.1024378744361251,
                          2.7419353930105092, 17.907682072960781};
  }

  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 4; ++i) m(i, i) = 1;
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto pull = p[0] / p[1];
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -(y[4] * y[0]);
    dy[3] = -(y[4] * y[1]) - pull;
    dy[4] = y[2] * y[2] + y[3] * y[3] - y[4] * (y[0] * y[0] + y[1] * y[1]) - pull * y[1];
  }
};

}  // namespace revode
