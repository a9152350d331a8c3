// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <revode/interop/eigen_recording/array_ref.hpp>

namespace revode {

template <class Plain>
class matrix_variable;

/// The Eigen type of this shape; vectors have the only storage order that Eigen lets them have.
template <class T, int Rows, int Cols, bool RowMajor, bool IsArray>
struct plain_shape {
  static constexpr int order = Rows == 1 && Cols != 1   ? Eigen::RowMajor
                               : Cols == 1 && Rows != 1 ? Eigen::ColMajor
                               : RowMajor               ? Eigen::RowMajor
                                                        : Eigen::ColMajor;
  using type = std::conditional_t<IsArray, Eigen::Array<T, Rows, Cols, order>,
                                  Eigen::Matrix<T, Rows, Cols, order>>;
};
template <class T, int Rows, int Cols, bool RowMajor, bool IsArray>
using plain_shape_t = typename plain_shape<T, Rows, Cols, RowMajor, IsArray>::type;

template <class Plain>
inline constexpr bool is_array_shape_v = std::is_base_of_v<Eigen::ArrayBase<Plain>, Plain>;

/// The same elements as a matrix, as an array, or transposed in place.
template <class Plain>
using as_matrix_t = plain_shape_t<typename Plain::Scalar, Plain::RowsAtCompileTime,
                                  Plain::ColsAtCompileTime, Plain::IsRowMajor, false>;
template <class Plain>
using as_array_t = plain_shape_t<typename Plain::Scalar, Plain::RowsAtCompileTime,
                                 Plain::ColsAtCompileTime, Plain::IsRowMajor, true>;
template <class Plain>
using transposed_t =
    plain_shape_t<typename Plain::Scalar, Plain::ColsAtCompileTime, Plain::RowsAtCompileTime,
                  !Plain::IsRowMajor, is_array_shape_v<Plain>>;

/// The shape of f(A, B), element by element: A's, with sizes that only B fixes.
template <class A, class B>
using merged_t = plain_shape_t<
    typename A::Scalar,
    int(A::RowsAtCompileTime) != -1 ? int(A::RowsAtCompileTime) : int(B::RowsAtCompileTime),
    int(A::ColsAtCompileTime) != -1 ? int(A::ColsAtCompileTime) : int(B::ColsAtCompileTime),
    A::IsRowMajor, is_array_shape_v<A>>;

template <class A, class B>
using product_t =
    plain_shape_t<typename A::Scalar, A::RowsAtCompileTime, B::ColsAtCompileTime, false, false>;

// --- what may stand in a formula -------------------------------------------------------------------

/// A recorded matrix, vector or array, or a slice of one.
template <class X>
concept recorded_array = requires {
  typename std::remove_cvref_t<X>::variable_type;
};

template <class X>
using recorded_plain_t = typename std::remove_cvref_t<X>::variable_type::plain_type;

template <class X>
inline constexpr bool is_recorded_number_v = false;
template <class T>
inline constexpr bool is_recorded_number_v<variable<T>> = true;
/// A recorded number, or an element of a recorded matrix.
template <class X>
concept recorded_number_like = is_recorded_number_v<X> || requires {
  typename X::is_element_of_recorded_array;
};

/// A number that is not recorded, or a dual.
template <class X>
concept plain_number = std::is_arithmetic_v<X> ||(differentiable<X> && !recorded_number_like<X>);

template <class X>
concept number_like = plain_number<X> || recorded_number_like<X>;

/// An Eigen expression of numbers; sparse ones have products alone (sparse_products.hpp).
template <class X>
concept plain_formula = std::is_base_of_v<Eigen::EigenBase<X>, X> && requires {
  typename X::PlainObject;
} && plain_number<typename X::Scalar> && !std::is_integral_v<typename X::Scalar>;
template <class X>
concept plain_sparse = plain_formula<X> && std::is_same_v<typename X::StorageKind, Eigen::Sparse>;
template <class X>
concept plain_array = plain_formula<X> && !plain_sparse<X>;

template <class X>
inline constexpr bool has_array_kind = false;
template <recorded_array X>
inline constexpr bool has_array_kind<X> = is_array_shape_v<recorded_plain_t<X>>;
template <plain_array X>
inline constexpr bool has_array_kind<X> = std::is_base_of_v<Eigen::ArrayBase<X>, X>;

/// Views: their elements belong to somebody else, who keeps them until the pull.
template <class X>
inline constexpr bool is_view_v = false;
template <class P, int O, class S>
inline constexpr bool is_view_v<Eigen::Map<P, O, S>> = true;
template <class X>
inline constexpr bool is_view_v<Eigen::Transpose<X>> = is_view_v<std::remove_const_t<X>>;
template <class X>
inline constexpr bool is_view_v<Eigen::ArrayWrapper<X>> = is_view_v<std::remove_const_t<X>>;
template <class X>
inline constexpr bool is_view_v<Eigen::MatrixWrapper<X>> = is_view_v<std::remove_const_t<X>>;

/// Constants by the type of a recorded matrix, as Eigen's types give them: Y::Zero(rows, cols).
template <class Plain>
struct constants_of_type {
  static auto Zero(auto... sizes) { return Plain::Zero(sizes...); }
  static auto Ones(auto... sizes) { return Plain::Ones(sizes...); }
  static auto Identity(auto... sizes) { return Plain::Identity(sizes...); }
  static auto Constant(auto... sizes_and_number) { return Plain::Constant(sizes_and_number...); }
};

// --- misuse ----------------------------------------------------------------------------------------

inline std::string shape_text(Eigen::Index rows, Eigen::Index cols) {
  return std::to_string(rows) + "x" + std::to_string(cols);
}

template <class A, class B>
void expect_same_shape(const char* what, const A& a, const B& b) {
  if (a.rows() == b.rows() && a.cols() == b.cols()) return;
  throw std::invalid_argument("the " + std::string(what) + " of a " +
                              shape_text(a.rows(), a.cols()) + " and a " +
                              shape_text(b.rows(), b.cols()) +
                              " matrix (they have the same shape) transpose or resize one?");
}

template <class A, class B>
void expect_product(const A& a, const B& b) {
  if (a.cols() == b.rows()) return;
  throw std::invalid_argument("the product of a " + shape_text(a.rows(), a.cols()) + " and a " +
                              shape_text(b.rows(), b.cols()) +
                              " matrix (columns of the first meet rows of the second) transpose "
                              "one?");
}

// --- plain matrices beside recorded ones -----------------------------------------------------------

template <class X, class T>
constexpr void expect_numbers() {
  static_assert(std::is_same_v<typename X::Scalar, T> || constant_for<typename X::Scalar, T>,
                "a recorded matrix of float beside a plain one of double, or the other way round "
                "(float stays float): cast<...>() the plain one?");
}

/// A plain Eigen expression as a constant of a recording, stored in the order of Target. A matrix is
/// read where it lies. A pull that needs it copies it, since it may be gone by then; a Map, a view
/// of what somebody keeps, is never copied.
template <class Target, class X>
matrix_variable<Target> constant_of(recording<typename Target::Scalar>& home, const X& x) {
  using T = typename Target::Scalar;
  if constexpr (std::is_same_v<typename X::Scalar, T> && (X::Flags & Eigen::DirectAccessBit) != 0 &&
                (bool(X::IsRowMajor) == bool(Target::IsRowMajor) || X::IsVectorAtCompileTime)) {
    if (home.here() && x.innerStride() == 1 &&
        (X::IsVectorAtCompileTime || x.outerStride() == x.innerSize() || x.outerSize() == 1)) {
      const int id =
          home.arrays().refer(x.data(), static_cast<std::size_t>(x.size()), nullptr, !is_view_v<X>);
      return {array_ref<T>(home, id), x.rows(), x.cols()};
    }
  }
  const array_ref<T> copy = make_array(home, x.size(), false);
  Eigen::Map<Target>(copy.writable(), x.rows(), x.cols()) = x.template cast<T>();
  return {copy, x.rows(), x.cols()};
}

template <class T, class X, bool RowMajor = X::IsRowMajor>
using plain_over_t =
    plain_shape_t<T, X::RowsAtCompileTime, X::ColsAtCompileTime, RowMajor, has_array_kind<X>>;

}  // namespace revode
