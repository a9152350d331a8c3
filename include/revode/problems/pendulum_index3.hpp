// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <revode/problems/pendulum_index1.hpp>

namespace revode {

/// The pendulum of pendulum_index1 by its positions: the last row is 0 = x² + y² − 1, of index 3. Its solution
/// and parameters are the same, and y0 is consistent for every p.
struct pendulum_index3 : pendulum_index1 {
  static constexpr const char* name = "pendulum_index3";
  static constexpr const char* summary =
      "a pendulum whose bob is on its circle, index 3, p = (g, l)";

  static constexpr auto index() { return std::array{1, 1, 2, 2, 3}; }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    pendulum_index1::operator()(t, y, p, dy);
    dy[4] = y[0] * y[0] + y[1] * y[1] - 1;
  }
};

}  // namespace revode
