// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// The Brusselator with diffusion on the unit torus, n × n cells, four parameters in each:
///   u' = b + u² v − (a + 1) u + α n² Δu + s,  v' = a u − u² v + β n² Δv,
/// Δu the sum of the four neighbours minus 4u; s = 5 in the disc (x − 0.3)² + (y − 0.6)² ≤ 0.01
/// once t > 1.1. State (u of all cells, v of all cells), p = (a, b, α, β of all cells), cells row
/// by row, the cell in row j and column i at x = (i + 1)/n, y = (j + 1)/n, i and j counted from 0;
/// it starts from u = 22 y₀ (1 − y₀)^{3/2}, v = 27 x₀ (1 − x₀)^{3/2}, x₀ = i/n, y₀ = j/n. The field
/// jumps at t = 1.1: solve to it, then on.
struct brusselator_2d {
  static constexpr const char* name = "brusselator_2d";
  static constexpr const char* summary =
      "Brusselator on a torus, brusselator_2d:N, N x N cells, p = (a, b, alpha, beta) of each";
  static constexpr const char* source =
      "Hairer, Wanner, Solving ODEs II, IV.10 (BRUSS-2D), here with alpha = 0.1 as in the book";
  static constexpr double t0 = 0, t1 = 11.5;
  static constexpr double jump = 1.1;
  static constexpr int digits = 14;
  static constexpr int default_size = 8, least_size = 2;
  static constexpr double atol(double rtol) { return rtol; }

  int n = default_size;

  auto y0() const {
    const auto width = static_cast<std::size_t>(n), cells = width * width;
    std::vector<double> y(2 * cells);
    for (std::size_t k = 0; k < cells; ++k) {
      const double x = static_cast<double>(k % width) / n, z = static_cast<double>(k / width) / n;
      y[k] = 22 * z * std::pow(1 - z, 1.5);
      y[cells + k] = 27 * x * std::pow(1 - x, 1.5);
    }
    return y;
  }
  auto parameters() const {
    const auto cells = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<double> p(4 * cells, 0.1);
    for (std::size_t k = 0; k < cells; ++k) p[k] = 3.4, p[cells + k] = 1;
    return p;
  }

  /// u and v of the cells 0, 21, 42, 63.
  auto reference_components() const -> std::vector<int> {
    return {0, 21, 42, 63, 64, 85, 106, 127};
  }
  auto reference() const -> std::vector<double> {
    if (n != default_size) return {};
    return {0.63827530793783926, 0.63084113225688340, 1.0983631269859366, 0.62252048343977340,
            4.8375718989040352,  4.8449541334761177,  4.4995853047705928, 4.8526154235143957};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    const auto width = static_cast<std::size_t>(n), cells = width * width;
    const auto* u = y.data();
    const auto* v = u + cells;
    const auto* q = p.data();
    const T squared = static_cast<T>(static_cast<double>(cells));
    const bool fed = value_of(t) > jump;
    for (std::size_t k = 0; k < cells; ++k) {
      const neighbours at(k, width);
      const auto cube = u[k] * u[k] * v[k];
      const auto turned = q[k] * u[k];
      auto du =
          q[cells + k] + cube - turned - u[k] + squared * (q[2 * cells + k] * at.difference(u, k));
      if (fed && in_disc(k, width)) du = du + 5;
      dy.data()[k] = du;
      dy.data()[cells + k] = turned - cube + squared * (q[3 * cells + k] * at.difference(v, k));
    }
  }

 private:
  struct neighbours {
    std::size_t left, right, low, high;
    REVODE_HD neighbours(std::size_t k, std::size_t width)
        : left(k % width == 0 ? k + width - 1 : k - 1),
          right(k % width == width - 1 ? k + 1 - width : k + 1),
          low(k < width ? k + width * (width - 1) : k - width),
          high(k + width >= width * width ? k + width - width * width : k + width) {}
    template <class S>
    REVODE_HD auto difference(const S* x, std::size_t k) const {
      return x[left] + x[right] + x[low] + x[high] - 4 * x[k];
    }
  };
  REVODE_HD static bool in_disc(std::size_t k, std::size_t width) {
    const double n = static_cast<double>(width);
    const double x = static_cast<double>(k % width + 1) / n - 0.3;
    const double z = static_cast<double>(k / width + 1) / n - 0.6;
    return x * x + z * z <= 0.01;
  }
};

}  // namespace revode
