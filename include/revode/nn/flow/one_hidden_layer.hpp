// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <revode/nn/flow/probed_field.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>

namespace revode::nn {

template <class S>
struct hidden_work {
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> x, a, h, slope, f, bar, input_bar;
  Eigen::Matrix<S, Eigen::Dynamic, 1> c, c_bar;
};

/// A network with one hidden layer as a field, f = W₂ σ(a) + b₂ with a = W₁ x + b₁ (x with t below it where
/// the time is an input), whose Jacobian is W₂ diag(σ'(a)) W₁, so that its trace is Σ_u c_u σ'(a_u) with
///   c_u = Σ_i W₂(i, u) W₁(u, i)   over the states i,
/// the same for every sample and time.
/// cost    a value: a forward pass and a product a unit; a pull: three passes. No vector is needed
class one_hidden_layer {
 public:
  explicit one_hidden_layer(const neural_field<mlp>& f)
      : states_(f.states()),
        in_(f.network().inputs()),
        units_(f.network().layers().front().out),
        sigma_(f.network().layers().front().sigma) {}

  static bool fits(const neural_field<mlp>& f) { return f.network().layers().size() == 2; }

  template <class S, class X, class P, class Rows>
  void value(hidden_work<S>& w, const S& t, const X& x, const P& p, X& f, Rows& rows) const {
    run(w, t, x, p);
    const auto W2 = second(p.data());
    product<false>(W2, w.h, f);
    f.colwise() += vector_view<const scalar_t<P>>(second_bias(p.data()), states_);
    for (index j = 0; j < x.cols(); ++j) {
      S trace = w.c[0] * w.slope(0, j);
      for (index u = 1; u < units_; ++u) trace = trace + w.c[u] * w.slope(u, j);
      rows(trace_row, j) = trace;
      rows(norm_row, j) = S(0);
      rows(energy_row, j) = column_product(f, f, j);
    }
  }

  /// Adds the derivatives of Σ weights ∘ f + Σ of_rows ∘ rows. gp may be empty.
  template <class S, class X, class P, class Rows, class GP>
  void pull(hidden_work<S>& w, const S& t, const X& x, const P& p, X& weights, const Rows& of_rows,
            S& gt, X& gx, GP& gp) const {
    run(w, t, x, p);
    const auto W2 = second(p.data());
    w.f.resize(states_, x.cols());
    product<false>(W2, w.h, w.f);  // which its energy needs
    for (index j = 0; j < x.cols(); ++j)
      for (index i = 0; i < states_; ++i)
        weights(i, j) += of_rows(energy_row, j) * S(2) * (w.f(i, j) + second_bias(p.data())[i]);
    if (gp.size() > 0) {
      product<true>(weights, w.h.transpose(),
                    rows_view<S>(gp.data() + units_ * (in_ + 1), states_, units_));
      for (index j = 0; j < x.cols(); ++j)
        for (index i = 0; i < states_; ++i)
          gp.data()[units_ * (in_ + 1) + states_ * units_ + i] += weights(i, j);
    }
    w.bar.resize(units_, x.cols());
    product<false>(W2.transpose(), weights, w.bar);
    w.c_bar.resize(units_);
    for (index u = 0; u < units_; ++u) w.c_bar[u] = S(0);
    for (index j = 0; j < x.cols(); ++j)
      for (index u = 0; u < units_; ++u) {
        const S slope = w.slope(u, j), of_trace = of_rows(trace_row, j);
        const S bend = curvature_of(sigma_, w.a(u, j), w.h(u, j), slope);
        w.bar(u, j) = w.bar(u, j) * slope + bend * w.c[u] * of_trace;
        w.c_bar[u] += slope * of_trace;
      }
    w.input_bar.resize(in_, x.cols());
    product<false>(first(p.data()).transpose(), w.bar, w.input_bar);
    for (index j = 0; j < x.cols(); ++j) {
      for (index i = 0; i < states_; ++i) gx(i, j) += w.input_bar(i, j);
      if (in_ > states_) gt += w.input_bar(states_, j);
    }
    if (gp.size() > 0) pull_first(w, p, gp);
  }

  template <class S, class X, class P, class Rows>
  void push(hidden_work<S>& w, const S& t, const X& x, const P& p, const S& dt, const X& dx,
            const P& dp, X& f_dot, Rows& rows_dot) const {
    run(w, t, x, p);
    w.input_bar.resize(in_, x.cols());
    take_input(w.input_bar, dt, dx);
    w.bar.resize(units_, x.cols());
    product<false>(first(p.data()), w.input_bar, w.bar);
    product<true>(first(dp.data()), w.x, w.bar);
    w.c_bar.resize(units_);
    for (index u = 0; u < units_; ++u) {
      w.c_bar[u] = S(0);
      for (index i = 0; i < states_; ++i)
        w.c_bar[u] += second(dp.data())(i, u) * first(p.data())(u, i) +
                      second(p.data())(i, u) * first(dp.data())(u, i);
    }
    for (index j = 0; j < x.cols(); ++j) {
      S trace(0);
      for (index u = 0; u < units_; ++u) {
        const S slope = w.slope(u, j), a_dot = w.bar(u, j) + dp.data()[units_ * in_ + u];
        trace +=
            curvature_of(sigma_, w.a(u, j), w.h(u, j), slope) * a_dot * w.c[u] + slope * w.c_bar[u];
        w.bar(u, j) = slope * a_dot;
      }
      rows_dot(trace_row, j) = trace;
      rows_dot(norm_row, j) = S(0);
    }
    product<false>(second(p.data()), w.bar, f_dot);
    product<true>(second(dp.data()), w.h, f_dot);
    f_dot.colwise() += vector_view<const scalar_t<P>>(second_bias(dp.data()), states_);
    w.f.resize(states_, x.cols());
    product<false>(second(p.data()), w.h, w.f);
    for (index j = 0; j < x.cols(); ++j) {
      rows_dot(energy_row, j) = S(0);
      for (index i = 0; i < states_; ++i)
        rows_dot(energy_row, j) += (w.f(i, j) + second_bias(p.data())[i]) * f_dot(i, j) * S(2);
    }
  }

 private:
  template <class W>
  rows_view<const W> first(const W* p) const {
    return {p, units_, in_};
  }
  template <class W>
  rows_view<const W> second(const W* p) const {
    return {p + units_ * (in_ + 1), states_, units_};
  }
  template <class W>
  const W* second_bias(const W* p) const {
    return p + units_ * (in_ + 1) + states_ * units_;
  }

  template <class To, class S, class X>
  void take_input(To& to, const S& t, const X& x) const {
    for (index j = 0; j < x.cols(); ++j) {
      for (index i = 0; i < states_; ++i) to(i, j) = x(i, j);
      if (in_ > states_) to(states_, j) = t;
    }
  }

  template <class S, class X, class P>
  void run(hidden_work<S>& w, const S& t, const X& x, const P& p) const {
    w.x.resize(in_, x.cols());
    take_input(w.x, t, x);
    w.a.resize(units_, x.cols());
    product<false>(first(p.data()), w.x, w.a);
    w.a.colwise() += vector_view<const scalar_t<P>>(p.data() + units_ * in_, units_);
    w.h = w.a;
    w.slope.resize(units_, x.cols());
    for (index i = 0; sigma_ == activation::identity && i < w.slope.size(); ++i)
      w.slope.data()[i] = S(1);
    bias_and_activation<S, S>(sigma_, nullptr, columns_view<S>(w.h.data(), units_, x.cols()),
                              w.slope.data());
    w.c.resize(units_);
    for (index u = 0; u < units_; ++u) {
      w.c[u] = S(0);
      for (index i = 0; i < states_; ++i) w.c[u] += second(p.data())(i, u) * first(p.data())(u, i);
    }
  }

  template <class S, class P, class GP>
  void pull_first(const hidden_work<S>& w, const P& p, GP& gp) const {
    rows_view<S> g1(gp.data(), units_, in_), g2(gp.data() + units_ * (in_ + 1), states_, units_);
    product<true>(w.bar, w.x.transpose(), g1);
    for (index j = 0; j < w.bar.cols(); ++j)
      for (index u = 0; u < units_; ++u) gp.data()[units_ * in_ + u] += w.bar(u, j);
    for (index u = 0; u < units_; ++u)
      for (index i = 0; i < states_; ++i) {
        g1(u, i) += w.c_bar[u] * second(p.data())(i, u);
        g2(i, u) += w.c_bar[u] * first(p.data())(u, i);
      }
  }

  index states_, in_, units_;
  activation sigma_;
};

/// Is there a closed form for the kind of field F?
template <class F>
inline constexpr bool may_have_one_hidden_layer = std::is_same_v<F, neural_field<mlp>>;

}  // namespace revode::nn
