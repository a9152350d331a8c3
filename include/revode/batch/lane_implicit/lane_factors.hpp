// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <revode/batch/lane/lane_group.hpp>
#include <revode/linalg/dense/small_elimination.hpp>
#include <revode/linalg/growth.hpp>

namespace revode {

// elimination.hpp for W matrices side by side, the same operations: every column of the factors in a
// loop over lanes, from those before it, so that it stays in registers until it is done. A lane's
// exchange of rows in other columns is a loop of its own, which hardly ever runs. Rows with a zero in
// the pivot's column are not passed over: that may change the sign of a zero.

/// The LU factors of W matrices of N rows: number (i, j) of lane l at a[i N + j][l].
template <class T, int N, int W>
struct alignas(64) lane_factors {
  T a[N * N][W];
  T reciprocals[N][W];
  std::int64_t pivots[N][W];
  std::int64_t regular[W];  // 1, or 0 where a pivot is 0 or not finite
  bool exchanged[N];        // did a lane exchange rows in step k?
};

/// Numbers k and pivot[l] ≥ k of lane l change places, of N numbers that are `Stride` rows apart.
template <int N, int Stride, class T, int W>
REVODE_HD void exchange_in_lanes(T (*x)[W], const std::int64_t* pivot, int k) {
  for (int i = k + 1; i < N; ++i) {
    T* upper = x[k * Stride];
    T* lower = x[i * Stride];
    for_each_lane<W>([&](int l) __attribute__((always_inline)) {
      const bool yes = pivot[l] == i;
      const T first = upper[l], second = lower[l];
      upper[l] = select(yes, second, first);
      lower[l] = select(yes, first, second);
    });
  }
}

/// Column J; did a lane exchange rows?
template <int J, class T, int N, int W>
REVODE_HD bool eliminate_column_in_lanes(lane_factors<T, N, W>& f) {
  using std::abs;
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    T c[N];
    for_constants<0, N>([&](auto i) __attribute__((always_inline)) { c[i] = f.a[i * N + J][l]; });
    for_constants<0, J>([&](auto k) __attribute__((always_inline)) {
      for_constants<k + 1, N>([&](auto i) __attribute__((always_inline)) {
        c[i] = muladd(-f.a[i * N + k][l], c[k], c[i]);
      });
    });
    std::int64_t best = J;
    T largest = abs(c[J]);
    for_constants<J + 1, N>([&](auto i) __attribute__((always_inline)) {
      const T here = abs(c[i]);
      best = here > largest ? std::int64_t{i} : best;
      largest = here > largest ? here : largest;
    });
    for_constants<J + 1, N>([&](auto i) __attribute__((always_inline)) {
      exchange_if(best == i, c[J], c[i]);
    });
    const T reciprocal = T(1) / c[J];
    for_constants<0, N>([&](auto i) __attribute__((always_inline)) {
      f.a[i * N + J][l] = i > J ? c[i] * reciprocal : c[i];
    });
    f.reciprocals[J][l] = reciprocal;
    f.pivots[J][l] = best;
    const bool is_positive = largest > T(0), is_finite = largest - largest == T(0);
    f.regular[l] &= select(is_positive & is_finite, std::int64_t{1}, std::int64_t{0});
  });
  std::int64_t exchanged = 0;
  for_each_lane<W>([&](int l) __attribute__((always_inline)) { exchanged |= f.pivots[J][l] ^ J; });
  return exchanged != 0;
}

/// The factors of f.a, in place, and f.regular.
template <class T, int N, int W>
REVODE_HD void eliminate_in_lanes(lane_factors<T, N, W>& f) {
  for (int l = 0; l < W; ++l) f.regular[l] = 1;
  for_constants<0, N>([&](auto j) __attribute__((always_inline)) {
    f.exchanged[j] = eliminate_column_in_lanes<j>(f);
    if (f.exchanged[j])
      for (int other = 0; other < N; ++other)
        if (other != j) exchange_in_lanes<N, N>(f.a + other, f.pivots[j], j);
  });
}

/// Of lane l: see growth.hpp.
template <class T, int N, int W>
REVODE_HD determinant_sign<T> sign_of_determinant(const lane_factors<T, N, W>& f, int l,
                                                  bool backwards) {
  determinant_sign<T> sign(N, backwards);
  for_constants<0, N>([&](auto k) __attribute__((always_inline)) {
    sign.pivot(f.reciprocals[k][l]);
    sign.exchange(f.pivots[k][l] != k);
  });
  return sign;
}
/// Lanes that step over growth are none of f.regular; direction[l] is below 0 in those that go backwards.
template <class T, int N, int W>
REVODE_HD void refuse_growth_in_lanes(lane_factors<T, N, W>& f, const double (&direction)[W]) {
  std::int64_t some = 0;
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    some |= sign_of_determinant(f, l, direction[l] < 0).looks_turned() ? 1 : 0;
  });
  if (some == 0) return;
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    f.regular[l] = sign_of_determinant(f, l, direction[l] < 0).has_turned() ? 0 : f.regular[l];
  });
}

/// b = A⁻¹ b in every lane.
template <class T, int N, int W>
REVODE_HD void solve_in_lanes(const lane_factors<T, N, W>& f, T (*b)[W]) {
  for (int k = 0; k < N; ++k)
    if (f.exchanged[k]) exchange_in_lanes<N, 1>(b, f.pivots[k], k);
  for_each_lane<W>([&](int l) __attribute__((always_inline)) {
    T x[N];
    for_constants<0, N>([&](auto i) __attribute__((always_inline)) { x[i] = b[i][l]; });
    for_constants<0, N>([&](auto k) __attribute__((always_inline)) {
      for_constants<k + 1, N>([&](auto i) __attribute__((always_inline)) {
        x[i] = muladd(-f.a[i * N + k][l], x[k], x[i]);
      });
    });
    for_constants_down<N, 0>([&](auto k) __attribute__((always_inline)) {
      x[k] = x[k] * f.reciprocals[k][l];
      for_constants<0, k>([&](auto i) __attribute__((always_inline)) {
        x[i] = muladd(-f.a[i * N + k][l], x[k], x[i]);
      });
    });
    for_constants<0, N>([&](auto i) __attribute__((always_inline)) { b[i][l] = x[i]; });
  });
}

/// The same in functions of their own: one copy serves every method, stage and field.
template <class T, int N, int W>
REVODE_HD void eliminate_in_lanes_apart(lane_factors<T, N, W>& f) {
  apart([&] { eliminate_in_lanes(f); });
}
template <class T, int N, int W>
REVODE_HD void solve_in_lanes_apart(const lane_factors<T, N, W>& f, T (*b)[W]) {
  apart([&] { solve_in_lanes(f, b); });
}

}  // namespace revode
