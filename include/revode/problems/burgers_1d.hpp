// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Burgers' equation u_t + (u²/2)_x = ν u_xx on [0, 1], u = 0 at both ends, by central differences
/// in conservation form on n inner points x_i = i/(n+1), p = (ν):
///   y_i' = ν (n+1)² (y_{i-1} - 2y_i + y_{i+1}) - (n+1)/4 (y_{i+1}² - y_{i-1}²),
///   y_i(0) = sin 2πx_i + ½ sin πx_i.
/// Reference for n = 100 only, at every tenth point.
struct burgers_1d {
  static constexpr const char* name = "burgers_1d";
  static constexpr const char* summary = "Burgers' equation, burgers_1d:N, N grid points, p = (nu)";
  static constexpr const char* source =
      "Burgers, Adv. Appl. Mech. 1 (1948) 171-199; start of Huang, Ren, Russell, "
      "J. Comput. Phys. 113 (1994) 279-290";
  static constexpr double t0 = 0, t1 = 1;
  static constexpr int digits = 15;
  static constexpr int default_size = 100, least_size = 1;

  int n = default_size;

  auto y0() const -> std::vector<double> {
    constexpr double pi = std::numbers::pi;
    std::vector<double> y;
    for (int i = 1; i <= n; ++i) {
      const double x = static_cast<double>(i) / (n + 1);
      y.push_back(std::sin(2 * pi * x) + 0.5 * std::sin(pi * x));
    }
    return y;
  }
  constexpr auto parameters() const { return vec<double, 1>{0.01}; }

  auto reference_components() const -> std::vector<int> {
    return {9, 19, 29, 39, 49, 59, 69, 79, 89, 99};
  }
  auto reference() const -> std::vector<double> {
    if (n != default_size) return {};
    return {0.087425901053178404, 0.17480005210849405,   0.26206844512250003, 0.34917224844174406,
            0.43604445072314789,  0.52259830542625489,   0.60813438617496434, 0.64441507418597896,
            0.067219319615200170, -0.0064859270207688122};
  }

  /// ν u_xx, for implicit steps, and −(u²/2)_x.
  template <class T, class Y, class P>
  REVODE_HD void implicit_part(const T&, const Y& y, const P& p, Y& dy) const {
    using place = decltype(y.size());
    const place size = y.size();
    const auto diffusion = p[0] * T((size + 1) * (size + 1));
    for (place i = 0; i < size; ++i) {
      const T left = i > 0 ? y[i - 1] : T(0);
      const T right = i + 1 < size ? y[i + 1] : T(0);
      dy[i] = diffusion * (left - 2 * y[i] + right);
    }
  }
  template <class T, class Y, class P>
  REVODE_HD void explicit_part(const T&, const Y& y, const P&, Y& dy) const {
    using place = decltype(y.size());
    const place size = y.size();
    const T quarter = T(size + 1) / 4;
    for (place i = 0; i < size; ++i) {
      const T left = i > 0 ? y[i - 1] : T(0);
      const T right = i + 1 < size ? y[i + 1] : T(0);
      dy[i] = -quarter * ((right - left) * (right + left));
    }
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using place = decltype(y.size());  // the container's own index
    const place size = y.size();
    const auto diffusion = p[0] * T((size + 1) * (size + 1));
    const T quarter = T(size + 1) / 4;
    for (place i = 0; i < size; ++i) {
      const T left = i > 0 ? y[i - 1] : T(0);
      const T right = i + 1 < size ? y[i + 1] : T(0);
      dy[i] = diffusion * (left - 2 * y[i] + right) - quarter * ((right - left) * (right + left));
    }
  }

  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  REVODE_HD void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    using place = decltype(y.size());
    const place size = y.size();
    const T cells = T((size + 1) * (size + 1)), half = T(size + 1) / 2;
    T bend_weighted(0);
    for (place i = 0; i < size; ++i) {
      const T left = i > 0 ? w[i - 1] : T(0);
      const T right = i + 1 < size ? w[i + 1] : T(0);
      const T bend = cells * (left - 2 * w[i] + right);
      gy[i] += p[0] * bend + half * y[i] * (right - left);
      bend_weighted += bend * y[i];
    }
    if (gp.size() > 0) gp[0] += bend_weighted;
  }
};

}  // namespace revode
