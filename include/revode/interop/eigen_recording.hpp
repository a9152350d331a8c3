// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/array_calls.hpp>
#include <revode/ad/by_elements.hpp>
#include <revode/interop/eigen_recording/choices.hpp>
#include <revode/interop/eigen_recording/sparse_products.hpp>

// With this header, Eigen leaves of a recorded body are whole arrays: one node an operation. A body
// written as one writes Eigen, generic in its arguments, then works unchanged and its pull costs
// what a hand-written one costs. Over duals (matrices of dual<double, 1>) the pull's derivative part
// is a Hessian-vector product.

namespace revode {

/// A matrix is referred to, not copied, and its cotangent accumulates in place.
template <class Z>
struct recorded_matrix {
  using scalar = scalar_t<Z>;
  using type = matrix_variable<Z>;

  static void open(recording<scalar>& r, const Z& value, Z* bar, type& v) {
    if (bar != nullptr && (bar->rows() != value.rows() || bar->cols() != value.cols()))
      expect_same_shape("cotangent", *bar, value);
    const int id = r.arrays().refer(value.data(), static_cast<std::size_t>(value.size()),
                                    bar != nullptr ? bar->data() : nullptr);
    v = type(array_ref<scalar>(r, id), value.rows(), value.cols());
  }
  static void shape(recording<scalar>& r, const Z& like, type& v) {
    v.become_blank(r, like.rows(), like.cols());
  }
  /// A result is done with when it was seeded: its memory may be used for cotangents.
  static void seed(recording<scalar>& r, const type& v, const Z& bar) {
    expect_same_shape("cotangent", bar, v);
    const array_ref<scalar>& array = v.array_node();
    if (!array.is_set()) return;
    if (array.tracked()) {
      if (array.whole())
        r.arrays().seed(array.place().id, bar.data());
      else
        array.place().add(const_flat<scalar>(bar.data(), bar.size()));
    }
    v.forget();
  }
  static void collect(const recording<scalar>&, const type&, const Z*) {}

  /// A result that was not written yet reads as zeros.
  static void read(const type& v, Z& value) {
    if (v.array_node().is_set())
      value = v.values();
    else
      value.setZero(v.rows(), v.cols());
  }
  static void output(recording<scalar>& r, const Z& value, type& v) {
    const array_ref<scalar> array = make_array(r, value.size(), true);
    flat<scalar>(array.writable(), array.count()) = const_flat<scalar>(value.data(), value.size());
    v = type(array, value.rows(), value.cols());
  }
  /// v becomes a constant of no recording; its value is copied.
  static void constant(const Z& value, type& v) {
    v = type();
    v = value;
  }
  static void add_cotangent(recording<scalar>& r, const type& v, Z& bar) {
    const array_ref<scalar>& array = v.array_node();
    if (r.arrays().bar(array.place().id) == nullptr) return;
    bar += Eigen::Map<const Z>(array.bar(), v.rows(), v.cols());
    if (array.whole()) r.arrays().drop_bar(array.place().id);
  }
};

template <recordable T, int R, int C, int O, int MR, int MC>
struct recorded<Eigen::Matrix<T, R, C, O, MR, MC>>
    : recorded_matrix<Eigen::Matrix<T, R, C, O, MR, MC>> {};
template <recordable T, int R, int C, int O, int MR, int MC>
struct recorded<Eigen::Array<T, R, C, O, MR, MC>>
    : recorded_matrix<Eigen::Array<T, R, C, O, MR, MC>> {};

template <recordable T, int R, int C, int O, int MR, int MC>
inline constexpr bool recorded_whole_v<Eigen::Matrix<T, R, C, O, MR, MC>> = true;
template <recordable T, int R, int C, int O, int MR, int MC>
inline constexpr bool recorded_whole_v<Eigen::Array<T, R, C, O, MR, MC>> = true;

/// *w of a frozen matrix in a recorded body: a constant that operations refer to.
template <class Z>
class frozen_matrix {
 public:
  void open(recording<scalar_t<Z>>& r, const frozen<Z>& to) {
    to_ = to;
    recorded_matrix<Z>::open(r, *to, nullptr, leaf_);
  }
  const frozen<Z>& frozen_value() const { return to_; }
  const matrix_variable<Z>& operator*() const { return leaf_; }
  const matrix_variable<Z>* operator->() const { return &leaf_; }

 private:
  frozen<Z> to_;
  matrix_variable<Z> leaf_;
};

template <class Z>
struct recorded_frozen_matrix {
  using scalar = scalar_t<Z>;
  using type = frozen_matrix<Z>;

  template <class Bar>
  static void open(recording<scalar>& r, const frozen<Z>& value, const Bar*, type& v) {
    v.open(r, value);
  }
  static void shape(recording<scalar>& r, const frozen<Z>& like, type& v) { v.open(r, like); }
  template <class Bar>
  static void seed(recording<scalar>&, const type&, const Bar&) {}
  template <class Bar>
  static void collect(const recording<scalar>&, const type&, Bar*) {}
  static void read(const type& v, frozen<Z>& value) { value = v.frozen_value(); }
  static void output(recording<scalar>& r, const frozen<Z>& value, type& v) { shape(r, value, v); }
  template <class Bar>
  static void add_cotangent(const recording<scalar>&, const type&, Bar&) {}
};

template <recordable T, int R, int C, int O, int MR, int MC>
struct recorded<frozen<Eigen::Matrix<T, R, C, O, MR, MC>>>
    : recorded_frozen_matrix<Eigen::Matrix<T, R, C, O, MR, MC>> {};
template <recordable T, int R, int C, int O, int MR, int MC>
struct recorded<frozen<Eigen::Array<T, R, C, O, MR, MC>>>
    : recorded_frozen_matrix<Eigen::Array<T, R, C, O, MR, MC>> {};

}  // namespace revode
