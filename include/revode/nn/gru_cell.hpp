// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <revode/nn/dense_layer.hpp>

namespace revode::nn {

/// A gated recurrent unit: from samples (x; h), observations above hidden units, the new hidden units
///   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr),   z likewise,
///   n = tanh(W_in x + b_in + r (W_hn h + b_hn)),  h' = (1 − z) n + z h
/// parameters  weight_ih (3 hidden × observed), weight_hh (3 hidden × hidden), bias_ih, bias_hh, each
///             the rows of r, z, n: the arrays of torch.nn.GRUCell
/// cost        two matrix products forwards, four in pull, four in push
/// source      Cho et al., EMNLP (2014) 1724–1734, with the reset gate behind W_hn as in cuDNN
struct gru_cell {
  index observed = 0, hidden = 0;

  index inputs() const { return observed + hidden; }
  index outputs() const { return hidden; }
  index parameters() const { return 3 * hidden * (observed + hidden + 2); }
  index kept() const {
    return 6 * hidden;
  }  // r, z, n by columns; then three parts of W_hh h + b_hh
  index work() const { return 6 * hidden; }

  void add_leaves(const std::string& path, std::vector<leaf>& leaves) const {
    const double spread = 1 / std::sqrt(static_cast<double>(hidden));
    if (observed > 0) leaves.push_back({path + "weight_ih", 3 * hidden, observed, 0, spread});
    leaves.push_back({path + "weight_hh", 3 * hidden, hidden, 0, spread});
    leaves.push_back({path + "bias_ih", 3 * hidden, 0, 0, spread});
    leaves.push_back({path + "bias_hh", 3 * hidden, 0, 0, spread});
  }

  template <class S, class W>
  void forward(columns_view<const S> x, const W* p, columns_view<S> y, S* kept, bool) const {
    const index samples = x.cols(), rows = 3 * hidden;
    columns_view<S> gates(kept, rows, samples), inner(kept + rows * samples, rows, samples);
    product<false>(of_x(p), x.topRows(observed), gates);
    product<false>(of_h(p), x.bottomRows(hidden), inner);
    bias_and_activation(activation::identity, biases(p), gates, static_cast<S*>(nullptr));
    bias_and_activation(activation::identity, biases(p) + rows, inner, static_cast<S*>(nullptr));
    for (index j = 0; j < samples; ++j) {
      S* gate = kept + j * rows;
      const S* in = inner.data() + j * rows;
      for (index i = 0; i < 2 * hidden; ++i) gate[i] += in[i];
      sigmoid_of_all(gate, 2 * hidden);
      S* n = gate + 2 * hidden;
      for (index i = 0; i < hidden; ++i) n[i] += gate[i] * in[2 * hidden + i];
      tanh_of_all(n, hidden);
      const S* z = gate + hidden;
      for (index i = 0; i < hidden; ++i) y(i, j) = (S(1) - z[i]) * n[i] + z[i] * x(observed + i, j);
    }
  }

  template <class S, class W>
  void pull(columns_view<const S> x, const W* p, const S* kept, columns_view<S> gy, S* gx, S* gp,
            S* work) const {
    const index samples = x.cols(), rows = 3 * hidden;
    columns_view<S> of_gates(work, rows, samples), of_inner(work + rows * samples, rows, samples);
    for (index j = 0; j < samples; ++j)
      for (index i = 0; i < hidden; ++i) {
        const S* gate = kept + j * rows + i;
        const S r = gate[0], z = gate[hidden], n = gate[2 * hidden], g = gy(i, j);
        const S last = kept[rows * samples + j * rows + 2 * hidden + i];
        const S n_bar = g * (S(1) - z) * (S(1) - n * n);
        of_gates(i, j) = of_inner(i, j) = n_bar * last * r * (S(1) - r);
        of_gates(hidden + i, j) = of_inner(hidden + i, j) =
            g * (x(observed + i, j) - n) * z * (S(1) - z);
        of_gates(2 * hidden + i, j) = n_bar;
        of_inner(2 * hidden + i, j) = n_bar * r;
        gy(i, j) = g * z;
      }
    if (gp != nullptr) {
      product<true>(of_gates, x.topRows(observed).transpose(), rows_view<S>(gp, rows, observed));
      product<true>(of_inner, x.bottomRows(hidden).transpose(),
                    rows_view<S>(gp + rows * observed, rows, hidden));
      S* bias = gp + rows * inputs();
      add_columns(of_gates, bias);
      add_columns(of_inner, bias + rows);
    }
    if (gx == nullptr) return;
    columns_view<S> back(gx, inputs(), samples);
    product<false>(of_x(p).transpose(), of_gates, back.topRows(observed));
    product<false>(of_h(p).transpose(), of_inner, back.bottomRows(hidden));
    back.bottomRows(hidden) += gy;
  }

  template <class S, class W>
  void push(columns_view<const S> x, const W* p, const S* kept, columns_view<const S> dx,
            const S* dp, columns_view<S> dy, S* work) const {
    const index samples = x.cols(), rows = 3 * hidden;
    columns_view<S> gates(work, rows, samples), inner(work + rows * samples, rows, samples);
    product<false>(of_x(p), dx.topRows(observed), gates);
    product<false>(of_h(p), dx.bottomRows(hidden), inner);
    if (dp != nullptr) {
      product<true>(of_x(dp), x.topRows(observed), gates);
      product<true>(of_h(dp), x.bottomRows(hidden), inner);
      gates.colwise() += vector_view<const S>(biases(dp), rows);
      inner.colwise() += vector_view<const S>(biases(dp) + rows, rows);
    }
    for (index j = 0; j < samples; ++j)
      for (index i = 0; i < hidden; ++i) {
        const S* gate = kept + j * rows + i;
        const S r = gate[0], z = gate[hidden], n = gate[2 * hidden];
        const S last = kept[rows * samples + j * rows + 2 * hidden + i];
        const S r_dot = (gates(i, j) + inner(i, j)) * r * (S(1) - r);
        const S z_dot = (gates(hidden + i, j) + inner(hidden + i, j)) * z * (S(1) - z);
        const S n_dot = (gates(2 * hidden + i, j) + r_dot * last + r * inner(2 * hidden + i, j)) *
                        (S(1) - n * n);
        dy(i, j) = (S(1) - z) * n_dot + z_dot * (x(observed + i, j) - n) + z * dx(observed + i, j);
      }
  }

 private:
  template <class W>
  auto of_x(const W* p) const {
    return rows_view<const W>(p, 3 * hidden, observed);
  }
  template <class W>
  auto of_h(const W* p) const {
    return rows_view<const W>(p + 3 * hidden * observed, 3 * hidden, hidden);
  }
  template <class W>
  const W* biases(const W* p) const {
    return p + 3 * hidden * inputs();
  }
};

}  // namespace revode::nn
