// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <tuple>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen_recording.hpp>
#include <revode/state/cotangents.hpp>

// The loop bodies of the measurements: plain, for the recording, and with their own pulls.

namespace revode {

using matrix = Eigen::MatrixXf;

/// sum ← sum + x (y + z), z one big constant.
using sums_parameters = std::tuple<float, frozen<matrix>>;
inline constexpr auto sum_of_products = [](const auto& sum, const auto& y, const auto& p,
                                           auto& next, auto&) {
  const auto& [x, z] = p;
  next = sum.array() + x * (y + (*z).array());
};
struct sum_with_pull {
  void operator()(const matrix& sum, float y, const sums_parameters& p, matrix& next, auto&) const {
    sum_of_products(sum, y, p, next, next);
  }
  void pull(const matrix&, float y, const sums_parameters& p, const matrix& next_bar, const auto&,
            matrix& sum_bar, float& y_bar, cotangent_t<sums_parameters>& p_bar) const {
    const auto& [x, z] = p;
    sum_bar += next_bar;
    y_bar += x * next_bar.sum();
    std::get<0>(p_bar) += (next_bar.array() * (y + z->array())).sum();
  }
};

/// z ← x z.
inline constexpr auto product = [](const auto& z, const auto&, const auto& x, auto& next, auto&) {
  next.noalias() = x * z;
};
struct product_with_pull {
  void operator()(const matrix& z, auto, const matrix& x, matrix& next, auto&) const {
    next.noalias() = x * z;
  }
  void pull(const matrix& z, auto, const matrix& x, const matrix& next_bar, const auto&,
            matrix& z_bar, auto&, matrix& x_bar) const {
    x_bar.noalias() += next_bar * z.transpose();
    z_bar.noalias() += x.transpose() * next_bar;
  }
};

/// h ← tanh(h W + b), a batch of rows.
using layer = std::tuple<matrix, Eigen::RowVectorXf>;
inline constexpr auto recurrent = [](const auto& h, const auto&, const auto& p, auto& next, auto&) {
  const auto& [w, b] = p;
  next.noalias() = h * w;
  next = (next.rowwise() + b).array().tanh();
};
struct recurrent_with_pull {
  void operator()(const matrix& h, auto x, const layer& p, matrix& next, auto& out) const {
    recurrent(h, x, p, next, out);
  }
  void pull(const matrix& h, auto x, const layer& p, const matrix& next_bar, const auto& out,
            matrix& h_bar, auto&, layer& p_bar) const {
    matrix a(h.rows(), h.cols());
    recurrent(h, x, p, a, out);
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
  P p_bar = zero_cotangent(p);
  matrix bar = matrix::Ones(state.rows(), state.cols()), next_bar;
  for (; !stack.empty(); stack.pop_back()) {
    next_bar = bar;
    bar.setZero();
    body.pull(stack.back(), 0, p, next_bar, n, bar, n, p_bar);
  }
  return p_bar;
}

/// c ← tanh(p c + x), which is also the output.
struct filter {
  template <class C, class X, class P, class O>
  void operator()(const C& c, const X& x, const P& p, C& next, O& out) const {
    using std::tanh;
    next[0] = tanh(p[0] * c[0] + x[0]);
    out[0] = next[0];
  }
};

struct filter_with_pull : filter {
  template <class C, class X, class P, class O>
  void pull(const C& c, const X& x, const P& p, const C& next_bar, const O& out_bar, C& c_bar,
            X& x_bar, P& p_bar) const {
    const auto next = std::tanh(p[0] * c[0] + x[0]);
    const auto a = (next_bar[0] + out_bar[0]) * (1 - next * next);
    c_bar[0] += a * p[0];
    x_bar[0] += a;
    p_bar[0] += a * c[0];
  }
};

/// y' = Wᵀ tanh((W + B A) y) − y; W (hidden x states) is frozen, p holds A (rank x states), then B.
struct adapted_field {
  using vector = Eigen::VectorXf;
  const matrix* weight;
  Eigen::Index rank;

  template <class P>
  using view = Eigen::Map<std::conditional_t<std::is_const_v<P>, const matrix, matrix>>;
  template <class P>
  view<P> down(P& p) const {
    return {p.data(), rank, weight->cols()};
  }
  template <class P>
  view<P> up(P& p) const {
    return {p.data() + rank * weight->cols(), weight->rows(), rank};
  }

  vector activity(const vector& y, const vector& p) const {
    const vector low = down(p) * y;
    vector a = *weight * y;
    a.noalias() += up(p) * low;
    return a.array().tanh();
  }
  void operator()(float, const vector& y, const vector& p, vector& dy) const {
    dy.noalias() = weight->transpose() * activity(y, p);
    dy -= y;
  }
  void vjp(float, const vector& y, const vector& p, const vector& w, float&, vector& gy,
           vector& gp) const {
    vector a = activity(y, p);
    a = (*weight * w).array() * (1 - a.array().square());
    const vector low = down(p) * y, low_bar = up(p).transpose() * a;
    gy.noalias() += weight->transpose() * a;
    gy.noalias() += down(p).transpose() * low_bar;
    gy -= w;
    up(gp).noalias() += a * low.transpose();
    down(gp).noalias() += low_bar * y.transpose();
  }
};

}  // namespace revode
