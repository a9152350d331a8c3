// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/state/mat.hpp>

namespace revode {

/// P A = L U of an N by N matrix by Gaussian elimination with partial pivoting (Golub and Van Loan,
/// Matrix Computations, section 3.4), for host and device. The factors lie in place (unit lower L
/// below the diagonal), with the reciprocals of the pivots, so that a solve divides nothing.
/// Cost: N³/3 multiply-adds to factor, N² to solve. Rows are exchanged by comparing indices, never
/// by a computed address: on a device the matrix stays in registers.
template <class T, int N>
class lu {
 public:
  /// Factors a. False when a pivot is 0 or not finite: the factors are then useless.
  REVODE_HD bool factor(const mat<T, N>& a) {
    using std::abs;
    factors_ = a;
    bool regular = true;
    for (int k = 0; k < N; ++k) {
      int best = k;
      T largest = abs(factors_(k, k));
      for (int i = k + 1; i < N; ++i) {
        const T size = abs(factors_(i, k));
        best = size > largest ? i : best;
        largest = size > largest ? size : largest;
      }
      pivots_[k] = best;
      exchange_rows(k, best);
      regular = regular && largest > T(0) && largest - largest == T(0);
      reciprocals_[k] = T(1) / factors_(k, k);
      eliminate(k);
    }
    return regular;
  }

  /// Factors shift I − a.
  REVODE_HD bool factor_shifted(const mat<T, N>& a, T shift) {
    mat<T, N> shifted;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) shifted(i, j) = i == j ? shift - a(i, j) : -a(i, j);
    }
    return factor(shifted);
  }

  /// x = A⁻¹ x
  template <class X>
  REVODE_HD void solve(X& x) const {
    auto* b = x.data();
    for (int k = 0; k < N; ++k) exchange(b, k, pivots_[k]);
    for (int i = 1; i < N; ++i) {
      for (int j = 0; j < i; ++j) b[i] = muladd(-factors_(i, j), b[j], b[i]);
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int j = i + 1; j < N; ++j) b[i] = muladd(-factors_(i, j), b[j], b[i]);
      b[i] = b[i] * reciprocals_[i];
    }
  }

  /// x = A⁻ᵀ x: Uᵀ and Lᵀ of the same factors, then the exchanges backwards.
  template <class X>
  REVODE_HD void solve_transposed(X& x) const {
    auto* b = x.data();
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < i; ++j) b[i] = muladd(-factors_(j, i), b[j], b[i]);
      b[i] = b[i] * reciprocals_[i];
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int j = i + 1; j < N; ++j) b[i] = muladd(-factors_(j, i), b[j], b[i]);
    }
    for (int k = N - 1; k >= 0; --k) exchange(b, k, pivots_[k]);
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
    visit(self.reciprocals_);
    visit(self.pivots_);
  }

 private:
  REVODE_HD void exchange_rows(int k, int with) {
    for (int i = k + 1; i < N; ++i) {
      if (i != with) continue;
      for (int j = 0; j < N; ++j) {
        const T upper = factors_(k, j);
        factors_(k, j) = factors_(i, j);
        factors_(i, j) = upper;
      }
    }
  }

  REVODE_HD void eliminate(int k) {
    for (int i = k + 1; i < N; ++i) {
      const T multiplier = factors_(i, k) * reciprocals_[k];
      factors_(i, k) = multiplier;
      for (int j = k + 1; j < N; ++j) {
        factors_(i, j) = muladd(-multiplier, factors_(k, j), factors_(i, j));
      }
    }
  }

  template <class S>
  REVODE_HD static void exchange(S* b, int k, int with) {
    for (int i = k + 1; i < N; ++i) {
      if (i != with) continue;
      const S upper = b[k];
      b[k] = b[i];
      b[i] = upper;
    }
  }

  mat<T, N> factors_;
  T reciprocals_[N];
  int pivots_[N];
};

}  // namespace revode
