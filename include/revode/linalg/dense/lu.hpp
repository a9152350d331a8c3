// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/linalg/dense/column_lu.hpp>
#include <revode/linalg/dense/elimination.hpp>
#include <revode/linalg/dense/small_elimination.hpp>
#include <revode/linalg/growth.hpp>
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
    if constexpr (written_out)
      solve_written_out<N>(factors_.data(), reciprocals_, pivots_, x.data());
    else
      solve_eliminated(factors_.data(), reciprocals_, pivots_, fixed_size<N>{}, x.data());
  }
  /// x = A⁻ᵀ x
  template <class X>
  REVODE_HD void solve_transposed(X& x) const {
    if constexpr (written_out)
      solve_transposed_written_out<N>(factors_.data(), reciprocals_, pivots_, x.data());
    else
      solve_eliminated_transposed(factors_.data(), reciprocals_, pivots_, fixed_size<N>{},
                                  x.data());
  }
  /// See growth.hpp.
  REVODE_HD bool sign_has_turned(bool backwards) const {
    determinant_sign<decltype(value_of(T{}))> sign(N, backwards);
    for_constants<0, N>([&](auto k) __attribute__((always_inline)) {
      sign.pivot(value_of(reciprocals_[k]));
      sign.exchange(pivots_[k] != k);
    });
    return sign.has_turned();
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
    visit(self.reciprocals_);
    visit(self.pivots_);
  }

 private:
  static constexpr bool written_out = N <= most_written_out;

  REVODE_HD bool factor_from(const mat<T, N>& a, T shift, bool negative) {
    const auto element = [&](int i, int j) {
      return negative ? (i == j ? shift - a(i, j) : -a(i, j)) : a(i, j);
    };
    if constexpr (written_out) {
      for_constants<0, N * N>([&](auto at) __attribute__((always_inline)) {
        factors_(at / N, at % N) = element(at / N, at % N);
      });
      return eliminate_written_out<N>(factors_.data(), reciprocals_, pivots_);
    } else {
      bool finite = true;  // see what eliminate passes over
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
          const T here = element(i, j);
          factors_(i, j) = here;
          finite &= here - here == T(0);
        }
      }
      return eliminate(factors_.data(), reciprocals_, pivots_, fixed_size<N>{}) && finite;
    }
  }

  mat<T, N> factors_;
  T reciprocals_[N];
  std::conditional_t<written_out, index, int> pivots_[N];
};

/// The same by columns, for sizes at which packs pay. Not inlined: at these sizes a call costs
/// nothing, its copies do.
template <class T, int N>
requires(N > 8) class lu<T, N> {
 public:
  REVODE_HD bool factor(const mat<T, N>& a) { return factor_from(a, {}, false); }
  REVODE_HD bool factor_shifted(const mat<T, N>& a, T shift) { return factor_from(a, shift, true); }

  template <class X>
#if defined(__CUDACC__)
  REVODE_HD
#else
  [[gnu::noinline]]
#endif
      void
      solve(X& x) const {
    factors_.template solve<std::remove_cvref_t<decltype(*x.data())>>({x.data()});
  }
  template <class X>
  REVODE_HD void solve_transposed(X& x) const {
    factors_.template solve_adjoint<std::remove_cvref_t<decltype(*x.data())>>({x.data()});
  }
  REVODE_HD bool sign_has_turned(bool backwards) const {
    return factors_.sign_has_turned(backwards);
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
  }

 private:
#if defined(__CUDACC__)
  REVODE_HD
#else
  [[gnu::noinline]]
#endif
  bool factor_from(const mat<T, N>& a, T shift, bool negative) {
    bool regular = factors_.take_matrix([&](int i, int j) __attribute__((always_inline)) {
      return negative ? -a(i, j) : a(i, j);
    });
    factors_.start({{shift}});
    for (int k = 0; k < N; ++k) regular = factors_.eliminate(k) && regular;
    factors_.finish();
    return regular;
  }

  column_lu<T, N, 1> factors_;
};

}  // namespace revode
