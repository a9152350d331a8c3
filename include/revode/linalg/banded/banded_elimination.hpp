// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <revode/linalg/banded/banded_matrix.hpp>
#include <revode/linalg/complex_number.hpp>
#include <revode/linalg/growth.hpp>

namespace revode {

// Gaussian elimination inside a band, with partial pivoting: exchanges widen U by `lower` diagonals.
// One algorithm for numbers and for complex numbers, whose products are written out, since
// std::complex would test each of them for NaN. Every element meets the operations of the dense
// factorisations in their order.
// source  Golub & Van Loan, Matrix Computations, 4th ed., section 4.3.5

/// P A = L U for a banded A over numbers E, real or complex. Row k of U and, apart, column k of the
/// multipliers lie together. Makes its memory at the first factorisation of a shape.
/// cost    n lower (lower + upper) multiply-adds to factor, n (2 lower + upper) to solve; without
///         exchanges lower × upper and lower + upper
/// memory  (2 lower + upper + 1) n numbers
template <class E>
class banded_elimination {
 public:
  /// Factors the matrix of elements element(x, i, p), where a has x in place p of row i of its band.
  /// False when an element is not finite or a pivot 0: the factors are then useless.
  template <class Y, class Element>
  bool factor(const banded_matrix<Y>& a, const Element& element) {
    resize(a.rows(), a.lower(), a.width());
    const bool finite = take(a, element);
    bool regular = true;
    int reach = 0;  // the last column in which the rows at work have elements
    for (int k = 0; k < n_; ++k) {
      const int rows = rows_below(k), best = exchange_rows(k, rows);
      const int last = best + a.upper();
      reach = last > reach ? last : reach;
      reach = reach < n_ ? reach : n_ - 1;
      beyond_[static_cast<std::size_t>(k)] = reach - k;
      E& pivot = upper(k)[0];
      const auto size = size_of(pivot);
      regular = regular && size > decltype(size)(0) && size - size == decltype(size)(0);
      pivot = reciprocal_of(pivot);
      for (int r = 0; r < rows; ++r) lower(k)[r] = eliminate(upper(k), reach - k, upper(k + 1 + r));
    }
    return regular && finite;
  }

  /// x = A⁻¹ x; x.at(i) and x.set(i, value) are its elements.
  template <class X>
  void solve(X x) const {
    for (int k = 0; k < n_; ++k) {
      exchange(x, k);
      const auto known = x.at(k);
      const E* column = lower(k);
      for (int r = 0, rows = rows_below(k); r < rows; ++r)
        x.set(k + 1 + r, subtract_product(column[r], known, x.at(k + 1 + r)));
    }
    for (int k = n_ - 1; k >= 0; --k) {
      const E* row = upper(k);
      auto sum = x.at(k);
      for (int p = beyond_[static_cast<std::size_t>(k)]; p > 0; --p)
        sum = subtract_product(row[p], x.at(k + p), sum);
      x.set(k, product_of(row[0], sum));
    }
  }

  /// x = A⁻ᴴ x, from the same factors.
  template <class X>
  void solve_adjoint(X x) const {
    for (int k = 0; k < n_; ++k) {
      const E* row = upper(k);
      const auto known = product_of(conjugate(row[0]), x.at(k));
      x.set(k, known);
      for (int p = 1; p <= beyond_[static_cast<std::size_t>(k)]; ++p)
        x.set(k + p, subtract_product(conjugate(row[p]), known, x.at(k + p)));
    }
    for (int k = n_ - 1; k >= 0; --k) {
      const E* column = lower(k);
      auto sum = x.at(k);
      for (int r = rows_below(k) - 1; r >= 0; --r)
        sum = subtract_product(conjugate(column[r]), x.at(k + 1 + r), sum);
      x.set(k, sum);
      exchange(x, k);
    }
  }

  /// See growth.hpp; of real numbers.
  bool sign_has_turned(bool backwards) const {
    determinant_sign<decltype(value_of(E{}))> sign(n_, backwards);
    for (int k = 0; k < n_; ++k) {
      sign.pivot(value_of(upper(k)[0]));
      sign.exchange(pivots_[static_cast<std::size_t>(k)] != k);
    }
    return sign.has_turned();
  }

 private:
  void resize(int n, int lower, int width) {
    if (n == n_ && lower == lower_ && width == width_) return;
    const auto rows = static_cast<std::size_t>(n);
    upper_of_.assign(rows * static_cast<std::size_t>(width), E{});
    lower_of_.assign(rows * static_cast<std::size_t>(lower), E{});
    pivots_.assign(rows, 0);
    beyond_.assign(rows, 0);
    n_ = n;  // behind what may fail
    lower_ = lower;
    width_ = width;
  }
  /// While a row waits or is at work its first element is in the first column that is not done.
  E* upper(int k) { return upper_of_.data() + static_cast<std::ptrdiff_t>(k) * width_; }
  const E* upper(int k) const { return upper_of_.data() + static_cast<std::ptrdiff_t>(k) * width_; }
  E* lower(int k) { return lower_of_.data() + static_cast<std::ptrdiff_t>(k) * lower_; }
  const E* lower(int k) const { return lower_of_.data() + static_cast<std::ptrdiff_t>(k) * lower_; }
  int rows_below(int k) const { return k + lower_ < n_ ? lower_ : n_ - 1 - k; }

  template <class Y, class Element>
  bool take(const banded_matrix<Y>& a, const Element& element) {
    bool finite = true;
    for (int i = 0; i < n_; ++i) {
      const auto* from = a.row(i);
      E* to = upper(i);
      const int outside = i < lower_ ? lower_ - i : 0;
      for (int p = outside; p < width_; ++p) {
        finite &= from[p] - from[p] == decltype(from[p] - from[p])(0);
        *to++ = element(from[p], i, p);
      }
      for (int p = 0; p < outside; ++p) *to++ = E{};
    }
    return finite;
  }

  /// Brings the largest element of column k, in size_of, to row k.
  int exchange_rows(int k, int rows) {
    int best = k;
    auto largest = size_of(upper(k)[0]);
    for (int i = k + 1; i <= k + rows; ++i) {
      const auto here = size_of(upper(i)[0]);
      if (here > largest) {
        best = i;
        largest = here;
      }
    }
    pivots_[static_cast<std::size_t>(k)] = best;
    if (best != k)
      for (int p = 0; p < width_; ++p) std::swap(upper(k)[p], upper(best)[p]);
    return best;
  }

  /// Takes the pivot's row, of `count` elements behind its first, from another, whose elements move
  /// up by one column. The multiplier.
  E eliminate(const E* __restrict pivot, int count, E* __restrict row) const {
    const E multiplier = product_of(row[0], pivot[0]);
    for (int p = 1; p <= count; ++p) row[p - 1] = subtract_product(multiplier, pivot[p], row[p]);
    for (int p = count + 1; p < width_; ++p) row[p - 1] = row[p];
    row[width_ - 1] = E{};
    return multiplier;
  }

  template <class X>
  void exchange(X& x, int k) const {
    const int with = pivots_[static_cast<std::size_t>(k)];
    if (with == k) return;
    const auto from = x.at(k);
    x.set(k, x.at(with));
    x.set(with, from);
  }

 public:
  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (s.n == n_ && s.lower == lower_ && s.lower + 1 + s.upper == width_) return;
    visit(s.n * (s.lower + 1 + s.upper) * static_cast<index>(sizeof(E)));
    visit(s.n * s.lower * static_cast<index>(sizeof(E)));
    for (int of = 0; of < 2; ++of) visit(s.n * static_cast<index>(sizeof(int)));
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.upper_of_);
    visit(self.lower_of_);
    visit(self.pivots_);
  }

 private:
  int n_ = 0, lower_ = 0, width_ = 0;
  std::vector<E> upper_of_, lower_of_;  // reciprocals on the diagonal of U
  std::vector<int> pivots_, beyond_;    // of a row of U: its last element
};

}  // namespace revode
