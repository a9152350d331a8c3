// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <revode/nn/dense_layer.hpp>

namespace revode::nn {

/// y = γ (x − mean x)/√(var x + ε) + β, mean and variance over the features of each sample.
/// parameters  weight (γ, begins at 1), bias (β, at 0): the arrays of torch.nn.LayerNorm
/// cost        two passes over the batch forwards, three in pull; no matrix product
/// source      Ba, Kiros & Hinton, arXiv:1607.06450 (2016), equation 3
struct layer_norm {
  index features = 0;
  double epsilon = 1e-5;

  index inputs() const { return features; }
  index outputs() const { return features; }
  index parameters() const { return 2 * features; }
  index kept() const { return features + 1; }  // (x − mean)/√…, then 1/√…
  index work() const { return 0; }

  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    leaves.push_back({path + "weight", features, 0, 1.0});
    leaves.push_back({path + "bias", features});
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W* p, columns_view<S> y, S* kept, bool) const {
    using std::sqrt;
    const S count = S(static_cast<double>(features));
    for (index j = 0; j < x.cols(); ++j) {
      S mean(0), square(0);
      for (index i = 0; i < features; ++i) mean += x(i, j);
      mean = mean / count;
      for (index i = 0; i < features; ++i) {
        const S off = x(i, j) - mean;
        square += off * off;
      }
      const S inverse = S(1) / sqrt(S(square / count + S(epsilon)));
      S* unit = kept + j * (features + 1);
      for (index i = 0; i < features; ++i) {
        unit[i] = (x(i, j) - mean) * inverse;
        y(i, j) = unit[i] * p[i] + p[features + i];
      }
      unit[features] = inverse;
    }
  }

  template <class S, class W>
  void pull(columns_view<const S>, const W* p, const S* kept, columns_view<S> gy, S* gx, S* gp,
            S*) const {
    for (index j = 0; j < gy.cols(); ++j) {
      const S* unit = kept + j * (features + 1);
      S* g = gy.data() + j * features;
      for (index i = 0; gp != nullptr && i < features; ++i) {
        gp[i] += g[i] * unit[i];
        gp[features + i] += g[i];
      }
      if (gx == nullptr) continue;
      for (index i = 0; i < features; ++i) g[i] = g[i] * p[i];
      project(unit, g, gx + j * features);
    }
  }

  template <class S, class W>
  void push(columns_view<const S>, const W* p, const S* kept, columns_view<const S> dx, const S* dp,
            columns_view<S> dy, S*) const {
    for (index j = 0; j < dx.cols(); ++j) {
      const S* unit = kept + j * (features + 1);
      S* out = dy.data() + j * features;
      project(unit, dx.data() + j * features, out);
      for (index i = 0; i < features; ++i) {
        out[i] = out[i] * p[i];
        if (dp != nullptr) out[i] += unit[i] * dp[i] + dp[features + i];
      }
    }
  }

 private:
  /// out = (g − mean g − unit mean(g unit))/√…: the derivative of unit in x, which is symmetric.
  template <class S>
  void project(const S* unit, const S* g, S* out) const {
    const S count = S(static_cast<double>(features));
    S mean(0), along(0);
    for (index i = 0; i < features; ++i) {
      mean += g[i];
      along += g[i] * unit[i];
    }
    mean = mean / count;
    along = along / count;
    for (index i = 0; i < features; ++i) out[i] = (g[i] - mean - unit[i] * along) * unit[features];
  }
};

}  // namespace revode::nn
