// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace revode::wpd {

/// The Brusselator with diffusion on a graph: `width`² nodes at random in the unit square, numbered as they fell, an
/// edge between each two that are nearer than makes six neighbours on average:
///   uᵢ' = 1 + uᵢ² vᵢ − 4.4 uᵢ + α N Σ (uⱼ − uᵢ),  vᵢ' = 3.4 uᵢ − uᵢ² vᵢ + α N Σ (vⱼ − vᵢ),  α = 0.1
/// A sparse Jacobian without the order that a grid's numbering gives.
struct graph_brusselator {
  static constexpr const char* name = "brusselator_graph";
  static constexpr double t0 = 0, t1 = 11.5;
  static constexpr double atol(double rtol) { return rtol; }

  int width;
  struct shape {
    std::vector<double> x, y;
    std::vector<std::vector<int>> near;
  };
  std::shared_ptr<const shape> graph;

  explicit graph_brusselator(int width) : width(width), graph(made(width * width)) {}

  auto y0() const {
    const std::size_t n = graph->x.size();
    std::vector<double> y(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = 22 * graph->y[i] * std::pow(1 - graph->y[i], 1.5);
      y[n + i] = 27 * graph->x[i] * std::pow(1 - graph->x[i], 1.5);
    }
    return y;
  }
  auto parameters() const { return std::vector<double>{3.4, 1, 0.1}; }

  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const std::size_t n = graph->near.size();
    const auto *u = y.data(), *v = u + n;
    const auto strength = static_cast<double>(n) * p.data()[2];
    for (std::size_t i = 0; i < n; ++i) {
      auto du = 0.0 * u[i], dv = 0.0 * v[i];
      for (const int j : graph->near[i]) du = du + (u[j] - u[i]), dv = dv + (v[j] - v[i]);
      const auto cube = u[i] * u[i] * v[i], turned = p.data()[0] * u[i];
      dy.data()[i] = p.data()[1] + cube - turned - u[i] + strength * du;
      dy.data()[n + i] = turned - cube + strength * dv;
    }
  }

 private:
  static std::shared_ptr<const shape> made(int n) {
    auto s = std::make_shared<shape>();
    std::uint64_t state = 1;
    const auto next = [&] {  // Knuth's linear congruential generator
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<double>(state >> 11) * 0x1p-53;
    };
    for (int i = 0; i < n; ++i) s->x.push_back(next()), s->y.push_back(next());
    const double reach = 6 / (3.141592653589793 * n);
    s->near.resize(s->x.size());
    for (std::size_t i = 0; i < s->x.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double dx = s->x[i] - s->x[j], dy = s->y[i] - s->y[j];
        if (dx * dx + dy * dy > reach) continue;
        s->near[i].push_back(static_cast<int>(j)), s->near[j].push_back(static_cast<int>(i));
      }
    return s;
  }
};

}  // namespace revode::wpd
