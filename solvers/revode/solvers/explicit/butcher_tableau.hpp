// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>

namespace revode {

/// Explicit Runge–Kutta method with S stages:
///   k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j),  y₁ = y + h Σ b_i k_i,  ŷ₁ = y + h Σ b̂_i k_i.
/// b_embedded all zero: the method has no error estimate.
template <int S>
struct butcher_tableau {
  double a[S][S];
  double b[S];
  double b_embedded[S];
  double c[S];
};

/// Continuous extension y(θ) = y + h Σ b_i(θ) k_i, b_i(θ) = Σ_{j=1..D} weights[i][j-1] θ^j, over
/// the S stages of the step and E extra ones (a, c), evaluated only when a save point falls in the
/// step.
template <int S, int E, int D>
struct dense_tableau {
  double a[E > 0 ? E : 1][S + E];
  double c[E > 0 ? E : 1];
  double weights[S + E][D];
};

/// True when the last stage is f at the new point (last row of a equals b, c = 1), so that it
/// serves as the first stage of the next step ("first same as last").
template <int S>
REVODE_HD constexpr bool is_fsal(const butcher_tableau<S>& tableau) {
  bool same = tableau.c[S - 1] == 1.0;
  for (int j = 0; j < S; ++j) same = same && tableau.a[S - 1][j] == tableau.b[j];
  return same;
}

/// True when the tableau carries an embedded formula, hence an error estimate.
template <int S>
REVODE_HD constexpr bool has_estimate(const butcher_tableau<S>& tableau) {
  for (int i = 0; i < S; ++i) {
    if (tableau.b_embedded[i] != 0.0) return true;
  }
  return false;
}

/// Cubic Hermite part of an interpolant, k_f = f(t + h, y₁) being stage S (FSAL) or stage S + 1:
///   b_i(θ) = θ²(3 − 2θ) b_i + θ(1 − θ)² [i = 1] − θ²(1 − θ) [i = f].
/// dense  carries a and c of the extra stages; the result is dense with these weights
template <int S, int E, int D>
constexpr dense_tableau<S, E, D> hermite(const butcher_tableau<S>& tableau,
                                         dense_tableau<S, E, D> dense) {
  static_assert(D >= 3);
  const int f = is_fsal(tableau) ? S - 1 : S;
  for (int i = 0; i < S + E; ++i) {
    const double b = i < S ? tableau.b[i] : 0.0;
    const double first = i == 0 ? 1.0 : 0.0;
    const double last = i == f ? 1.0 : 0.0;
    for (int j = 0; j < D; ++j) dense.weights[i][j] = 0.0;
    dense.weights[i][0] = first;
    dense.weights[i][1] = 3.0 * b - 2.0 * first - last;
    dense.weights[i][2] = -2.0 * b + first + last;
  }
  return dense;
}

/// The interpolant plus M terms that leave values and slopes at both ends as they are:
///   b_i(θ) + θ²(1 − θ)² Σ_m d_mi φ_m(θ),  φ = 1, θ, θ(1 − θ), θ²(1 − θ).
template <int M, int S, int E, int D, int N>
constexpr dense_tableau<S, E, D> add_interior(dense_tableau<S, E, D> dense,
                                              const double (&d)[M][N]) {
  static_assert(N == S + E && M <= 4 && D >= M + 3);
  // θ²(1 − θ)² φ_m in powers θ² … θ⁷.
  constexpr double terms[4][6] = {
      {1, -2, 1, 0, 0, 0}, {0, 1, -2, 1, 0, 0}, {0, 1, -3, 3, -1, 0}, {0, 0, 1, -3, 3, -1}};
  for (int i = 0; i < N; ++i) {
    for (int m = 0; m < M; ++m) {
      for (int j = 1; j < D && j < 7; ++j) dense.weights[i][j] += d[m][i] * terms[m][j - 1];
    }
  }
  return dense;
}

/// Cubic Hermite interpolant between (y, k_1) and (y₁, f(t + h, y₁)): order min(order of b, 3).
/// E  0 for FSAL methods, whose last stage is f at the new point; 1 for the others: one extra stage
///    with row b at c = 1. The other choice does not compile.
template <int E, int S>
constexpr dense_tableau<S, E, 3> cubic_hermite(const butcher_tableau<S>& tableau) {
  static_assert(E == 0 || E == 1);
  if (is_fsal(tableau) != (E == 0)) throw "cubic_hermite needs E = 0 for FSAL methods, else 1";
  dense_tableau<S, E, 3> extra{};
  for (int j = 0; E == 1 && j < S; ++j) extra.a[0][j] = tableau.b[j];
  if (E == 1) extra.c[0] = 1.0;
  return hermite(tableau, extra);
}

}  // namespace revode
