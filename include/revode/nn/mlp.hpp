// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/nn/dense_layer.hpp>

namespace revode::nn {

/// Dense layers behind each other, of widths w₀ → w₁ → … : σ after each but the last.
///   mlp({2, 50, 2})          two layers, 50 units of tanh: 252 parameters
/// parameters  layers.0.weight, layers.0.bias, layers.1.weight …
/// errors      std::invalid_argument: fewer than two widths, a width below 1
class mlp {
 public:
  explicit mlp(const std::vector<index>& widths, activation sigma = activation::tanh) {
    if (widths.size() < 2)
      throw std::invalid_argument("mlp of " + std::to_string(widths.size()) +
                                  " widths (a layer leads from one to the next) give two or more?");
    for (const index w : widths)
      if (w < 1)
        throw std::invalid_argument("mlp with a layer of " + std::to_string(w) +
                                    " units (each has at least one) give widths of 1 or more?");
    for (std::size_t l = 0; l + 1 < widths.size(); ++l)
      layers_.push_back(
          {widths[l], widths[l + 1], l + 2 < widths.size() ? sigma : activation::identity});
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      parameters_ += layers_[l].parameters();
      if (l + 1 == layers_.size()) continue;
      kept_ += kept_of(layers_[l]);
      widest_ = std::max(widest_, layers_[l].out);
    }
  }

  index inputs() const { return layers_.front().in; }
  index outputs() const { return layers_.back().out; }
  index parameters() const { return parameters_; }
  index kept() const { return kept_; }
  index work() const { return 2 * widest_; }
  const std::vector<dense_layer>& layers() const { return layers_; }

  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    for (std::size_t l = 0; l < layers_.size(); ++l)
      layers_[l].add_leaves(path + "layers." + std::to_string(l) + ".", leaves);
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W* p, columns_view<S> y, S* kept, bool slopes) const {
    const index samples = x.cols();
    const S* from = x.data();
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const dense_layer& layer = layers_[l];
      S* to = l + 1 < layers_.size() ? kept + output_of(layer) * samples : y.data();
      layer.forward(columns_view<const S>(from, layer.in, samples), p,
                    columns_view<S>(to, layer.out, samples), kept, slopes);
      from = to;
      p += layer.parameters();
      kept += kept_of(layer) * samples;
    }
  }

  template <class S, class W>
  void pull(columns_view<const S> x, const W* p, const S* kept, columns_view<S> gy, S* gx, S* gp,
            S* work) const {
    const index samples = x.cols();
    S* g = gy.data();
    S* next = work;
    p += parameters_;
    if (gp != nullptr) gp += parameters_;
    kept += kept_ * samples;
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const dense_layer& layer = layers_[l];
      p -= layer.parameters();
      if (gp != nullptr) gp -= layer.parameters();
      const S* from = l > 0 ? kept - layer.in * samples : x.data();
      layer.pull(columns_view<const S>(from, layer.in, samples), p, kept,
                 columns_view<S>(g, layer.out, samples), l > 0 ? next : gx, gp, work);
      if (l > 0) kept -= kept_of(layers_[l - 1]) * samples;
      g = next;
      next = next == work ? work + widest_ * samples : work;
    }
  }

  template <class S, class W>
  void push(columns_view<const S> x, const W* p, const S* kept, columns_view<const S> dx,
            const S* dp, columns_view<S> dy, S* work) const {
    const index samples = x.cols();
    const S* from = x.data();
    const S* moves = dx.data();
    S* next = work;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const dense_layer& layer = layers_[l];
      S* to = l + 1 < layers_.size() ? next : dy.data();
      layer.push(columns_view<const S>(from, layer.in, samples), p, kept,
                 columns_view<const S>(moves, layer.in, samples), dp,
                 columns_view<S>(to, layer.out, samples), work);
      from = kept + output_of(layer) * samples;
      moves = to;
      next = next == work ? work + widest_ * samples : work;
      p += layer.parameters();
      if (dp != nullptr) dp += layer.parameters();
      kept += kept_of(layer) * samples;
    }
  }

 private:
  /// Numbers a sample that a layer has here, and where among them its output begins: behind its slopes, or
  /// at the start where that is all that it keeps.
  static index output_of(const dense_layer& layer) {
    return layer.keeps_output() ? 0 : layer.kept();
  }
  static index kept_of(const dense_layer& layer) { return output_of(layer) + layer.out; }

  std::vector<dense_layer> layers_;
  index parameters_ = 0, kept_ = 0, widest_ = 0;
};

}  // namespace revode::nn
