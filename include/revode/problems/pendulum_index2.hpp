// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <revode/problems/pendulum_index1.hpp>

namespace revode {

/// The pendulum of pendulum_index1 by its velocities: the last row is 0 = x u + y v, of index 2. Its solution
/// and parameters are the same, and y0 is consistent for every p.
struct pendulum_index2 : pendulum_index1 {
  static constexpr const char* name = "pendulum_index2";
  static constexpr const char* summary =
      "a pendulum whose velocity is along its circle, index 2, p = (g, l)";

  static constexpr auto index() { return std::array{1, 1, 1, 1, 2}; }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    pendulum_index1::operator()(t, y, p, dy);
    dy[4] = y[0] * y[2] + y[1] * y[3];
  }
};

}  // namespace revode
