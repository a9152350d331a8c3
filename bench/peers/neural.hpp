// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode::peers {

/// A small neural differential equation, y' = W2 tanh(W1 y + b1) + b2 with 8 states and 64 hidden
/// units; p = (W1 [64][8], b1, W2 [8][64], b2), matrices by rows: 1,096 numbers.
/// Weights from splitmix64 (seed 1), uniform in ±½; biases zero.
/// source of the generator: Steele, Lea, Flood, OOPSLA (2014) 453-472
struct neural {
  static constexpr const char* name = "neural";
  static constexpr double t0 = 0, t1 = 5;
  static constexpr int n = 8, hidden = 64;
  static constexpr int b1 = n * hidden, w2 = b1 + hidden, b2 = w2 + n * hidden, size = b2 + n;

  auto y0() const {
    vec<double, n> y{};
    for (int i = 0; i < n; ++i) y[i] = 1 - 0.25 * i;
    return y;
  }
  auto parameters() const {
    vec<double, size> p{};
    std::uint64_t seed = 1;
    for (int i = 0; i < 2 * n * hidden; ++i) {
      seed += 0x9E3779B97F4A7C15u;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
      z ^= z >> 31;
      p[i < b1 ? i : i + hidden] = static_cast<double>(z >> 11) * 0x1p-53 - 0.5;
    }
    return p;
  }

  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::tanh;
    using place = decltype(p.size());  // the container's own index
    for (place i = 0; i < n; ++i) dy[i] = p[b2 + i];
    for (place k = 0; k < hidden; ++k) {
      auto sum = p[b1 + k] + p[n * k] * y[0];
      for (place i = 1; i < n; ++i) sum = sum + p[n * k + i] * y[i];
      const auto unit = tanh(sum);
      for (place i = 0; i < n; ++i) dy[i] = dy[i] + p[w2 + hidden * i + k] * unit;
    }
  }

  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    using std::tanh;
    using place = decltype(p.size());
    if (gp.size() > 0)
      for (place i = 0; i < n; ++i) gp[b2 + i] += w[i];
    for (place k = 0; k < hidden; ++k) {
      auto sum = p[b1 + k] + p[n * k] * y[0];
      for (place i = 1; i < n; ++i) sum = sum + p[n * k + i] * y[i];
      const auto unit = tanh(sum);
      auto bar = p[w2 + k] * w[0];
      for (place i = 1; i < n; ++i) bar = bar + p[w2 + hidden * i + k] * w[i];
      bar = bar * (1 - unit * unit);
      for (place i = 0; i < n; ++i) gy[i] += p[n * k + i] * bar;
      if (gp.size() == 0) continue;
      gp[b1 + k] += bar;
      for (place i = 0; i < n; ++i) {
        gp[n * k + i] += bar * y[i];
        gp[w2 + hidden * i + k] += unit * w[i];
      }
    }
  }
};

}  // namespace revode::peers
