// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <utility>

#include <revode/config.hpp>

namespace revode {

// elimination.hpp for N up to 4, the same operations to the bit, written out by templates and without
// a branch: compilers unroll nested loops too late for the lanes around them to share vectors.

/// The largest N, and what its pivots are counted in: numbers as wide as the elements.
inline constexpr int most_written_out = 4;

/// std::integral_constant, for devices as well.
template <int I>
struct integer_constant {
  REVODE_HD constexpr operator int() const { return I; }
};

/// body(First) … body(Last − 1), each a constant of its type.
template <int First, int Last, class Body>
REVODE_HD constexpr void for_constants(Body&& body) {
  if constexpr (First < Last) {
    body(integer_constant<First>{});
    for_constants<First + 1, Last>(body);
  }
}
/// body(First − 1) … body(Last).
template <int First, int Last, class Body>
REVODE_HD constexpr void for_constants_down(Body&& body) {
  if constexpr (First > Last) {
    body(integer_constant<First - 1>{});
    for_constants_down<First - 1, Last>(body);
  }
}

/// Exchanges a and b if `yes`.
template <class T>
REVODE_HD void exchange_if(bool yes, T& a, T& b) {
  const T first = a;
  a = yes ? b : first;
  b = yes ? first : b;
}

template <int N, class T>
REVODE_HD bool eliminate_written_out(T* a, T* reciprocals, index* pivots) {
  using std::abs;
  bool regular = true;
  for_constants<0, N>([&](auto step) __attribute__((always_inline)) {
    constexpr int k = step;
    index best = k;
    T largest = abs(a[k * N + k]);
    for_constants<k + 1, N>([&](auto row) __attribute__((always_inline)) {
      const T here = abs(a[row * N + k]);
      best = here > largest ? index{row} : best;
      largest = here > largest ? here : largest;
    });
    pivots[k] = best;
    for_constants<k + 1, N>([&](auto row) __attribute__((always_inline)) {
      for_constants<0, N>([&](auto j) __attribute__((always_inline)) {
        exchange_if(best == row, a[k * N + j], a[row * N + j]);
      });
    });
    const bool is_positive = largest > T(0), is_finite = largest - largest == T(0);
    regular = regular & is_positive & is_finite;
    const T reciprocal = T(1) / a[k * N + k];
    reciprocals[k] = reciprocal;
    for_constants<k + 1, N>([&](auto row) __attribute__((always_inline)) {
      const T multiplier = a[row * N + k] * reciprocal;
      a[row * N + k] = multiplier;
      for_constants<k + 1, N>([&](auto j) __attribute__((always_inline)) {
        a[row * N + j] = muladd(-multiplier, a[k * N + j], a[row * N + j]);
      });
    });
  });
  return regular;
}

/// b = A⁻¹ b
template <int N, class T, class S>
REVODE_HD void solve_written_out(const T* a, const T* reciprocals, const index* pivots, S* b) {
  for_constants<0, N>([&](auto k) __attribute__((always_inline)) {
    for_constants<k + 1, N>([&](auto row) __attribute__((always_inline)) {
      exchange_if(pivots[k] == row, b[k], b[row]);
    });
  });
  for_constants<0, N>([&](auto k) __attribute__((always_inline)) {
    const S known = b[k];
    for_constants<k + 1, N>([&](auto i) __attribute__((always_inline)) {
      b[i] = muladd(-a[i * N + k], known, b[i]);
    });
  });
  for_constants_down<N, 0>([&](auto k) __attribute__((always_inline)) {
    const S known = b[k] * reciprocals[k];
    b[k] = known;
    for_constants<0, k>([&](auto i) __attribute__((always_inline)) {
      b[i] = muladd(-a[i * N + k], known, b[i]);
    });
  });
}

/// b = A⁻ᵀ b
template <int N, class T, class S>
REVODE_HD void solve_transposed_written_out(const T* a, const T* reciprocals, const index* pivots,
                                            S* b) {
  for_constants<0, N>([&](auto i) __attribute__((always_inline)) {
    const S known = b[i] * reciprocals[i];
    b[i] = known;
    for_constants<i + 1, N>([&](auto j) __attribute__((always_inline)) {
      b[j] = muladd(-a[i * N + j], known, b[j]);
    });
  });
  for_constants_down<N, 1>([&](auto i) __attribute__((always_inline)) {
    const S known = b[i];
    for_constants<0, i>([&](auto j) __attribute__((always_inline)) {
      b[j] = muladd(-a[i * N + j], known, b[j]);
    });
  });
  for_constants_down<N, 0>([&](auto k) __attribute__((always_inline)) {
    for_constants<k + 1, N>([&](auto row) __attribute__((always_inline)) {
      exchange_if(pivots[k] == row, b[k], b[row]);
    });
  });
}

}  // namespace revode
