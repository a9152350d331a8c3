// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "../wpd/graph.hpp"

namespace revode::large {

/// Heat on the unit square, zero at its sides, n × n inner points row by row, p = (κ):
///   y' = κ (n+1)² (Σ y_near − 4 y),  y(0) = sin πx sin πz + ½ sin 3πx sin 2πz.
/// The matrix is symmetric: push and pull are the field.
struct heat_2d {
  static constexpr const char* name = "heat_2d";
  static constexpr double t0 = 0, t1 = 0.1;

  int n;

  std::vector<double> y0() const {
    constexpr double pi = std::numbers::pi;
    std::vector<double> y;
    for (int j = 1; j <= n; ++j)
      for (int i = 1; i <= n; ++i) {
        const double x = static_cast<double>(i) / (n + 1), z = static_cast<double>(j) / (n + 1);
        y.push_back(std::sin(pi * x) * std::sin(pi * z) +
                    0.5 * std::sin(3 * pi * x) * std::sin(2 * pi * z));
      }
    return y;
  }
  std::vector<double> parameters() const { return {1}; }

  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto scale = p.data()[0] * (static_cast<double>(n + 1) * (n + 1));
    over_points(y, [&](std::size_t k, const auto& bend) { dy.data()[k] = scale * bend; });
  }
  template <class T, class Y, class P, class D, class DP>
  void jvp(const T& t, const Y& y, const P& p, const T&, const D& d, const DP& dp, D& out) const {
    (*this)(t, d, p, out);
    if (dp.size() == 0) return;
    const auto scale = dp.data()[0] * (static_cast<double>(n + 1) * (n + 1));
    over_points(y, [&](std::size_t k, const auto& bend) { out.data()[k] += scale * bend; });
  }
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    const double squared = static_cast<double>(n + 1) * (n + 1);
    double sum = 0;
    over_points(w, [&](std::size_t k, const auto& bend) {
      gy.data()[k] += p.data()[0] * squared * bend;
      sum += squared * bend * y.data()[k];
    });
    if (gp.size() > 0) gp.data()[0] += sum;
  }

 private:
  /// visit(k, Σ y_near − 4 y_k)
  template <class Y, class Visit>
  void over_points(const Y& of, const Visit& visit) const {
    const auto width = static_cast<std::size_t>(n), size = width * width;
    const auto* y = of.data();
    using number = std::remove_cvref_t<decltype(y[0])>;
    for (std::size_t row = 0; row < size; row += width)
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t k = row + i;
        const number left = i > 0 ? y[k - 1] : number(0);
        const number right = i + 1 < width ? y[k + 1] : number(0);
        const number low = row > 0 ? y[k - width] : number(0);
        const number high = row + width < size ? y[k + width] : number(0);
        visit(k, left + right + low + high - 4.0 * y[k]);
      }
  }
};

/// The Brusselator on a graph with its products written out: the graph's matrix is symmetric.
struct written_graph : wpd::graph_brusselator {
  using wpd::graph_brusselator::graph_brusselator;

  template <class T, class Y, class P, class D, class DP>
  void jvp(const T&, const Y& y, const P& p, const T&, const D& d, const DP& dp, D& out) const {
    const std::size_t n = graph->near.size();
    const auto *u = y.data(), *v = u + n, *du = d.data(), *dv = du + n;
    const double a = p.data()[0], nodes = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double cube = 2 * u[i] * v[i] * du[i] + u[i] * u[i] * dv[i];
      const double strength = nodes * p.data()[2];
      out.data()[i] = cube - (a + 1) * du[i] + strength * spread(du, i);
      out.data()[n + i] = a * du[i] - cube + strength * spread(dv, i);
      if (dp.size() == 0) continue;
      const double turned = dp.data()[0] * u[i], more = nodes * dp.data()[2];
      out.data()[i] += dp.data()[1] - turned + more * spread(u, i);
      out.data()[n + i] += turned + more * spread(v, i);
    }
  }
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    const std::size_t n = graph->near.size();
    const auto *u = y.data(), *v = u + n, *a = w.data(), *b = a + n;
    const double nodes = static_cast<double>(n), strength = nodes * p.data()[2];
    for (std::size_t i = 0; i < n; ++i) {
      const double across = a[i] - b[i];
      gy.data()[i] += (2 * u[i] * v[i] - p.data()[0]) * across - a[i] + strength * spread(a, i);
      gy.data()[n + i] += u[i] * u[i] * across + strength * spread(b, i);
      if (gp.size() == 0) continue;
      gp.data()[0] -= u[i] * across;
      gp.data()[1] += a[i];
      gp.data()[2] += nodes * (a[i] * spread(u, i) + b[i] * spread(v, i));
    }
  }

 private:
  double spread(const double* x, std::size_t i) const {
    double sum = 0;
    for (const int j : graph->near[i]) sum += x[j] - x[i];
    return sum;
  }
};

}  // namespace revode::large
