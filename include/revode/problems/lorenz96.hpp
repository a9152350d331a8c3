// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// y_i' = (y_{i+1} - y_{i-2}) y_{i-1} - y_i + F on a ring of n ≥ 4, p = (F). Chaotic at F = 8.
/// Starts at the unstable rest 8, with 8.008 in component ⌊n/2⌋ (counted from 1); six digits are
/// lost by t1. Reference for n = 40 only.
struct lorenz96 {
  static constexpr const char* name = "lorenz96";
  static constexpr const char* summary = "Lorenz's ring, lorenz96:N with N components, p = (F)";
  static constexpr const char* source =
      "Lorenz, Predictability, ECMWF (1996); Lorenz, Emanuel, J. Atmos. Sci. 55 (1998) 399-414";
  static constexpr double t0 = 0, t1 = 5;
  static constexpr int digits = 16;
  static constexpr int default_size = 40, least_size = 4;

  int n = default_size;

  auto y0() const {
    std::vector<double> y(static_cast<std::size_t>(n), 8.0);
    y[static_cast<std::size_t>(n / 2 - 1)] = 8.008;
    return y;
  }
  constexpr auto parameters() const { return vec<double, 1>{8}; }
  auto reference() const -> std::vector<double> {
    if (n != default_size) return {};
    return {1.7850184533244086,   6.2534860325910905,   4.5311422625587475,  3.1981145770786719,
            3.6944796253235373,   -3.0981010215182638,  1.0799971836490720,  -0.57409591460641982,
            5.1006079532347662,   8.3589436686383401,   0.57726537502871645, 5.4671141103095641,
            7.1729244573582043,   0.85839305043019504,  4.3373459525052195,  1.0403845851929055,
            -3.1719678434397902,  1.6788158608252101,   6.5394651905805606,  4.8101991543941421,
            -0.78641257867936315, -3.1243636151961468,  0.37353140998143372, 0.97618932569390530,
            4.5747355522362647,   3.2034333059809704,   -4.6927832715684502, 4.7960345656535156,
            0.70772066925603587,  4.2273424500137354,   7.9339212111567221,  0.91908121212264506,
            5.1270389919229497,   2.2414568393171789,   -2.2324594036360820, 2.6327748066163620,
            7.4752465492022796,   -0.88714356749959577, -5.3754094610715222, 0.85545734079218087};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using place = decltype(y.size());  // the container's own index
    const place size = y.size();
    place back2 = size - 2, back1 = size - 1;
    for (place i = 0; i < size; ++i) {
      const place next = i + 1 < size ? i + 1 : 0;
      dy[i] = (y[next] - y[back2]) * y[back1] - y[i] + p[0];
      back2 = back1, back1 = i;
    }
  }

  /// Component i feeds i-1 (as y_{i+1}), i+1 (as y_{i-1}), i+2 (as y_{i-2}) and itself.
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  REVODE_HD void vjp(const T&, const Y& y, const P&, const W& w, GT&, GY& gy, GP& gp) const {
    using place = decltype(y.size());
    const place size = y.size();
    place back2 = size - 2, back1 = size - 1;
    for (place i = 0; i < size; ++i) {
      const place next = i + 1 < size ? i + 1 : 0;
      const auto cotangent = w[i];
      gy[next] += cotangent * y[back1];
      gy[back2] -= cotangent * y[back1];
      gy[back1] += cotangent * (y[next] - y[back2]);
      gy[i] -= cotangent;
      if (gp.size() > 0) gp[0] += cotangent;
      back2 = back1, back1 = i;
    }
  }
};

}  // namespace revode
