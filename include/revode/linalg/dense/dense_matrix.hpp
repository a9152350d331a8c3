// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/linalg/matrix_shape.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/mat.hpp>

namespace revode {

/// A square matrix whose size is known at run time, row by row: m(i, j) is row i, column j.
template <class T>
class dense_matrix {
 public:
  dense_matrix() = default;
  explicit dense_matrix(int n) { resize(n); }

  /// Allocates when n is new; the elements are then zero, otherwise as they were.
  void resize(int n) {
    if (n == n_) return;
    elements_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), T(0));
    n_ = n;  // behind what may fail, so that a resize is tried again
  }
  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (s.n != n_) visit(s.n * s.n * static_cast<index>(sizeof(T)));
  }
  T& operator()(int i, int j) { return row(i)[j]; }
  const T& operator()(int i, int j) const { return row(i)[j]; }
  T* row(int i) { return elements_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  const T* row(int i) const { return elements_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  T* data() { return elements_.data(); }
  const T* data() const { return elements_.data(); }
  int rows() const { return n_; }
  int cols() const { return n_; }
  std::size_t size() const { return elements_.size(); }

 private:
  int n_ = 0;
  std::vector<T> elements_;
};

/// Throws where a field's own Jacobian has given the matrix another size.
template <class T>
void require_size(const dense_matrix<T>& j, int n) {
  if (j.rows() != n)
    throw std::invalid_argument(
        "a Jacobian of size " + std::to_string(j.rows()) + " for a state of " + std::to_string(n) +
        " (it is square, a row an equation) leave its size as it is given?");
}

/// The Jacobian of a field over states Y.
template <class Y>
struct jacobian_of {
  using type = dense_matrix<scalar_t<Y>>;
};
template <class Y>
requires(static_size_v<Y> >= 0) struct jacobian_of<Y> {
  using type = mat<scalar_t<Y>, static_size_v<Y>>;
};
template <class Y>
using jacobian_t = typename jacobian_of<Y>::type;

/// out = out + a x
template <class Matrix, class X, class Y>
void add_product(const Matrix& a, const X& x, Y& out) {
  const int n = a.rows();
  for (int i = 0; i < n; ++i) {
    auto sum = out.data()[i];
    for (int j = 0; j < n; ++j) sum = muladd(a(i, j), x.data()[j], sum);
    out.data()[i] = sum;
  }
}

/// out = out + aᵀ x, row by row
template <class Matrix, class X, class Y>
void add_transposed_product(const Matrix& a, const X& x, Y& out) {
  const int n = a.rows();
  for (int i = 0; i < n; ++i) {
    const auto weight = x.data()[i];
    for (int j = 0; j < n; ++j) out.data()[j] = muladd(a(i, j), weight, out.data()[j]);
  }
}

}  // namespace revode
