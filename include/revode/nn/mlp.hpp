// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/nn/dense_layer.hpp>

namespace revode::nn {

/// Layers behind each other, as many as a program decides when it runs: what mlp and lora_mlp are. A layer is a module
/// of which keeps_output() says whether its output is among what it keeps.
/// parameters  those of each, under layers.0., layers.1., …
template <class Layer>
class layer_stack {
 public:
  explicit layer_stack(std::vector<Layer> layers) : layers_(std::move(layers)) {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const bool last = l + 1 == layers_.size();
      parameters_ += layers_[l].parameters();
      kept_ += last ? layers_[l].kept() : kept_of(layers_[l]);
      if (!last) widest_ = std::max(widest_, layers_[l].outputs());
      of_layer_ = std::max(of_layer_, layers_[l].work());
    }
  }

  index inputs() const { return layers_.front().inputs(); }
  index outputs() const { return layers_.back().outputs(); }
  index parameters() const { return parameters_; }
  index kept() const { return kept_; }
  index work() const { return 2 * widest_ + of_layer_; }
  const std::vector<Layer>& layers() const { return layers_; }

  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    for (std::size_t l = 0; l < layers_.size(); ++l)
      layers_[l].add_leaves(path + "layers." + std::to_string(l) + ".", leaves);
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W* p, columns_view<S> y, S* kept, bool slopes) const {
    const index samples = x.cols();
    const S* from = x.data();
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Layer& layer = layers_[l];
      S* to = l + 1 < layers_.size() ? kept + output_of(layer) * samples : y.data();
      layer.forward(columns_view<const S>(from, layer.inputs(), samples), p,
                    columns_view<S>(to, layer.outputs(), samples), kept, slopes);
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
    S* const of_layer = work + 2 * widest_ * samples;
    kept += (kept_ - layers_.back().kept()) * samples;
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const Layer& layer = layers_[l];
      p -= layer.parameters();
      if (gp != nullptr) gp -= layer.parameters();
      const S* from = l > 0 ? kept - layer.inputs() * samples : x.data();
      layer.pull(columns_view<const S>(from, layer.inputs(), samples), p, kept,
                 columns_view<S>(g, layer.outputs(), samples), l > 0 ? next : gx, gp, of_layer);
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
      const Layer& layer = layers_[l];
      S* to = l + 1 < layers_.size() ? next : dy.data();
      layer.push(columns_view<const S>(from, layer.inputs(), samples), p, kept,
                 columns_view<const S>(moves, layer.inputs(), samples), dp,
                 columns_view<S>(to, layer.outputs(), samples), work + 2 * widest_ * samples);
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
  static index output_of(const Layer& layer) { return layer.keeps_output() ? 0 : layer.kept(); }
  static index kept_of(const Layer& layer) { return output_of(layer) + layer.outputs(); }

  std::vector<Layer> layers_;
  index parameters_ = 0, kept_ = 0, widest_ = 0, of_layer_ = 0;
};

/// Dense layers behind each other, of widths w₀ → w₁ → … : σ after each but the last.
///   mlp({2, 50, 2})          two layers, 50 units of tanh: 252 parameters
/// parameters  layers.0.weight, layers.0.bias, layers.1.weight …
/// errors      std::invalid_argument: fewer than two widths, a width below 1
class mlp : public layer_stack<dense_layer> {
 public:
  explicit mlp(const std::vector<index>& widths, activation sigma = activation::tanh)
      : layer_stack(layers_of(widths, sigma)) {}

 private:
  static std::vector<dense_layer> layers_of(const std::vector<index>& widths, activation sigma) {
    if (widths.size() < 2)
      throw std::invalid_argument("mlp of " + std::to_string(widths.size()) +
                                  " widths (a layer leads from one to the next) give two or more?");
    for (const index w : widths)
      if (w < 1)
        throw std::invalid_argument("mlp with a layer of " + std::to_string(w) +
                                    " units (each has at least one) give widths of 1 or more?");
    std::vector<dense_layer> layers;
    for (std::size_t l = 0; l + 1 < widths.size(); ++l)
      layers.push_back(
          {widths[l], widths[l + 1], l + 2 < widths.size() ? sigma : activation::identity});
    return layers;
  }
};

}  // namespace revode::nn
