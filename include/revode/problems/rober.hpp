// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Robertson's reaction A → B, 2B → B + C, B + C → A + C, p = (k1, k2, k3):
///   y1' = −k1 y1 + k3 y2 y3, y2' = k1 y1 − k3 y2 y3 − k2 y2², y3' = k2 y2².
/// The sum stays 1, y2 is small and needs an atol of its own size.
struct rober {
  static constexpr const char* name = "rober";
  static constexpr const char* summary = "Robertson's stiff reaction, p = (k1, k2, k3)";
  static constexpr const char* source =
      "Robertson, in Walsh (ed.), Numerical Analysis (1966) 178-182; span of Hairer, Wanner, "
      "Solving ODEs II, IV.10";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 1e11;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return 1e-6 * rtol; }

  REVODE_HD constexpr auto y0() const { return vec<double, 3>{1, 0, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 3>{0.04, 3e7, 1e4}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 3>{2.0833401497012941e-08, 8.3333607703347832e-14, 0.99999997916651517};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto slow = p[0] * y[0];
    const auto back = p[2] * (y[1] * y[2]);
    const auto fast = p[1] * (y[1] * y[1]);
    dy[0] = back - slow;
    dy[1] = slow - back - fast;
    dy[2] = fast;
  }
};

}  // namespace revode
