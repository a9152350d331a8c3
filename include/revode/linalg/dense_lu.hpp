// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <revode/linalg/dense_matrix.hpp>
#include <revode/linalg/lu.hpp>

namespace revode {

/// P A = L U as in lu.hpp, for sizes known at run time: outer products along rows, so that the
/// inner loop runs over neighbours. Makes its memory at the first factorisation of a size.
/// cost    n³/3 multiply-adds to factor (rows with a zero in the pivot's column cost nothing),
///         n² to solve
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

  /// Factors a. False when a pivot is 0 or not finite: the factors are then useless.
  bool factor(const dense_matrix<T>& a) {
    resize(a.rows());
    copy(a, factors_);
    return factor_in_place();
  }

  /// Factors shift I − a.
  bool factor_shifted(const dense_matrix<T>& a, T shift) {
    const int n = a.rows();
    resize(n);
    for (std::size_t i = 0; i < a.size(); ++i) factors_.data()[i] = -a.data()[i];
    for (int i = 0; i < n; ++i) factors_(i, i) = shift + factors_(i, i);
    return factor_in_place();
  }

  /// x = A⁻¹ x
  template <class X>
  void solve(X& x) const {
    auto* b = x.data();
    const int n = factors_.rows();
    for (int k = 0; k < n; ++k) std::swap(b[k], b[pivots_[static_cast<std::size_t>(k)]]);
    for (int i = 1; i < n; ++i) {
      const T* row = factors_.row(i);
      for (int j = 0; j < i; ++j) b[i] = muladd(-row[j], b[j], b[i]);
    }
    for (int i = n - 1; i >= 0; --i) {
      const T* row = factors_.row(i);
      for (int j = i + 1; j < n; ++j) b[i] = muladd(-row[j], b[j], b[i]);
      b[i] = b[i] * reciprocals_[static_cast<std::size_t>(i)];
    }
  }

  /// x = A⁻ᵀ x, along rows too: each element, once known, leaves all that follow.
  template <class X>
  void solve_transposed(X& x) const {
    auto* b = x.data();
    const int n = factors_.rows();
    for (int i = 0; i < n; ++i) {
      const T* row = factors_.row(i);
      b[i] = b[i] * reciprocals_[static_cast<std::size_t>(i)];
      const T known = b[i];
      for (int j = i + 1; j < n; ++j) b[j] = muladd(-row[j], known, b[j]);
    }
    for (int i = n - 1; i > 0; --i) {
      const T* row = factors_.row(i);
      const T known = b[i];
      for (int j = 0; j < i; ++j) b[j] = muladd(-row[j], known, b[j]);
    }
    for (int k = n - 1; k >= 0; --k) std::swap(b[k], b[pivots_[static_cast<std::size_t>(k)]]);
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.factors_);
    visit(self.reciprocals_);
    visit(self.pivots_);
  }

 private:
  bool factor_in_place() {
    const int n = factors_.rows();
    bool regular = true;
    for (int k = 0; k < n; ++k) {
      const int best = largest_below(k);
      if (best != k) std::swap_ranges(factors_.row(k), factors_.row(k) + n, factors_.row(best));
      pivots_[static_cast<std::size_t>(k)] = best;
      const T pivot = factors_(k, k);
      regular = regular && pivot != T(0) && pivot - pivot == T(0);
      reciprocals_[static_cast<std::size_t>(k)] = T(1) / pivot;
      eliminate(k);
    }
    return regular;
  }

  int largest_below(int k) const {
    using std::abs;
    int best = k;
    T largest = abs(factors_(k, k));
    for (int i = k + 1, n = factors_.rows(); i < n; ++i) {
      const T size = abs(factors_(i, k));
      if (size > largest) {
        best = i;
        largest = size;
      }
    }
    return best;
  }

  void eliminate(int k) {
    const int n = factors_.rows();
    const T* __restrict upper = factors_.row(k);
    for (int i = k + 1; i < n; ++i) {
      T* __restrict row = factors_.row(i);
      if (row[k] == T(0)) continue;
      const T multiplier = row[k] * reciprocals_[static_cast<std::size_t>(k)];
      row[k] = multiplier;
      for (int j = k + 1; j < n; ++j) row[j] = muladd(-multiplier, upper[j], row[j]);
    }
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
