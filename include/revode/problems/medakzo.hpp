// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Antibodies that enter a tumour, n points of a line mapped to (0, 1], p = (k, c), state (u1, v1,
/// u2, v2, …), Δζ = 1/n, ζ_j = j Δζ:
///   u_j' = β_j (u_{j−1} − 2u_j + u_{j+1})/Δζ² + α_j (u_{j+1} − u_{j−1})/(2Δζ) − k u_j v_j,
///   v_j' = −k u_j v_j,  α_j = 2(ζ_j − 1)³/c², β_j = (ζ_j − 1)⁴/c²,
/// u_0 = 2 until t = 5, then 0; no diffusion at ζ = 1. The field jumps at t = 5: solve to it, then
/// on.
struct medakzo {
  static constexpr const char* name = "medakzo";
  static constexpr const char* summary =
      "antibodies entering a tumour, medakzo:N grid points, p = (k, c)";
  static constexpr const char* source =
      "Mazzia, Magherini, Test Set for IVP Solvers, release 2.4 (2008), II-8";
  static constexpr double t0 = 0, t1 = 20;
  static constexpr double jump = 5;
  static constexpr int digits = 12;
  static constexpr int default_size = 200, least_size = 2;
  static constexpr double atol(double rtol) { return rtol; }

  int n = default_size;

  auto y0() const {
    std::vector<double> y(2 * static_cast<std::size_t>(n));
    for (std::size_t i = 1; i < y.size(); i += 2) y[i] = 1;
    return y;
  }
  constexpr auto parameters() const { return vec<double, 2>{100, 4}; }

  /// u at the grid points 40, 75, 100 and 120, v at 100 and 120 (before that it has vanished).
  auto reference_components() const -> std::vector<int> { return {78, 148, 198, 199, 238, 239}; }
  auto reference() const -> std::vector<double> {
    if (n != default_size) return {};
    return {0.00023399422229567, 0.00035956160257792, 0.00011737412961635,
            6.1908220242814e-06, 6.8600948459223e-12, 0.99999973258551780};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using place = decltype(y.size());  // the container's own index
    const place size = y.size();
    const T points = static_cast<T>(static_cast<double>(size / 2));
    const T edge = static_cast<T>(value_of(t) <= jump ? 2.0 : 0.0);
    for (place i = 0; i < size; i += 2) {
      const auto u = y[i];
      const auto bound = p[0] * (u * y[i + 1]);
      dy[i + 1] = -bound;
      dy[i] = -bound;
      if (i + 2 == size) break;
      const T x = T(static_cast<double>(i / 2 + 1)) / points - 1;
      const auto scale = x * x * x / (p[1] * p[1]);
      const auto left = i == 0 ? u * 0 + edge : y[i - 2], right = y[i + 2];
      dy[i] = scale * x * points * points * (left - 2 * u + right) +
              scale * points * (right - left) - bound;
    }
  }
};

}  // namespace revode
