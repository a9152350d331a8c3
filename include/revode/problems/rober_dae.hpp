// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/problems/rober.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Robertson's reaction with the sum of its species in place of the third rate, M y' = f of index
/// 1, M = diag(1, 1, 0), p = (k1, k2, k3):
///   y1' = −k1 y1 + k3 y2 y3, y2' = k1 y1 − k3 y2 y3 − k2 y2², 0 = y1 + y2 + y3 − 1.
struct rober_dae {
  static constexpr const char* name = "rober_dae";
  static constexpr const char* summary =
      "Robertson's stiff reaction with its sum as an equation, p = (k1, k2, k3)";
  static constexpr const char* source =
      "Robertson, in Walsh (ed.), Numerical Analysis (1966) 178-182; span of Hairer, Wanner, "
      "Solving ODEs II, IV.10";
  static constexpr bool autonomous = true;
  static constexpr double t0 = rober::t0, t1 = rober::t1;
  static constexpr int digits = rober::digits;
  static constexpr double atol(double rtol) { return rober::atol(rtol); }

  REVODE_HD constexpr auto y0() const { return rober{}.y0(); }
  REVODE_HD constexpr auto parameters() const { return rober{}.parameters(); }
  REVODE_HD constexpr auto reference() const { return rober{}.reference(); }

  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = 1, m(1, 1) = 1;
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto slow = p[0] * y[0];
    const auto back = p[2] * (y[1] * y[2]);
    const auto fast = p[1] * (y[1] * y[1]);
    dy[0] = back - slow;
    dy[1] = slow - back - fast;
    dy[2] = y[0] + y[1] + y[2] - 1;
  }
};

}  // namespace revode
