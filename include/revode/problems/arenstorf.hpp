// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// The restricted three-body problem in the rotating frame, state (x, y, x', y'), p = (μ), the
/// moon's share of the mass; earth at (-μ, 0), moon at (1 - μ, 0):
///   x'' = x + 2y' - (1-μ)(x+μ)/D1 - μ(x-1+μ)/D2,  y'' = y - 2x' - (1-μ) y/D1 - μ y/D2,
///   D1 = ((x+μ)² + y²)^{3/2}, D2 = ((x-1+μ)² + y²)^{3/2}.
/// A closed orbit, t1 its period; rounding the published start to doubles moves the end by 1e-11 in
/// x', so the reference is the end of the orbit from the doubles below, not the start itself.
struct arenstorf {
  static constexpr const char* name = "arenstorf";
  static constexpr const char* summary = "closed orbit of earth, moon and satellite, p = (mu)";
  static constexpr const char* source = "Hairer, Norsett, Wanner, Solving ODEs I, II.0";
  static constexpr double t0 = 0, t1 = 17.0652165601579625588917206249;
  static constexpr int digits = 16;
  static constexpr const char* labels[] = {"x", "y", "vx", "vy"};

  REVODE_HD constexpr auto y0() const {
    return vec<double, 4>{0.994, 0, 0, -2.00158510637908252240537862224};
  }
  REVODE_HD constexpr auto parameters() const { return vec<double, 1>{0.012277471}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 4>{0.99399999999997400, -8.8551346201210835e-14, -1.4388667357318094e-11,
                          -2.0015851063831290};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    const auto from_earth = y[0] + p[0];
    const auto from_moon = y[0] - (1 - p[0]);
    const auto height2 = y[1] * y[1];
    const auto r1 = from_earth * from_earth + height2;
    const auto r2 = from_moon * from_moon + height2;
    const auto pull1 = (1 - p[0]) / (r1 * sqrt(r1));
    const auto pull2 = p[0] / (r2 * sqrt(r2));
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = y[0] + 2 * y[3] - pull1 * from_earth - pull2 * from_moon;
    dy[3] = y[1] - 2 * y[2] - (pull1 + pull2) * y[1];
  }
};

}  // namespace revode
