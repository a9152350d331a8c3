// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <revode/nn/activation.hpp>
#include <revode/nn/module/dual_products.hpp>
#include <revode/nn/parameters.hpp>

// What a module is, which dense_layer shows first. With x the input of a batch (samples as columns),
// p its part of the flat parameters, kept(): numbers a sample that its derivatives read, work(): those
// that a derivative needs for itself:
//   forward(x, p, y, kept, slopes)       y ← module(x); fills kept, and of it what only derivatives
//                                        read where slopes is true
//   pull(x, p, kept, gy, gx, gp, work)   gx ← Jᵀ gy (null: nobody asks), gp += … (null: frozen);
//                                        gy is used up
//   push(x, p, kept, dx, dp, dy, work)   dy ← J dx + J_p dp (null: p stands still)
// x, y and their derivatives are of a scalar S, which may be a dual; p of S or, where it is frozen, of
// a plain one. Nothing is allocated, but that Eigen takes memory of its own for products of more than
// 128 kB of packed matrices.

namespace revode::nn {

/// bytes of weights that a product of a batch reads: rows × cols.
template <class S>
void add_columns(const columns_view<S>& from, S* to) {
  for (index j = 0; j < from.cols(); ++j)
    for (index i = 0; i < from.rows(); ++i) to[i] += from(i, j);
}

/// y = σ(W x + b 1ᵀ)
/// parameters  weight (outputs × inputs, by rows), bias (outputs): the arrays of torch.nn.Linear
/// cost        one matrix product forwards, two in pull (one where parameters are frozen), two in push
struct dense_layer {
  index in = 0, out = 0;
  activation sigma = activation::tanh;

  index inputs() const { return in; }
  index outputs() const { return out; }
  index parameters() const { return out * (in + 1); }
  index kept() const { return sigma == activation::identity ? 0 : out; }  // σ', or y itself
  /// What is kept is y: then y may lie there.
  bool keeps_output() const { return slope_by_value(sigma); }
  index work() const { return 0; }

  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    const double spread = std::sqrt(6 / static_cast<double>(in + out));
    leaves.push_back({path + "weight", out, in, 0, spread});
    leaves.push_back({path + "bias", out});
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W* p, columns_view<S> y, S* kept, bool slopes) const {
    product<false>(rows_view<const W>(p, out, in), x, y);
    const bool keeps = slopes && this->kept() > 0;
    bias_and_activation(sigma, p + out * in, y, keeps && !keeps_output() ? kept : nullptr);
    if (keeps && keeps_output() && kept != y.data())
      for (index i = 0; i < y.size(); ++i) kept[i] = y.data()[i];
  }

  template <class S, class W>
  void pull(columns_view<const S> x, const W* p, const S* kept, columns_view<S> gy, S* gx, S* gp,
            S*) const {
    by_slopes(kept, gy);
    if (gp != nullptr) {
      product<true>(gy, x.transpose(), rows_view<S>(gp, out, in));
      add_columns(gy, gp + out * in);
    }
    if (gx != nullptr)
      product<false>(rows_view<const W>(p, out, in).transpose(), gy,
                     columns_view<S>(gx, in, x.cols()));
  }

  template <class S, class W>
  void push(columns_view<const S> x, const W* p, const S* kept, columns_view<const S> dx,
            const S* dp, columns_view<S> dy, S*) const {
    product<false>(rows_view<const W>(p, out, in), dx, dy);
    if (dp != nullptr) {
      product<true>(rows_view<const S>(dp, out, in), x, dy);
      dy.colwise() += vector_view<const S>(dp + out * in, out);
    }
    by_slopes(kept, dy);
  }

 private:
  template <class S>
  void by_slopes(const S* slope, columns_view<S> g) const {
    if (sigma == activation::identity) return;
    if (keeps_output()) return multiply_by_slope(sigma, slope, g.data(), g.size());
    for (index i = 0; i < g.size(); ++i) g.data()[i] *= slope[i];
  }
};

}  // namespace revode::nn
