// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// The Brusselator with diffusion on [0, 1], n inner points x_i = i/(n+1), p = (A, B, α), state
/// (u1, v1, u2, v2, …), so that the Jacobian has two bands on each side:
///   u_i' = A + u_i² v_i - (B+1) u_i + α (n+1)² (u_{i-1} - 2u_i + u_{i+1}),
///   v_i' = B u_i - u_i² v_i + α (n+1)² (v_{i-1} - 2v_i + v_{i+1}),
/// u = 1, v = 3 at both ends; u_i(0) = 1 + ½ sin 2πx_i, v_i(0) = 3. The amplitude ½ is that of the
/// programs and published digits; the book prints 1. Reference for n = 500 only, at five points.
struct brusselator_1d {
  static constexpr const char* name = "brusselator_1d";
  static constexpr const char* summary =
      "Brusselator with diffusion, brusselator_1d:N, N grid points, p = (A, B, alpha)";
  static constexpr const char* source = "Hairer, Wanner, Solving ODEs II, IV.1 and IV.10";
  static constexpr double t0 = 0, t1 = 10;
  static constexpr int digits = 15;
  static constexpr int default_size = 500, least_size = 1;

  int n = default_size;

  auto y0() const -> std::vector<double> {
    std::vector<double> y;
    for (int i = 1; i <= n; ++i) {
      const double x = static_cast<double>(i) / (n + 1);
      y.push_back(1 + 0.5 * std::sin(2 * std::numbers::pi * x));
      y.push_back(3);
    }
    return y;
  }
  constexpr auto parameters() const { return vec<double, 3>{1, 3, 1.0 / 50}; }

  /// u and v at the grid points 1, 125, 250, 375, 500.
  auto reference_components() const -> std::vector<int> {
    return {0, 1, 248, 249, 498, 499, 748, 749, 998, 999};
  }
  auto reference() const -> std::vector<double> {
    if (n != default_size) return {};
    return {0.99491970023176013, 3.0053489068149939, 0.53958235790017273, 3.4586572167744567,
            0.44268415266808020, 3.5266692395909045, 0.53830425745948085, 3.4734741260300162,
            0.99494436656732865, 3.0054979997475813};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using place = decltype(y.size());  // the container's own index
    const place size = y.size(), points = size / 2;
    const auto c = p[2] * T((points + 1) * (points + 1));
    for (place i = 0; i < size; i += 2) {
      const bool first = i == 0, last = i + 2 == size;
      const T u_left = first ? T(1) : y[i - 2], u_right = last ? T(1) : y[i + 2];
      const T v_left = first ? T(3) : y[i - 1], v_right = last ? T(3) : y[i + 3];
      const auto u = y[i], v = y[i + 1];
      const auto cube = u * u * v;
      dy[i] = p[0] + cube - (p[1] + 1) * u + c * (u_left - 2 * u + u_right);
      dy[i + 1] = p[1] * u - cube + c * (v_left - 2 * v + v_right);
    }
  }

  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  REVODE_HD void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    using place = decltype(y.size());
    const place size = y.size(), points = size / 2;
    const T cells = T((points + 1) * (points + 1)), c = p[2] * cells;
    T of_a(0), of_b(0), of_alpha(0);
    for (place i = 0; i < size; i += 2) {
      const bool first = i == 0, last = i + 2 == size;
      const T u_left = first ? T(0) : w[i - 2], u_right = last ? T(0) : w[i + 2];
      const T v_left = first ? T(0) : w[i - 1], v_right = last ? T(0) : w[i + 3];
      const auto u = y[i], v = y[i + 1], wu = w[i], wv = w[i + 1];
      const T bend_u = u_left - 2 * wu + u_right;
      const T bend_v = v_left - 2 * wv + v_right;
      gy[i] += 2 * u * v * (wu - wv) - wu + p[1] * (wv - wu) + c * bend_u;
      gy[i + 1] += u * u * (wu - wv) + c * bend_v;
      of_a += wu;
      of_b += u * (wv - wu);
      of_alpha += bend_u * u + bend_v * v;
      if (first) of_alpha += wu + 3 * wv;  // the fixed ends
      if (last) of_alpha += wu + 3 * wv;
    }
    if (gp.size() > 0) {
      gp[0] += of_a;
      gp[1] += of_b;
      gp[2] += cells * of_alpha;
    }
  }
};

}  // namespace revode
