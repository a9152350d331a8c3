// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// y' = -λ y, p = (λ); y(t) = e^{-λt}.
struct decay {
  static constexpr const char* name = "decay";
  static constexpr const char* summary = "exponential decay, p = (lambda)";
  static constexpr const char* source =
      "Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637, class A1";
  static constexpr double t0 = 0, t1 = 5;
  static constexpr int digits = 16;

  REVODE_HD constexpr auto y0() const { return vec<double, 1>{1}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 1>{1}; }
  REVODE_HD constexpr auto reference() const { return vec<double, 1>{6.7379469990854671e-3}; }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -(p[0] * y[0]);
  }
};

}  // namespace revode
