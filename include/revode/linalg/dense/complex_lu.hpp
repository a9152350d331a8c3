// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <revode/config.hpp>
#include <revode/linalg/dense/column_lu.hpp>
#include <revode/linalg/dense/dense_matrix.hpp>

namespace revode {

/// P ((α + iβ) I − A) = L U for a real matrix A: the complex half of a Radau step. N is the size,
/// −1 when it is known at run time.
/// cost    4 n³/3 multiply-adds to factor, 4 n² to solve
template <class T, int N>
class complex_lu {
 public:
  /// False when a pivot is 0 or not finite: the factors are then useless.
  template <class Matrix>
  bool factor_shifted(const Matrix& a, T alpha, T beta) {
    complex_lu* const self[1] = {this};
    return factor_each(self, a, {alpha}, {beta}, nothing{});
  }
  /// f[k] becomes the factors of (αₖ + iβₖ) I − A, or with a mass matrix in place of I. A column of every
  /// system in turn: none waits for its own pivots alone.
  template <int Count, class Matrix, class Mass = nothing>
  static bool factor_all(complex_lu (&f)[Count], const Matrix& a, const T (&alpha)[Count],
                         const T (&beta)[Count], const Mass& mass = {}) {
    complex_lu* each[Count];
    for (int k = 0; k < Count; ++k) each[k] = f + k;
    return factor_each(each, a, alpha, beta, mass);
  }

  /// x + iy = A⁻¹ (x + iy)
  template <class X>
  void solve(X& x, X& y) const {
    factors_.template solve<scalar_t<X>>({x.data(), y.data()});
  }
  /// x[2k] + i x[2k + 1] ← f[k]⁻¹ (x[2k] + i x[2k + 1]), a block of rows of every system in turn.
  template <int Count, class X>
  static void solve_all(const complex_lu (&f)[Count], X* x) {
    if constexpr (N < 0) {
      for (int k = 0; k < Count; ++k) f[k].solve(x[2 * k], x[2 * k + 1]);
    } else {
      solve_in_turn(f, x, std::make_index_sequence<Count>());
    }
  }

  /// x + iy = A⁻ᴴ (x + iy), the inverse of the conjugate transpose, from the same factors.
  template <class X>
  void solve_adjoint(X& x, X& y) const {
    factors_.template solve_adjoint<scalar_t<X>>({x.data(), y.data()});
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
  }

 private:
  template <int Count, class Matrix, class Mass>
  static bool factor_each(complex_lu* const (&f)[Count], const Matrix& a, const T (&alpha)[Count],
                          const T (&beta)[Count], [[maybe_unused]] const Mass& mass) {
    const int n = static_cast<int>(a.rows());
    for (int k = 0; k < Count; ++k) f[k]->factors_.resize(n);
    f[0]->factors_.take_matrix([&](int i, int j)
                                   __attribute__((always_inline)) { return -a(i, j); });
    for (int k = 1; k < Count; ++k) f[k]->factors_.take_matrix_of(f[0]->factors_);
    if constexpr (std::is_same_v<Mass, nothing>) {
      for (int k = 0; k < Count; ++k) f[k]->factors_.start({{alpha[k], beta[k]}});
    } else {
      for (int k = 0; k < Count; ++k) f[k]->factors_.start({{T(0), T(0)}});
      for (int i = 0; i < n; ++i)
        for (const auto& e : mass.row(i))
          for (int k = 0; k < Count; ++k)
            f[k]->factors_.add({{T(e.value) * alpha[k], T(e.value) * beta[k]}}, i, e.at);
    }
    bool regular = true;
    for (int column = 0; column < n; ++column)
      for (int k = 0; k < Count; ++k) regular = f[k]->eliminate(column) && regular;
    for (int k = 0; k < Count; ++k) f[k]->factors_.finish();
    return regular;
  }

  /// Not inlined where it is long: one copy of it runs for every system.
  bool eliminate(int k) {
    if constexpr (N >= 0 && N <= most_written_out)
      return factors_.eliminate(k);
    else
      return eliminate_apart(k);
  }
  [[gnu::noinline]] bool eliminate_apart(int k) { return factors_.eliminate(k); }

  template <int Count, class X, std::size_t... K>
  static void solve_in_turn(const complex_lu (&f)[Count], X* x, std::index_sequence<K...>) {
    using S = scalar_t<X>;
    typename column_lu<T, N, 2>::template right_side<S> b[Count] = {
        f[K].factors_.template room<S>()...};
    S* const at[Count][2] = {{x[2 * K].data(), x[2 * K + 1].data()}...};
    const int blocks = f[0].factors_.blocks();
    for (int k = 0; k < Count; ++k) f[k].factors_.take(at[k], b[k]);
    for (int block = 0; block < blocks; ++block)
      for (int k = 0; k < Count; ++k) f[k].factors_.solve_lower(block, b[k]);
    for (int block = blocks - 1; block >= 0; --block)
      for (int k = 0; k < Count; ++k) f[k].factors_.solve_upper(block, b[k]);
    for (int k = 0; k < Count; ++k) f[k].factors_.give(b[k], at[k]);
  }

  column_lu<T, N, 2> factors_;
};

template <class Y>
using complex_lu_t = complex_lu<scalar_t<Y>, static_size_v<Y>>;

}  // namespace revode
