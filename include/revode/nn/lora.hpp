// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/nn/mlp.hpp>

namespace revode::nn {

/// A dense layer that was learned before, with an adapter of low rank that is learned in its place:
///   y = σ((W + s B A) x + b 1ᵀ),  W and b frozen: read where they lie, never copied
/// parameters  lora_a (rank × inputs, random), lora_b (outputs × rank, begins at 0)
/// cost        beside a frozen layer's products four thin ones; no array of W's size
/// source      Hu et al., LoRA, ICLR 2022, equation 3
/// errors      std::invalid_argument: other sizes than the layer has, a rank below 1
template <class T>
class lora_layer {
 public:
  /// `weights` are the parameters of `layer`; they have to outlive this and its copies.
  template <class Array>
  lora_layer(const dense_layer& layer, const Array& weights, index rank, double scale = 1)
      : layer_(layer),
        weights_(weights.data()),
        rank_(rank),
        scale_(scale) {
    if (static_cast<index>(weights.size()) != layer.parameters())
      throw std::invalid_argument(
          std::to_string(weights.size()) + " frozen weights (the layer has " +
          std::to_string(layer.parameters()) + " parameters) give as many?");
    if (rank < 1)
      throw std::invalid_argument("adapter of rank " + std::to_string(rank) +
                                  " (it could learn nothing) take a rank of 1 or more?");
  }

  template <class Array>
  lora_layer(const dense_layer&, const Array&&, index, double = 1) = delete;  // gone at once

  index inputs() const { return layer_.in; }
  index outputs() const { return layer_.out; }
  index parameters() const { return rank_ * (layer_.in + layer_.out); }
  index kept() const { return layer_.out + rank_; }  // σ', A x
  index work() const { return rank_; }
  static bool keeps_output() { return false; }

  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    leaves.push_back({path + "weight", layer_.out, layer_.in, 0, 0, true});
    leaves.push_back({path + "bias", layer_.out, 0, 0, 0, true});
    leaves.push_back(
        {path + "lora_a", rank_, layer_.in, 0, std::sqrt(3 / static_cast<double>(layer_.in))});
    leaves.push_back({path + "lora_b", layer_.out, rank_});
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W* p, columns_view<S> y, S* kept, bool) const {
    const index samples = x.cols();
    columns_view<S> low(kept + layer_.out * samples, rank_, samples);
    product<false>(a(p), x, low);
    product<false>(b(p), low, y);
    y *= S(scale_);
    product<true>(weight(), x, y);
    bias_and_activation(layer_.sigma, weights_ + layer_.out * layer_.in, y, kept);
  }

  template <class S, class W>
  void pull(columns_view<const S> x, const W* p, const S* kept, columns_view<S> gy, S* gx, S* gp,
            S* work) const {
    const index samples = x.cols();
    by_slopes(kept, gy);
    columns_view<const S> low(kept + layer_.out * samples, rank_, samples);
    columns_view<S> g_low(work, rank_, samples);
    if (gx != nullptr)
      product<false>(weight().transpose(), gy, columns_view<S>(gx, layer_.in, samples));
    gy *= S(scale_);
    product<false>(b(p).transpose(), gy, g_low);
    if (gp != nullptr) {
      product<true>(g_low, x.transpose(), rows_view<S>(gp, rank_, layer_.in));
      product<true>(gy, low.transpose(), rows_view<S>(gp + rank_ * layer_.in, layer_.out, rank_));
    }
    if (gx != nullptr)
      product<true>(a(p).transpose(), g_low, columns_view<S>(gx, layer_.in, samples));
  }

  template <class S, class W>
  void push(columns_view<const S> x, const W* p, const S* kept, columns_view<const S> dx,
            const S* dp, columns_view<S> dy, S* work) const {
    const index samples = x.cols();
    columns_view<const S> low(kept + layer_.out * samples, rank_, samples);
    columns_view<S> low_dot(work, rank_, samples);
    product<false>(a(p), dx, low_dot);
    if (dp != nullptr) product<true>(a(dp), x, low_dot);
    product<false>(b(p), low_dot, dy);
    if (dp != nullptr) product<true>(b(dp), low, dy);
    dy *= S(scale_);
    product<true>(weight(), dx, dy);
    by_slopes(kept, dy);
  }

 private:
  rows_view<const T> weight() const { return {weights_, layer_.out, layer_.in}; }
  template <class W>
  auto a(const W* p) const {
    return rows_view<const W>(p, rank_, layer_.in);
  }
  template <class W>
  auto b(const W* p) const {
    return rows_view<const W>(p + rank_ * layer_.in, layer_.out, rank_);
  }
  template <class S>
  void by_slopes(const S* slope, columns_view<S> g) const {
    if (layer_.sigma == activation::identity) return;
    for (index i = 0; i < g.size(); ++i) g.data()[i] *= slope[i];
  }

  dense_layer layer_;
  const T* weights_;
  index rank_;
  double scale_;
};
template <class Array>
lora_layer(const dense_layer&, const Array&, index, double = 1)
    -> lora_layer<std::remove_cvref_t<decltype(*std::declval<const Array&>().data())>>;

/// A network that was learned before, with an adapter of each of its layers that is learned in its place:
///   neural_field f(lora_mlp(network, weights, 2));        // beside neural_field(network) with p = weights
/// parameters  layers.0.lora_a, layers.0.lora_b, layers.1.lora_a, …
/// errors      std::invalid_argument: other weights than the network has, a rank below 1
template <class T>
class lora_mlp : public layer_stack<lora_layer<T>> {
 public:
  /// `weights` are the parameters of `network`; they have to outlive this and its copies.
  template <class Array>
  lora_mlp(const mlp& network, const Array& weights, index rank, double scale = 1)
      : layer_stack<lora_layer<T>>(layers_of(
            network, {weights.data(), static_cast<index>(weights.size())}, rank, scale)) {}
  template <class Array>
  lora_mlp(const mlp&, const Array&&, index, double = 1) = delete;  // gone at once

 private:
  static std::vector<lora_layer<T>> layers_of(const mlp& network, vector_view<const T> weights,
                                              index rank, double scale) {
    if (weights.size() != network.parameters())
      throw std::invalid_argument(
          std::to_string(weights.size()) + " frozen weights (the network has " +
          std::to_string(network.parameters()) + " parameters) give as many?");
    std::vector<lora_layer<T>> layers;
    index first = 0;
    for (const dense_layer& layer : network.layers()) {
      const vector_view<const T> of_layer(weights.data() + first, layer.parameters());
      layers.emplace_back(layer, of_layer, rank, scale);
      first += layer.parameters();
    }
    return layers;
  }
};
template <class Array>
lora_mlp(const mlp&, const Array&, index, double = 1)
    -> lora_mlp<std::remove_cvref_t<decltype(*std::declval<const Array&>().data())>>;

}  // namespace revode::nn
