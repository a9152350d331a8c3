// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/dual.hpp>
#include <revode/nn/activation.hpp>
#include <revode/nn/flow/probes.hpp>
#include <revode/state/vec.hpp>

namespace revode::nn {

/// What a flow carries beside x, a row each over the samples: the trace of the Jacobian J of a field f,
/// |f|², and the squared Frobenius norm of J.
enum flow_row { trace_row, energy_row, norm_row, flow_rows };

/// Σ_i a(i, j) b(i, j), from the first row to the last.
template <class A, class B>
auto column_product(const A& a, const B& b, index j) {
  auto sum = a(0, j) * b(0, j);
  for (index i = 1; i < a.rows(); ++i) sum = sum + a(i, j) * b(i, j);
  return sum;
}

template <class S>
struct probe_work {
  using moving = dual<S, 1>;
  template <class T>
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  matrix<S> v, g, f;
  matrix<moving> x2, w2, g2;
  Eigen::Matrix<moving, Eigen::Dynamic, 1> p2, gp2;
};

/// The rows of any field by products with vectors v, and their derivatives:
///   tr J = Σ vᵀ (Jᵀ v),  ‖J‖² = Σ |Jᵀ v|²
/// Whatever weighs the rows, ω tr J + κ ‖J‖² changes as the bilinear form vᵀ J z with z = ω v + 2 κ Jᵀ v
/// held fixed, and that is the derivative of Jᵀ v as x moves along z: one pull over duals a vector.
/// shapes  x, f: states × samples; rows: flow_rows × samples
/// cost    a value: a forward pass and count pulls where the field shares the pass (call_and_pull), count passes
///         more where it does not; a pull: count pulls over duals
template <class Field>
class probed_field {
 public:
  probed_field(const Field& f, const probe_vectors& v, bool energy, bool norm, bool trace)
      : f_(f),
        v_(v),
        energy_(energy),
        norm_(norm),
        probing_(norm || trace) {}

  template <class S, class X, class P, class Rows>
  void value(probe_work<S>& w, const S& t, const X& x, const P& p, X& f, Rows& rows) const {
    for (index j = 0; j < x.cols(); ++j) rows(trace_row, j) = rows(norm_row, j) = S(0);
    const auto add = [&](const auto& v, const auto& g) {
      for (index j = 0; j < x.cols(); ++j) {
        rows(trace_row, j) += column_product(g, v, j);
        rows(norm_row, j) += column_product(g, g, j);
      }
    };
    w.v.resize(x.rows(), x.cols());
    w.g.resize(x.rows(), x.cols());
    const auto next = [&](index k, auto& v) { v_.fill(k, v); };
    const index count = probing_ ? v_.count() : 0;
    if constexpr (requires { f_.call_and_pull(t, x, p, f, count, w.v, w.g, next, add); }) {
      f_.call_and_pull(t, x, p, f, count, w.v, w.g, next, add);
    } else {
      f_(t, x, p, f);
      for (index k = 0; k < count; ++k) {
        look(w, k, t, x, p);
        add(w.v, w.g);
      }
    }
    for (index j = 0; j < x.cols(); ++j) rows(energy_row, j) = column_product(f, f, j);
  }

  /// Adds the derivatives of Σ weights ∘ f + Σ of_rows ∘ rows. gp may be empty.
  template <class S, class X, class P, class Rows, class GP>
  void pull(probe_work<S>& w, const S& t, const X& x, const P& p, X& weights, const Rows& of_rows,
            S& gt, X& gx, GP& gp) const {
    if (energy_) {
      w.f.resize(x.rows(), x.cols());
      f_(t, x, p, w.f);
      for (index j = 0; j < x.cols(); ++j)
        for (index i = 0; i < x.rows(); ++i)
          weights(i, j) += of_rows(energy_row, j) * w.f(i, j) * S(2);
    }
    if (!probing_) return f_.vjp(t, x, p, weights, gt, gx, gp);
    using moving = dual<S, 1>;
    moving gt2(0);
    const auto parameters = static_cast<index>(gp.size());
    if (w.gp2.size() < parameters) w.gp2.resize(parameters);
    vector_view<moving> gp2(w.gp2.data(), parameters);
    for (index i = 0; i < parameters; ++i) gp2[i] = moving(0);
    still(w.g2, x.rows(), x.cols());
    w.x2.resize(x.rows(), x.cols());
    w.w2.resize(x.rows(), x.cols());
    for (index k = 0; k < v_.count(); ++k) {
      if (norm_)
        look(w, k, t, x, p);
      else
        only_vectors(w, k, x);
      for (index j = 0; j < x.cols(); ++j)
        for (index i = 0; i < x.rows(); ++i) {
          w.x2(i, j) = moving(x(i, j));
          w.x2(i, j).d[0] = of_rows(trace_row, j) * w.v(i, j);
          if (norm_) w.x2(i, j).d[0] += of_rows(norm_row, j) * w.g(i, j) * S(2);
          w.w2(i, j) = moving(w.v(i, j));
          if (k == 0) w.w2(i, j).d[0] = weights(i, j);  // what f itself weighs, in the same pull
        }
      f_.vjp(moving(t), w.x2, p, w.w2, gt2, w.g2, gp2);
    }
    gt += gt2.d[0];
    for (index i = 0; i < x.size(); ++i) gx.data()[i] += w.g2.data()[i].d[0];
    for (index i = 0; i < parameters; ++i) gp.data()[i] += gp2[i].d[0];
  }

  /// f_dot and rows_dot: how f and the rows move.
  template <class S, class X, class P, class Rows>
  void push(probe_work<S>& w, const S& t, const X& x, const P& p, const S& dt, const X& dx,
            const P& dp, X& f_dot, Rows& rows_dot) const {
    using moving = dual<S, 1>;
    const auto along = [](const S& value, const S& d) {
      moving m(value);
      m.d[0] = d;
      return m;
    };
    w.x2.resize(x.rows(), x.cols());
    w.w2.resize(x.rows(), x.cols());
    w.p2.resize(static_cast<index>(p.size()));
    for (index i = 0; i < x.size(); ++i) w.x2.data()[i] = along(x.data()[i], dx.data()[i]);
    for (index i = 0; i < w.p2.size(); ++i) w.p2[i] = along(S(p.data()[i]), S(dp.data()[i]));
    const moving t2 = along(t, dt);
    f_(t2, w.x2, w.p2, w.w2);
    for (index j = 0; j < x.cols(); ++j) {
      rows_dot(trace_row, j) = rows_dot(norm_row, j) = S(0);
      rows_dot(energy_row, j) = column_product(w.w2, w.w2, j).d[0];
      for (index i = 0; i < x.rows(); ++i) f_dot(i, j) = w.w2(i, j).d[0];
    }
    for (index k = 0; probing_ && k < v_.count(); ++k) {
      only_vectors(w, k, x);
      for (index i = 0; i < x.size(); ++i) w.w2.data()[i] = moving(w.v.data()[i]);
      still(w.g2, x.rows(), x.cols());
      moving gt2(0);
      vec<moving, 0> none{};
      f_.vjp(t2, w.x2, w.p2, w.w2, gt2, w.g2, none);
      for (index j = 0; j < x.cols(); ++j) {
        rows_dot(trace_row, j) += column_product(w.g2, w.w2, j).d[0];
        rows_dot(norm_row, j) += column_product(w.g2, w.g2, j).d[0];
      }
    }
  }

 private:
  template <class M>
  static void still(M& g, index rows, index cols) {
    g.resize(rows, cols);
    for (index i = 0; i < g.size(); ++i) g.data()[i] = typename M::Scalar(0);
  }
  template <class S, class X>
  void only_vectors(probe_work<S>& w, index k, const X& x) const {
    w.v.resize(x.rows(), x.cols());
    v_.fill(k, w.v);
  }
  /// w.v ← vectors number k, w.g ← Jᵀ v.
  template <class S, class X, class P>
  void look(probe_work<S>& w, index k, const S& t, const X& x, const P& p) const {
    only_vectors(w, k, x);
    still(w.g, x.rows(), x.cols());
    S gt(0);
    vec<S, 0> none{};
    f_.vjp(t, x, p, w.v, gt, w.g, none);
  }

  const Field& f_;
  const probe_vectors& v_;
  bool energy_, norm_, probing_;
};

}  // namespace revode::nn
