// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock/rosenbrock_tableau.hpp>

namespace revode {

// Continuous extensions of methods that were published without one, by conditions on the weights κ
// of increments in y(θ) = y + θ Σ bᵢ kᵢ + θ (1 − θ)(Σ κ₁ᵢ kᵢ + θ Σ κ₂ᵢ kᵢ).

/// The columns that conditions of order 1 to 3 are about: 1, β, α², β β.
template <int S>
struct condition_columns {
  double x[4][S] = {};
  constexpr explicit condition_columns(const rosenbrock_increments<S>& k) {
    for (int i = 0; i < S; ++i) {
      double node = 0;
      for (int j = 0; j <= i; ++j) {
        node += k.alpha[i][j];
        x[1][i] += k.alpha[i][j] + k.gamma[i][j];
      }
      x[0][i] = 1;
      x[2][i] = node * node;
      for (int j = 0; j <= i; ++j) x[3][i] += (k.alpha[i][j] + k.gamma[i][j]) * x[1][j];
    }
  }
};

/// Solves a y = b for both columns of b, in place (Gauss–Jordan with row exchanges).
constexpr void solve_conditions(double (&a)[4][4], double (&b)[4][2]) {
  const auto size = [](double v) { return v < 0 ? -v : v; };
  const auto exchange = [](double& u, double& v) {
    const double kept = u;
    u = v;
    v = kept;
  };
  for (int p = 0; p < 4; ++p) {
    int best = p;
    for (int i = p + 1; i < 4; ++i)
      if (size(a[i][p]) > size(a[best][p])) best = i;
    for (int j = 0; j < 4; ++j) exchange(a[p][j], a[best][j]);
    for (int r = 0; r < 2; ++r) exchange(b[p][r], b[best][r]);
    for (int i = 0; i < 4; ++i) {
      if (i == p) continue;
      const double factor = a[i][p] / a[p][p];
      for (int j = p; j < 4; ++j) a[i][j] -= factor * a[p][j];
      for (int r = 0; r < 2; ++r) b[i][r] -= factor * b[p][r];
    }
  }
  for (int p = 0; p < 4; ++p)
    for (int r = 0; r < 2; ++r) b[p][r] /= a[p][p];
}

/// The cubic of order 3 on the first four stages, where their conditions determine it:
///   κ₁ · (1, β, α², β β) = −(0, 1/2, 1/3, 1/6),  κ₂ · (…) = −(0, 0, 1/3, 1/6).
template <int S>
constexpr rosenbrock_rows<S, 2> cubic_rows(const rosenbrock_tableau<S>& u) {
  static_assert(S >= 4);
  const auto k = increments_of(u);
  const condition_columns<S> columns(k);
  double a[4][4] = {}, b[4][2] = {{0, 0}, {-0.5, 0}, {-1.0 / 3, -1.0 / 3}, {-1.0 / 6, -1.0 / 6}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) a[i][j] = columns.x[i][j];
  solve_conditions(a, b);
  double kappa[2][S] = {};
  for (int r = 0; r < 2; ++r)
    for (int i = 0; i < 4; ++i) kappa[r][i] = b[i][r];
  const lower_inverse<S> inverse(k.gamma);
  rosenbrock_rows<S, 2> rows{};
  for (int r = 0; r < 2; ++r) times(kappa[r], inverse.x, rows.row[r]);
  return rows;
}

/// The quadratic of order 2 on the increments i and j: κ₁ = −(1, −1)/(2 (β_i − β_j)).
template <int S>
constexpr rosenbrock_rows<S, 1> quadratic_rows(const rosenbrock_tableau<S>& u, int i, int j) {
  const auto k = increments_of(u);
  const condition_columns<S> columns(k);
  double kappa[S] = {};
  kappa[i] = -0.5 / (columns.x[1][i] - columns.x[1][j]);
  kappa[j] = -kappa[i];
  const lower_inverse<S> inverse(k.gamma);
  rosenbrock_rows<S, 1> rows{};
  times(kappa, inverse.x, rows.row[0]);
  return rows;
}

}  // namespace revode
