// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// x' = σ (y - x), y' = ρ x - y - x z, z' = x y - β z, p = (σ, ρ, β).
/// Chaotic: neighbours part like e^{0.9 t}.
struct lorenz {
  static constexpr const char* name = "lorenz";
  static constexpr const char* summary = "the Lorenz attractor, p = (sigma, rho, beta)";
  static constexpr const char* source = "Lorenz, J. Atmos. Sci. 20 (1963) 130-141";
  static constexpr double t0 = 0, t1 = 10;
  static constexpr int digits = 16;
  static constexpr const char* labels[] = {"x", "y", "z"};

  REVODE_HD constexpr auto y0() const { return vec<double, 3>{1, 0, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 3>{10, 28, 8.0 / 3}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 3>{-5.8576853824240908, -5.8310824864260979, 23.932132987027569};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (y[1] - y[0]);
    dy[1] = y[0] * (p[1] - y[2]) - y[1];
    dy[2] = y[0] * y[1] - p[2] * y[2];
  }
};

}  // namespace revode
