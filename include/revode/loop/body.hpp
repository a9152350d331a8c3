// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/recording.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

/// No inputs, outputs or parameters over scalar T.
template <class T>
using no_values = vec<T, 0>;

/// The pull of one call of a loop body, body(carry, x, params, next, out):
///   carry_bar += (∂(next, out)/∂carry)ᵀ (next_bar, out_bar), and the same for x and params.
/// It is the body's own member
///   body.pull(carry, x, params, next_bar, out_bar, carry_bar, x_bar, params_bar)
/// where there is one, otherwise the reverse recording of one call: the body is then generic in
/// its scalar. Memory: one call's recording, kept; no allocation after the first.
template <class Body, class C, class X, class P, class O>
class body_pull {
 public:
  using scalar = scalar_t<C>;

  void operator()(const Body& body, const C& carry, const X& x, const P& params, const C& next_bar,
                  const O& out_bar, C& carry_bar, X& x_bar, P& params_bar) {
    if constexpr (requires {
                    body.pull(carry, x, params, next_bar, out_bar, carry_bar, x_bar, params_bar);
                  }) {
      body.pull(carry, x, params, next_bar, out_bar, carry_bar, x_bar, params_bar);
    } else {
      record(body, carry, x, params, out_bar);
      weights_.assign(next_bar.data(), next_bar.data() + length(next_bar));
      weights_.insert(weights_.end(), out_bar.data(), out_bar.data() + length(out_bar));
      recording_.pull(results_.data(), weights_.data(), static_cast<int>(results_.size()));
      int id = 0;
      id = collect(id, carry_bar);
      id = collect(id, x_bar);
      collect(id, params_bar);
    }
  }

 private:
  using variable_type = variable<scalar>;

  template <class Z>
  void input(const Z& values, rebind_t<Z, variable_type>& variables) {
    if (length(variables) != length(values)) variables = rebind_like<variable_type>(values);
    for (int i = 0, n = length(values); i < n; ++i)
      variables.data()[i] = recording_.input(values.data()[i]);
  }

  void record(const Body& body, const C& carry, const X& x, const P& params, const O& out) {
    recording_.clear();
    input(carry, carry_);
    input(x, x_);
    input(params, params_);
    if (length(next_) != length(carry)) next_ = rebind_like<variable_type>(carry);
    if (length(out_) != length(out)) out_ = rebind_like<variable_type>(out);
    body(carry_, x_, params_, next_, out_);
    results_.assign(next_.data(), next_.data() + length(next_));
    results_.insert(results_.end(), out_.data(), out_.data() + length(out_));
  }

  template <class Z>
  int collect(int id, Z& bar) {
    for (int i = 0, n = length(bar); i < n; ++i, ++id)
      bar.data()[i] = bar.data()[i] + recording_.adjoint(id);
    return id;
  }

  recording<scalar> recording_;
  rebind_t<C, variable_type> carry_{}, next_{};
  rebind_t<X, variable_type> x_{};
  rebind_t<P, variable_type> params_{};
  rebind_t<O, variable_type> out_{};
  std::vector<variable_type> results_;
  std::vector<scalar> weights_;
};

}  // namespace revode
