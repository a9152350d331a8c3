// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/elimination.hpp>
#include <revode/state/mat.hpp>

namespace revode {

/// The LU factors of an N by N matrix, for host and device.
/// cost    N³/3 multiply-adds to factor, N² to solve
template <class T, int N>
class lu {
 public:
  /// Factors a. False when an element is not finite or a pivot 0: the factors are then useless.
  REVODE_HD bool factor(const mat<T, N>& a) { return factor_from(a, T(0), false); }

  /// Factors shift I − a.
  REVODE_HD bool factor_shifted(const mat<T, N>& a, T shift) { return factor_from(a, shift, true); }

  /// x = A⁻¹ x
  template <class X>
  REVODE_HD void solve(X& x) const {
    solve_eliminated(factors_.data(), reciprocals_, pivots_, fixed_size<N>{}, x.data());
  }
  /// x = A⁻ᵀ x
  template <class X>
  REVODE_HD void solve_transposed(X& x) const {
    solve_eliminated_transposed(factors_.data(), reciprocals_, pivots_, fixed_size<N>{}, x.data());
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
    visit(self.reciprocals_);
    visit(self.pivots_);
  }

 private:
  REVODE_HD bool factor_from(const mat<T, N>& a, T shift, bool negative) {
    bool finite = true;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        const T element = negative ? (i == j ? shift - a(i, j) : -a(i, j)) : a(i, j);
        factors_(i, j) = element;
        if constexpr (N > 4) finite &= element - element == T(0);  // see what eliminate passes over
      }
    }
    return eliminate(factors_.data(), reciprocals_, pivots_, fixed_size<N>{}) && finite;
  }

  mat<T, N> factors_;
  T reciprocals_[N];
  int pivots_[N];
};

}  // namespace revode
