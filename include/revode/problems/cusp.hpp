// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Nerve cells on a ring: Zeeman's cusp and van der Pol's oscillator in each, and diffusion between
/// n of them, p = (1/ε, σ), state (x1, a1, b1, x2, …), D = σ n²:
///   x_i' = −(1/ε)(x_i³ + a_i x_i + b_i) + D Δx,  a_i' = b_i + 0.07 v_i + D Δa,
///   b_i' = (1 − a_i²) b_i − a_i − 0.4 x_i + 0.035 v_i + D Δb,
///   v_i = u_i/(u_i + 0.1), u_i = (x_i − 0.7)(x_i − 1.3).
struct cusp {
  static constexpr const char* name = "cusp";
  static constexpr const char* summary = "a ring of nerve cells, cusp:N cells, p = (1/eps, sigma)";
  static constexpr const char* source = "Hairer, Wanner, Solving ODEs II, IV.10 (CUSP)";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 1.1;
  static constexpr int digits = 13;
  static constexpr int default_size = 32, least_size = 3;
  static constexpr double atol(double rtol) { return rtol; }

  int n = default_size;

  auto y0() const -> std::vector<double> {
    std::vector<double> y;
    for (int i = 1; i <= n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n;
      y.push_back(0);
      y.push_back(-2 * std::cos(angle));
      y.push_back(2 * std::sin(angle));
    }
    return y;
  }
  constexpr auto parameters() const { return vec<double, 2>{1e4, 1.0 / 144}; }

  /// x, a and b of the cells 1, 11, 21, 32.
  auto reference_components() const -> std::vector<int> {
    return {0, 1, 2, 30, 31, 32, 60, 61, 62, 93, 94, 95};
  }
  auto reference() const -> std::vector<double> {
    if (n != default_size) return {};
    return {-1.3350382351733640, -0.14192066129997612, 2.1899998511227540,   0.11751358487561937,
            1.6075085634195019,  -0.19060474891475318, 1.6060223534300747,   -1.2692402973850741,
            -2.1040188592370562, -1.3522611073470517,  -0.55907064504636755, 1.7167457986140998};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using place = decltype(y.size());  // the container's own index
    const place size = y.size();
    const auto cells = size / 3;
    const auto d = p[1] * T(static_cast<double>(cells * cells));
    for (place i = 0; i < size; i += 3) {
      const place left = (i == 0 ? size : i) - 3, right = i + 3 == size ? 0 : i + 3;
      const auto x = y[i], a = y[i + 1], b = y[i + 2];
      const auto u = (x - T(0.7)) * (x - T(1.3));
      const auto v = u / (u + T(0.1));
      dy[i] = d * (y[left] - 2 * x + y[right]) - p[0] * (b + x * (a + x * x));
      dy[i + 1] = b + T(0.07) * v + d * (y[left + 1] - 2 * a + y[right + 1]);
      dy[i + 2] = (1 - a * a) * b - a - T(0.4) * x + T(0.035) * v +
                  d * (y[left + 2] - 2 * b + y[right + 2]);
    }
  }
};

}  // namespace revode
