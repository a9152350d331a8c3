// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <revode/ad/recording/recording.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/leaves.hpp>

namespace revode {

/// How a leaf of type Z (a number, a vec, a std::vector, an Eigen matrix) takes part in a
/// recording over its scalar. The order of things is
///   r.clear(); open or link every input, shape every result; body(…);
///   r.begin_pull(); seed every result; r.pull(); collect every input.
///
///   type                       what a body sees in place of a const Z& or a Z&
///   open(r, value, bar, v)     v becomes an input with this value. Its cotangent is added to *bar:
///                              in place where the leaf is a matrix, else by collect. bar null: a
///                              constant, for which nothing is stored. Value and bar stay alive
///                              until the pull.
///   shape(r, like, v)          v gets the shape of like, before a body writes it as a result
///   seed(r, v, bar)            adds bar to the cotangent of v
///   collect(r, v, bar)         *bar += the cotangent of v, where it is not yet there
/// For operations that are a recording of their own (remat, inner loops):
///   read(v, value)             value = the value of v (value has its shape)
///   output(r, value, v)        v becomes the result of an operation; its value is copied
///   constant(value, v)         the same where there is no recording: v depends on nothing
///   add_cotangent(r, v, bar)   bar += the cotangent of v, a result that output() made
/// Specialised for Eigen's matrices by interop/eigen_recording.hpp.
template <class Z>
struct recorded;

/// What a scalar leaf may be: a number, or a dual (reverse over forward).
template <class T>
concept recordable = std::floating_point<T> || differentiable<T>;

/// The recording beside r, or r itself, that a leaf of type Z takes part in.
template <class Z, class T>
auto& recording_of_leaf(recording<T>& r) {
  if constexpr (requires { typename recorded<Z>::scalar; })
    return r.template over<typename recorded<Z>::scalar>();
  else
    return r;
}

template <recordable T>
struct recorded<T> {
  using scalar = T;
  using type = variable<T>;

  static void open(recording<T>& r, const T& value, const T* bar, type& v) {
    v = bar != nullptr ? r.input(value) : type(value);
  }
  static void shape(recording<T>&, const T&, type& v) { v = type(T(0)); }
  static void seed(recording<T>& r, const type& v, const T& bar) { r.seed(v, bar); }
  static void collect(const recording<T>& r, const type& v, T* bar) {
    if (bar != nullptr) add_cotangent(r, v, *bar);
  }
  static void read(const type& v, T& value) { value = v.value; }
  static void output(recording<T>& r, const T& value, type& v) { v = r.input(value); }
  static void constant(const T& value, type& v) { v = type(value); }
  static void add_cotangent(const recording<T>& r, const type& v, T& bar) {
    if (v.home != nullptr) bar = bar + r.adjoint(v.id);
  }
};

/// Whole numbers are what they are: no derivative, no part in any recording.
template <std::integral Z>
struct recorded<Z> {
  using type = Z;

  template <class R, class Bar>
  static void open(R&, Z value, const Bar*, Z& v) {
    v = value;
  }
  template <class R>
  static void shape(R&, Z like, Z& v) {
    v = like;
  }
  template <class R, class Bar>
  static void seed(R&, Z, const Bar&) {}
  template <class R, class Bar>
  static void collect(const R&, Z, Bar*) {}
  static void read(Z v, Z& value) { value = v; }
  template <class R>
  static void output(R&, Z value, Z& v) {
    v = value;
  }
  static void constant(Z value, Z& v) { v = value; }
  template <class R, class Bar>
  static void add_cotangent(const R&, Z, Bar&) {}
};

/// What is frozen is read as it is, *w. (A matrix becomes a constant of the recording, which
/// operations refer to: interop/eigen_recording.hpp.)
template <class Z>
struct recorded<frozen<Z>> {
  using type = frozen<Z>;

  template <class R, class Bar>
  static void open(R&, const frozen<Z>& value, const Bar*, type& v) {
    v = value;
  }
  template <class R>
  static void shape(R&, const frozen<Z>& like, type& v) {
    v = like;
  }
  template <class R, class Bar>
  static void seed(R&, const type&, const Bar&) {}
  template <class R, class Bar>
  static void collect(const R&, const type&, Bar*) {}
  static void read(const type& v, frozen<Z>& value) { value = v; }
  template <class R>
  static void output(R&, const frozen<Z>& value, type& v) {
    v = value;
  }
  static void constant(const frozen<Z>& value, type& v) { v = value; }
  template <class R, class Bar>
  static void add_cotangent(const R&, const type&, Bar&) {}
};

/// Numbers side by side: an input each. Nothing is allocated once v has the length of the leaf.
template <dense Z>
requires recordable<scalar_t<Z>>
struct recorded<Z> {
  using scalar = scalar_t<Z>;
  using type = rebind_t<Z, variable<scalar>>;

  static void open(recording<scalar>& r, const Z& value, const Z* bar, type& v) {
    fit(value, v);
    for (int i = 0, n = length(value); i < n; ++i)
      v.data()[i] = bar != nullptr ? r.input(value.data()[i]) : variable<scalar>(value.data()[i]);
  }
  static void shape(recording<scalar>&, const Z& like, type& v) {
    fit(like, v);
    for (int i = 0, n = length(like); i < n; ++i) v.data()[i] = variable<scalar>(scalar(0));
  }
  static void seed(recording<scalar>& r, const type& v, const Z& bar) {
    for (int i = 0, n = length(bar); i < n; ++i) r.seed(v.data()[i], bar.data()[i]);
  }
  static void collect(const recording<scalar>& r, const type& v, Z* bar) {
    if (bar != nullptr) add_cotangent(r, v, *bar);
  }
  static void read(const type& v, Z& value) {
    for (int i = 0, n = length(value); i < n; ++i) value.data()[i] = v.data()[i].value;
  }
  static void output(recording<scalar>& r, const Z& value, type& v) { open(r, value, &value, v); }
  static void constant(const Z& value, type& v) {
    fit(value, v);
    for (int i = 0, n = length(value); i < n; ++i) v.data()[i] = variable<scalar>(value.data()[i]);
  }
  static void add_cotangent(const recording<scalar>& r, const type& v, Z& bar) {
    for (int i = 0, n = length(bar); i < n; ++i)
      recorded<scalar>::add_cotangent(r, v.data()[i], bar.data()[i]);
  }

 private:
  static void fit(const Z& like, type& v) {
    if constexpr (requires { v.rows() == like.rows(); }) {
      if (v.rows() != like.rows() || v.cols() != like.cols())
        v = rebind_like<variable<scalar>>(like);
    } else {
      if (length(v) != length(like)) v = rebind_like<variable<scalar>>(like);
    }
  }
};

}  // namespace revode
