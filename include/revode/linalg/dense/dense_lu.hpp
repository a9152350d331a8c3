// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/linalg/dense/dense_matrix.hpp>
#include <revode/linalg/dense/lu.hpp>

namespace revode {

/// The LU factors of a matrix whose size is known at run time. Makes its memory at the first
/// factorisation of a size.
/// cost    n³/3 multiply-adds to factor, n² to solve
template <class T>
class dense_lu {
 public:
  dense_lu() = default;
  explicit dense_lu(int n) { resize(n); }

  void resize(int n) {
    factors_.resize(n);
    reciprocals_.resize(static_cast<std::size_t>(n));
    pivots_.resize(static_cast<std::size_t>(n));
  }

  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (s.n == factors_.rows()) return;
    visit(s.n * static_cast<index>(sizeof(T)));
    visit(s.n * static_cast<index>(sizeof(int)));
  }

  /// Factors a. False when an element is not finite or a pivot 0: the factors are then useless.
  bool factor(const dense_matrix<T>& a) {
    return factor_from(a, [](const T& element, bool) { return element; });
  }

  /// Factors shift I − a.
  bool factor_shifted(const dense_matrix<T>& a, T shift) {
    return factor_from(
        a, [&](const T& element, bool diagonal) { return diagonal ? shift - element : -element; });
  }

  /// x = A⁻¹ x
  template <class X>
  void solve(X& x) const {
    solve_eliminated(factors_.data(), reciprocals_.data(), pivots_.data(), factors_.rows(),
                     x.data());
  }
  /// x = A⁻ᵀ x
  template <class X>
  void solve_transposed(X& x) const {
    solve_eliminated_transposed(factors_.data(), reciprocals_.data(), pivots_.data(),
                                factors_.rows(), x.data());
  }
  /// See growth.hpp.
  bool sign_has_turned(bool backwards) const {
    determinant_sign<decltype(value_of(T{}))> sign(factors_.rows(), backwards);
    for (std::size_t k = 0; k < pivots_.size(); ++k) {
      sign.pivot(value_of(reciprocals_[k]));
      sign.exchange(pivots_[k] != static_cast<int>(k));
    }
    return sign.has_turned();
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
    visit(self.reciprocals_);
    visit(self.pivots_);
  }

 private:
  template <class Element>
  bool factor_from(const dense_matrix<T>& a, const Element& element) {
    const int n = a.rows();
    resize(n);
    bool finite = true;
    for (int i = 0; i < n; ++i) {
      const T* row = a.row(i);
      for (int j = 0; j < n; ++j) {
        const T here = element(row[j], i == j);
        factors_(i, j) = here;
        finite &= here - here == T(0);
      }
    }
    return eliminate(factors_.data(), reciprocals_.data(), pivots_.data(), n) && finite;
  }

  dense_matrix<T> factors_;
  std::vector<T> reciprocals_;
  std::vector<int> pivots_;
};

/// The factors that go with jacobian_t<Y>.
template <class Y>
struct factors_of {
  using type = dense_lu<scalar_t<Y>>;
};
template <class Y>
requires(static_size_v<Y> >= 0) struct factors_of<Y> {
  using type = lu<scalar_t<Y>, static_size_v<Y>>;
};
template <class Y>
using lu_t = typename factors_of<Y>::type;

}  // namespace revode
