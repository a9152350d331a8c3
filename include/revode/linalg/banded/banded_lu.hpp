// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/banded/banded_elimination.hpp>

namespace revode {

/// The LU factors of a banded matrix; see banded_elimination.
template <class T>
class banded_lu {
 public:
  /// Factors a.
  template <class Y>
  bool factor(const banded_matrix<Y>& a) {
    return factors_.factor(a, [](const T& x, int, int) { return x; });
  }
  /// Factors shift I − a.
  template <class Y>
  bool factor_shifted(const banded_matrix<Y>& a, T shift) {
    return factors_.factor(a, [&, diagonal = a.lower()](const T& x, int, int p) {
      return p == diagonal ? T(shift - x) : T(-x);
    });
  }
  /// x = A⁻¹ x
  template <class X>
  void solve(X& x) const {
    factors_.solve(elements_of(x.data()));
  }
  /// x = A⁻ᵀ x
  template <class X>
  void solve_transposed(X& x) const {
    factors_.solve_adjoint(elements_of(x.data()));
  }
  bool sign_has_turned(bool backwards) const { return factors_.sign_has_turned(backwards); }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
  }

 private:
  template <class S>
  struct elements {
    S* x;
    const S& at(int i) const { return x[i]; }
    void set(int i, const S& value) { x[i] = value; }
  };
  template <class S>
  static elements<S> elements_of(S* x) {
    return {x};
  }

  banded_elimination<T> factors_;
};

/// The LU factors of (α + iβ) I − a for a real banded matrix a, or of −(a + ib) for two of one shape.
template <class T>
class banded_complex_lu {
  using number = complex_number<T>;

 public:
  template <class Y>
  bool factor_shifted(const banded_matrix<Y>& a, T alpha, T beta) {
    return factors_.factor(a, [&, diagonal = a.lower()](const T& x, int, int p) {
      return p == diagonal ? number{T(alpha - x), beta} : number{T(-x), T(0)};
    });
  }
  template <class Y>
  bool factor_negative(const banded_matrix<Y>& a, const banded_matrix<Y>& b) {
    return factors_.factor(a, [&](const T& x, int i, int p) {
      return number{T(-x), T(-b.row(i)[p])};
    });
  }
  /// x + iy = A⁻¹ (x + iy)
  template <class X>
  void solve(X& x, X& y) const {
    factors_.solve(elements_of(x.data(), y.data()));
  }
  /// x + iy = A⁻ᴴ (x + iy), the inverse of the conjugate transpose.
  template <class X>
  void solve_adjoint(X& x, X& y) const {
    factors_.solve_adjoint(elements_of(x.data(), y.data()));
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
  }

 private:
  template <class S>
  struct elements {
    S *x, *y;
    complex_number<S> at(int i) const { return {x[i], y[i]}; }
    void set(int i, const complex_number<S>& value) {
      x[i] = value.re;
      y[i] = value.im;
    }
  };
  template <class S>
  static elements<S> elements_of(S* x, S* y) {
    return {x, y};
  }

  banded_elimination<number> factors_;
};

}  // namespace revode
