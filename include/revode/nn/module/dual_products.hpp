// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/ad/dual.hpp>
#include <revode/nn/module/gemm.hpp>

namespace revode::nn {

/// Numbers with one direction, whose products are as fast as those of plain numbers.
template <class S>
inline constexpr bool is_plain_dual = false;
template <>
inline constexpr bool is_plain_dual<dual<float, 1>> = true;
template <>
inline constexpr bool is_plain_dual<dual<double, 1>> = true;

/// Memory of one thread's products: values and derivatives of both factors and of the product.
template <class T>
struct product_parts {
  using numbers = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  using matrix = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>;
  numbers left, left_dot, right, right_dot, product, product_dot;

  static product_parts& of_thread() {
    thread_local product_parts parts;
    return parts;
  }
  static matrix in(numbers& memory, index rows, index cols) {
    if (memory.size() < rows * cols) memory.resize(rows * cols);
    return {memory.data(), rows, cols};
  }
  template <class A>
  static matrix values(numbers& memory, const A& a) {
    matrix to = in(memory, a.rows(), a.cols());
    for (index j = 0; j < a.cols(); ++j)
      for (index i = 0; i < a.rows(); ++i) to(i, j) = a.coeff(i, j).value;
    return to;
  }
  template <class A>
  static matrix derivatives(numbers& memory, const A& a) {
    matrix to = in(memory, a.rows(), a.cols());
    for (index j = 0; j < a.cols(); ++j)
      for (index i = 0; i < a.rows(); ++i) to(i, j) = a.coeff(i, j).d[0];
    return to;
  }
};

/// The factor's values: itself, where it has no derivatives.
template <class T, class A>
decltype(auto) values_of(typename product_parts<T>::numbers& memory, const A& a) {
  if constexpr (std::is_same_v<typename A::Scalar, T>)
    return (a);
  else
    return product_parts<T>::values(memory, a);
}

/// c ← a b, or c += a b. Of duals with one direction by plain products,
///   c = a b,  ċ = a ḃ + ȧ b
/// two of them where a is plain; what Eigen makes of other scalars with derivatives are loops.
/// cost  nothing is allocated after the first call of a size on a thread
template <bool Add, class A, class B, class C>
void product(const A& a, const B& b, C&& c) {
  using S = typename std::remove_reference_t<C>::Scalar;
  if constexpr (is_plain_dual<S>) {
    using T = inner_t<S>;
    using parts = product_parts<T>;
    auto& of = parts::of_thread();
    const auto& left = values_of<T>(of.left, a);
    const auto& right = values_of<T>(of.right, b);
    auto value = parts::in(of.product, c.rows(), c.cols());
    auto moved = parts::in(of.product_dot, c.rows(), c.cols());
    gemm<false>(left, right, value);
    if constexpr (is_plain_dual<typename B::Scalar>)
      gemm<false>(left, parts::derivatives(of.right_dot, b), moved);
    else
      moved.setZero();
    if constexpr (is_plain_dual<typename A::Scalar>)
      gemm<true>(parts::derivatives(of.left_dot, a), right, moved);
    for (index j = 0; j < c.cols(); ++j)
      for (index i = 0; i < c.rows(); ++i) {
        S& to = c.coeffRef(i, j);
        to.value = Add ? T(to.value + value(i, j)) : value(i, j);
        to.d[0] = Add ? T(to.d[0] + moved(i, j)) : moved(i, j);
      }
  } else {
    gemm<Add>(a, b, c);
  }
}

}  // namespace revode::nn
