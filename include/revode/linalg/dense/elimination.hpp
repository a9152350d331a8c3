// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/linalg/complex_number.hpp>

namespace revode {

// P A = L U by Gaussian elimination with partial pivoting, in place: a[i n + j] is row i, column j.
// Inner loops run over independent elements; rows with a zero in the pivot's column cost nothing.
// Unit lower L lies below the diagonal; reciprocals of the pivots stand apart, so that a solve
// divides nothing. Numbers are real, duals or complex_numbers.
// source  Golub & Van Loan, Matrix Computations, 4th ed., sections 3.2 and 3.4

/// A size known to the compiler, where an int is expected.
template <int N>
struct fixed_size {
  REVODE_HD constexpr operator int() const { return N; }
};

template <class Size>
inline constexpr int size_or_zero = 0;
template <int N>
inline constexpr int size_or_zero<fixed_size<N>> = N;

/// Small matrices and those of a device stay in registers: nothing in them is addressed by a computed
/// index.
template <class Size>
inline constexpr bool never_indexed =
#if defined(__CUDA_ARCH__)
    true;
#else
    size_or_zero<Size> > 0 && size_or_zero<Size> <= 4;
#endif

/// Exchanges rows k and with ≥ k of `columns` columns.
template <class S, class Size>
REVODE_HD void exchange_rows(S* a, int k, int with, int columns, Size size) {
  const auto exchange = [&](int i) {
    for (int j = 0; j < columns; ++j) {
      const S upper = a[k * columns + j];
      a[k * columns + j] = a[i * columns + j];
      a[i * columns + j] = upper;
    }
  };
  if constexpr (never_indexed<Size>) {
    for (int i = k + 1; i < size; ++i)
      if (i == with) exchange(i);
  } else if (with != k) {
    exchange(with);
  }
}

/// Factors a. False when a pivot is 0 or not finite: the factors are then useless.
/// cost    n³/3 multiply-adds
template <class T, class Size>
REVODE_HD bool eliminate(T* a, T* reciprocals, int* pivots, Size size) {
  const int n = size;
  bool regular = true;
  for (int k = 0; k < n; ++k) {
    int best = k;
    auto largest = size_of(a[k * n + k]);
    using R = decltype(largest);
    for (int i = k + 1; i < n; ++i) {
      const R here = size_of(a[i * n + k]);
      best = here > largest ? i : best;
      largest = here > largest ? here : largest;
    }
    pivots[k] = best;
    exchange_rows(a, k, best, n, size);
    const T* __restrict upper = a + k * n;
    regular = regular && largest > R(0) && largest - largest == R(0);
    const T reciprocal = reciprocal_of(upper[k]);
    reciprocals[k] = reciprocal;
    for (int i = k + 1; i < n; ++i) {
      T* __restrict row = a + i * n;
      if constexpr (std::is_floating_point_v<T>)  // a dual that is 0 may have a derivative
        if (n > 4 && row[k] == T(0)) continue;
      const T multiplier = product_of(row[k], reciprocal);
      row[k] = multiplier;
      for (int j = k + 1; j < n; ++j) row[j] = subtract_product(multiplier, upper[j], row[j]);
    }
  }
  return regular;
}

/// Rows first … first + Rows − 1 of L b = b, those above being solved. Rows together are sums that do
/// not wait for each other.
template <int Rows, class T, class S>
REVODE_HD void solve_lower(const T* a, int n, int first, S* b) {
  const T* row = a + first * n;
  S sum[Rows];
  for (int r = 0; r < Rows; ++r) sum[r] = b[first + r];
  for (int j = 0; j < first; ++j)
    for (int r = 0; r < Rows; ++r) sum[r] = subtract_product(row[r * n + j], b[j], sum[r]);
  for (int r = 0; r < Rows; ++r) {
    for (int q = 0; q < r; ++q) sum[r] = subtract_product(row[r * n + first + q], sum[q], sum[r]);
    b[first + r] = sum[r];
  }
}

/// The same rows of U b = b, those below being solved.
template <int Rows, class T, class S>
REVODE_HD void solve_upper(const T* a, const T* reciprocals, int n, int first, S* b) {
  const T* row = a + first * n;
  S sum[Rows];
  for (int r = 0; r < Rows; ++r) sum[r] = b[first + r];
  for (int j = n - 1; j >= first + Rows; --j)
    for (int r = 0; r < Rows; ++r) sum[r] = subtract_product(row[r * n + j], b[j], sum[r]);
  for (int r = Rows - 1; r >= 0; --r) {
    for (int q = Rows - 1; q > r; --q)
      sum[r] = subtract_product(row[r * n + first + q], sum[q], sum[r]);
    sum[r] = product_of(reciprocals[first + r], sum[r]);
    b[first + r] = sum[r];
  }
}

/// L U b = b by blocks of rows. Not inlined: at these sizes a call costs nothing, its copies do.
template <class T, class Size, class S>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::noinline]]
#endif
    void
    solve_blocks(const T* a, const T* reciprocals, Size size, S* b) {
  const int n = size, whole = n - n % 4;
  for (int first = 0; first < whole; first += 4) solve_lower<4>(a, n, first, b);
  for (int first = whole; first < n; ++first) solve_lower<1>(a, n, first, b);
  for (int first = n - 1; first >= whole; --first) solve_upper<1>(a, reciprocals, n, first, b);
  for (int first = whole - 4; first >= 0; first -= 4) solve_upper<4>(a, reciprocals, n, first, b);
}

/// b = A⁻¹ b
/// cost    n² multiply-adds
template <class T, class Size, class S>
REVODE_HD void solve_eliminated(const T* a, const T* reciprocals, const int* pivots, Size size,
                                S* __restrict b) {
  const int n = size;
  for (int k = 0; k < n; ++k) exchange_rows(b, k, pivots[k], 1, size);
  if constexpr (size_or_zero<Size> == 0 || size_or_zero < Size >> 8) {
    solve_blocks(a, reciprocals, size, b);
  } else {  // down columns, unrolled
    for (int k = 0; k < n; ++k) {
      const S known = b[k];
      for (int i = k + 1; i < n; ++i) b[i] = subtract_product(a[i * n + k], known, b[i]);
    }
    for (int k = n - 1; k >= 0; --k) {
      const S known = product_of(reciprocals[k], b[k]);
      b[k] = known;
      for (int i = 0; i < k; ++i) b[i] = subtract_product(a[i * n + k], known, b[i]);
    }
  }
}

/// b = A⁻ᵀ b, from the same factors: Uᵀ, Lᵀ, then the exchanges backwards.
template <class T, class Size, class S>
REVODE_HD void solve_eliminated_transposed(const T* a, const T* reciprocals, const int* pivots,
                                           Size size, S* __restrict b) {
  const int n = size;
  for (int i = 0; i < n; ++i) {
    const S known = product_of(reciprocals[i], b[i]);
    b[i] = known;
    for (int j = i + 1; j < n; ++j) b[j] = subtract_product(a[i * n + j], known, b[j]);
  }
  for (int i = n - 1; i > 0; --i) {
    const S known = b[i];
    for (int j = 0; j < i; ++j) b[j] = subtract_product(a[i * n + j], known, b[j]);
  }
  for (int k = n - 1; k >= 0; --k) exchange_rows(b, k, pivots[k], 1, size);
}

}  // namespace revode
