// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>

#include <revode/loop/recorded_trees.hpp>

namespace revode {

/// No inputs, outputs or parameters over scalar T.
template <class T>
using no_values = vec<T, 0>;

/// A recording of one call f(inputs…, results…) over trees of leaves: the pull of functions that have
/// none of their own. Ins and Outs are tuples of trees; what a body sees of them depends on the
/// headers included, and is part of the type. T leads; leaves over another scalar are recorded beside
/// it. Memory: the recording, kept; no allocation after the
/// first call of the same shape.
template <class T, class Ins, class Outs, class Inputs = recorded_t<Ins>,
          class Results = recorded_t<Outs>>
class recorded_call {
 public:
  /// bars += (∂results/∂inputs)ᵀ result_bars, for tuples of references to trees; a bar that is a
  /// no_cotangent makes its input a constant. `like` has the shapes of the results.
  template <class F, class Values, class Like, class ResultBars, class Bars>
  void pull(const F& f, const Values& values, const Like& like, const ResultBars& result_bars,
            Bars&& bars) {
    recording_.clear();
    fit_sequences(values, inputs_);
    for_each_leaf([&](auto&... leaf) { open(leaf...); }, values, bars, inputs_);
    fit_sequences(like, results_);
    for_each_leaf([&](auto&... leaf) { shape(leaf...); }, like, results_);
    call(f);
    recording_.begin_pull();
    for_each_leaf([&](auto&... leaf) { seed(leaf...); }, like, result_bars, results_);
    recording_.pull();
    for_each_leaf([&](auto&... leaf) { collect(leaf...); }, values, bars, inputs_);
  }

 private:
  template <class F>
  void call(const F& f) {
    std::apply(
        [&](const auto&... in) { std::apply([&](auto&... out) { f(in..., out...); }, results_); },
        inputs_);
  }

  template <class Z, class B, class V>
  void open(const Z& value, B& bar, V& v) {
    if constexpr (is_frozen_v<Z>)
      open_frozen(recording_, value, v);
    else if constexpr (!recorded_leaf<Z>)
      v = value;
    else if constexpr (std::is_same_v<B, no_cotangent>)
      recorded<Z>::open(recording_of_leaf<Z>(recording_), value, static_cast<Z*>(nullptr), v);
    else
      recorded<Z>::open(recording_of_leaf<Z>(recording_), value, &bar, v);
  }
  template <class Z, class V>
  void shape(const Z& like, V& v) {
    if constexpr (is_frozen_v<Z>)
      open_frozen(recording_, like, v);
    else if constexpr (!recorded_leaf<Z>)
      v = like;
    else
      recorded<Z>::shape(recording_of_leaf<Z>(recording_), like, v);
  }
  template <class Z, class B, class V>
  void seed(const Z&, const B& bar, V& v) {
    if constexpr (!std::is_same_v<B, no_cotangent>)
      recorded<Z>::seed(recording_of_leaf<Z>(recording_), v, bar);
  }
  template <class Z, class B, class V>
  void collect(const Z&, B& bar, const V& v) {
    if constexpr (!std::is_same_v<B, no_cotangent>)
      recorded<Z>::collect(recording_of_leaf<Z>(recording_), v, &bar);
  }

  recording<T> recording_;
  Inputs inputs_{};
  Results results_{};
};

/// The function behind a body: what remat (remat.hpp) wraps, where there is nothing else to record.
template <class Body>
const Body& recorded_body(const Body& body) {
  return body;
}

/// The pull of one call of a loop body, body(carry, x, params, next, out):
///   carry_bar += (∂(next, out)/∂carry)ᵀ (next_bar, out_bar), and the same for x and params.
/// It is the body's own member
///   body.pull(carry, x, params, next_bar, out_bar, carry_bar, x_bar, params_bar)
/// where there is one, otherwise the reverse recording of one call: the body is then generic in
/// what it is called with. Leaves of float and of double keep their types side by side; where they
/// meet, a body casts as for plain numbers: cast<float>(t) * h, m.template cast<double>().
template <class Body, class C, class X, class P, class O>
class body_pull {
 public:
  template <class XBar>
  void operator()(const Body& body, const C& carry, const X& x, const P& params,
                  const cotangent_t<C>& next_bar, const O& out, const cotangent_t<O>& out_bar,
                  cotangent_t<C>& carry_bar, XBar& x_bar, cotangent_t<P>& params_bar) {
    if constexpr (has_own && std::is_same_v<XBar, cotangent_t<X>>) {
      body.pull(carry, x, params, next_bar, out_bar, carry_bar, x_bar, params_bar);
    } else if constexpr (has_own) {  // a series without cotangents
      shape_as(x, unwanted_);
      body.pull(carry, x, params, next_bar, out_bar, carry_bar, unwanted_, params_bar);
    } else {
      recorded_.pull(recorded_body(body), std::tie(carry, x, params), std::tie(carry, out),
                     std::tie(next_bar, out_bar), std::tie(carry_bar, x_bar, params_bar));
    }
  }

 private:
  static constexpr bool has_own =
      requires(const Body& body, const C& c, const X& x, const P& p, const cotangent_t<C>& c_bar,
               const cotangent_t<O>& o_bar, cotangent_t<C>& c_to, cotangent_t<X>& x_to,
               cotangent_t<P>& p_to) {
    body.pull(c, x, p, c_bar, o_bar, c_to, x_to, p_to);
  };

  struct nothing {};
  std::conditional_t<
      has_own, nothing,
      recorded_call<tree_scalar_t<C, P, X, O>, std::tuple<C, X, P>, std::tuple<C, O>>>
      recorded_{};
  std::conditional_t<has_own, cotangent_t<X>, nothing> unwanted_{};
};

}  // namespace revode
