// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <tuple>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen_recording.hpp>
#include <revode/state/cotangents.hpp>

// What examples 06, 08 and 09 run, and bench/memory at full size: loop bodies written plainly, for the
// recording, and beside them the same with pulls of their own. All in float.

namespace bodies {

using matrix = Eigen::MatrixXf;
using vector = Eigen::VectorXf;

/// sum ← sum + x (y + z), z one big constant.
struct sum_of_products {
  using parameters = std::tuple<float, revode::frozen<matrix>>;  // x, z

  void operator()(const auto& sum, const auto& y, const auto& p, auto& next, auto&) const {
    const auto& [x, z] = p;
    next = sum.array() + x * (y + (*z).array());
  }
};
struct sum_of_products_with_pull : sum_of_products {
  void pull(const matrix&, float y, const parameters& p, const matrix& next_bar, const auto&,
            matrix& sum_bar, float& y_bar, revode::cotangent_t<parameters>& p_bar) const {
    const auto& [x, z] = p;
    sum_bar += next_bar;
    y_bar += x * revode::pairwise_sum(next_bar);
    std::get<0>(p_bar) += revode::pairwise_sum(next_bar.array() * (y + z->array()));
  }
};

/// z ← x z: every step adds to the same gradient of x.
struct chained_product {
  void operator()(const auto& z, const auto&, const auto& x, auto& next, auto&) const {
    next.noalias() = x * z;
  }
};
struct chained_product_with_pull : chained_product {
  void pull(const matrix& z, auto, const matrix& x, const matrix& next_bar, const auto&,
            matrix& z_bar, auto&, matrix& x_bar) const {
    x_bar.noalias() += next_bar * z.transpose();
    z_bar.noalias() += x.transpose() * next_bar;
  }
};

/// h ← tanh(h W + b), a batch of rows.
struct recurrent {
  using parameters = std::tuple<matrix, Eigen::RowVectorXf>;  // W, b

  void operator()(const auto& h, const auto&, const auto& p, auto& next, auto&) const {
    const auto& [w, b] = p;
    next.noalias() = h * w;
    next = (next.rowwise() + b).array().tanh();
  }
};
struct recurrent_with_pull : recurrent {
  void pull(const matrix& h, auto x, const parameters& p, const matrix& next_bar, const auto& out,
            matrix& h_bar, auto&, parameters& p_bar) const {
    matrix a(h.rows(), h.cols());
    (*this)(h, x, p, a, out);
    a = next_bar.array() * (1 - a.array().square());
    h_bar.noalias() += a * std::get<0>(p).transpose();
    std::get<0>(p_bar).noalias() += h.transpose() * a;
    std::get<1>(p_bar) += a.colwise().sum();
  }
};

/// The reverse pass as one writes it by hand: a stack of states, each freed when it has been used.
template <class Body, class P>
P by_hand(const Body& body, matrix state, const P& p, long n) {
  std::vector<matrix> stack;
  for (long i = 0; i < n; ++i) {
    stack.push_back(state);
    body(stack.back(), i, p, state, i);
  }
  P p_bar = revode::zero_cotangent(p);
  matrix bar = matrix::Ones(state.rows(), state.cols()), next_bar;
  for (; !stack.empty(); stack.pop_back()) {
    next_bar = bar;
    bar.setZero();
    body.pull(stack.back(), 0, p, next_bar, n, bar, n, p_bar);
  }
  return p_bar;
}

/// y' = Wᵀ tanh((W + B A) y) − y: W (hidden × states) is frozen, the parameters are A (rank × states)
/// and then B, column by column.
struct adapted_field {
  const matrix* w;
  Eigen::Index rank;

  template <class P>
  using view = Eigen::Map<std::conditional_t<std::is_const_v<P>, const matrix, matrix>>;
  template <class P>
  view<P> a(P& p) const {
    return {p.data(), rank, w->cols()};
  }
  template <class P>
  view<P> b(P& p) const {
    return {p.data() + rank * w->cols(), w->rows(), rank};
  }
  vector activity(const vector& y, const vector& p) const {
    const vector low = a(p) * y;
    vector active = *w * y;
    active.noalias() += b(p) * low;
    return active.array().tanh();
  }
  void operator()(float, const vector& y, const vector& p, vector& dy) const {
    dy.noalias() = w->transpose() * activity(y, p);
    dy -= y;
  }
  void vjp(float, const vector& y, const vector& p, const vector& s, float&, vector& gy,
           vector& gp) const {
    vector bar = activity(y, p);
    bar = (*w * s).array() * (1 - bar.array().square());
    const vector low = a(p) * y, low_bar = b(p).transpose() * bar;
    gy.noalias() += w->transpose() * bar;
    gy.noalias() += a(p).transpose() * low_bar;
    gy -= s;
    a(gp).noalias() += low_bar * y.transpose();
    b(gp).noalias() += bar * low.transpose();
  }
};

}  // namespace bodies
