// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Heat on [0, 1] held at zero at both ends, n inner points x_i = i/(n+1), p = (κ):
///   y_i' = κ (n+1)² (y_{i-1} - 2y_i + y_{i+1}),  y_i(0) = sin πx_i + ½ sin 3πx_i.
/// Each mode sin kπx decays with λ_k = -κ (2(n+1) sin(kπ/(2n+2)))²: a reference for every n.
struct heat_1d {
  static constexpr const char* name = "heat_1d";
  static constexpr const char* summary = "heat equation, heat_1d:N with N grid points, p = (kappa)";
  static constexpr const char* source =
      "Hundsdorfer, Verwer, Numerical Solution of "
      "Time-Dependent ADR Equations, I.3";
  static constexpr double t0 = 0, t1 = 0.1;
  static constexpr int digits = 13;
  static constexpr int default_size = 100, least_size = 1;

  int n = default_size;

  auto y0() const { return profile(0); }
  constexpr auto parameters() const { return vec<double, 1>{1}; }
  auto reference() const { return profile(t1); }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using place = decltype(y.size());  // the container's own index
    const place size = y.size();
    const auto conductance = p[0] * T((size + 1) * (size + 1));
    for (place i = 0; i < size; ++i) {
      const T left = i > 0 ? y[i - 1] : T(0);
      const T right = i + 1 < size ? y[i + 1] : T(0);
      dy[i] = conductance * (left - 2 * y[i] + right);
    }
  }

  /// The matrix is symmetric: the pull is the field applied to w.
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  REVODE_HD void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    using place = decltype(y.size());
    const place size = y.size();
    const T cells = T((size + 1) * (size + 1));
    T bend_weighted(0);
    for (place i = 0; i < size; ++i) {
      const T left = i > 0 ? w[i - 1] : T(0);
      const T right = i + 1 < size ? w[i + 1] : T(0);
      const T bend = cells * (left - 2 * w[i] + right);
      gy[i] += p[0] * bend;
      bend_weighted += bend * y[i];
    }
    if (gp.size() > 0) gp[0] += bend_weighted;
  }

 private:
  auto profile(double t) const -> std::vector<double> {
    constexpr double pi = std::numbers::pi;
    const double cells = n + 1;
    const auto amplitude = [&](int k) {
      const double frequency = 2 * cells * std::sin(k * pi / (2 * cells));
      return std::exp(-t * frequency * frequency);
    };
    const double first = amplitude(1), third = amplitude(3) / 2;
    std::vector<double> y;
    for (int i = 1; i <= n; ++i) {
      const double x = i / cells;
      y.push_back(first * std::sin(pi * x) + third * std::sin(3 * pi * x));
    }
    return y;
  }
};

}  // namespace revode
