// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// u' = A + u² v - (B + 1) u, v' = B u - u² v, p = (A, B). A limit cycle for B > A² + 1.
struct brusselator {
  static constexpr const char* name = "brusselator";
  static constexpr const char* summary = "chemical oscillator of two species, p = (A, B)";
  static constexpr const char* source = "Hairer, Norsett, Wanner, Solving ODEs I, I.16 and II.4";
  static constexpr double t0 = 0, t1 = 20;
  static constexpr int digits = 16;
  static constexpr const char* labels[] = {"u", "v"};

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{1.5, 3}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 2>{1, 3}; }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 2>{0.49863707126834785, 4.5967803494520112};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto cube = y[0] * y[0] * y[1];
    dy[0] = p[0] + cube - (p[1] + 1) * y[0];
    dy[1] = p[1] * y[0] - cube;
  }
};

}  // namespace revode
