// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <revode/solvers/stabilized/stabilized_types.hpp>

namespace revode {

/// The stability polynomial of a ROCK method with s stages, R(z) = w(z) P(z) of degree s: w has R
/// complex zeros and P, of degree s − R, is orthogonal for w²/√(1 − x²), so that R nearly
/// equioscillates. In Y = s² (1 − x) ∈ [0, 2s²] the zeros of w are u_0 ± i u_1, …; the origin of z is
/// Y = −u_R, and z = u_{R+1} (−u_R − Y). P's recurrence is made here, from these R + 2 numbers.
/// source  Abdulle & Medovikov, Numer. Math. 90 (2001) 1–18; Abdulle, SIAM J. Sci. Comput. 23 (2002)
///         2041–2054
template <int R>
struct rock_polynomial {
  int stages;
  double u[R + 2];

  /// |R| ≤ 0.95 from there to the left of the origin's neighbourhood, where it falls from 1.
  constexpr double stable_to() const { return u[R + 1] * (2.0 * stages * stages + u[R]); }
};

/// w(z)/w(0) in powers of z.
template <int R>
void rock_factor(const rock_polynomial<R>& of, double (&w)[R + 1]) {
  for (double& x : w) x = 0;
  w[0] = 1;
  for (int i = 0; i < R / 2; ++i) {
    const double e = of.u[2 * i] + of.u[R], d = of.u[R + 1];
    const double size = e * e + of.u[2 * i + 1] * of.u[2 * i + 1];
    for (int k = 2 * i + 2; k > 0; --k)
      w[k] += 2 * e / (d * size) * w[k - 1] + (k > 1 ? w[k - 2] / (d * d * size) : 0);
  }
}

/// The rows of the scheme: P by its three-term recurrence, normalised to P(0) = 1. Stieltjes's
/// procedure at Chebyshev points.
/// cost    some 30 s² operations, once a degree and process
template <int R>
void set_rock_rows(const rock_polynomial<R>& of, stabilized_scheme& scheme) {
  const int m = of.stages - R;
  const std::size_t points = static_cast<std::size_t>(3 * of.stages + 10);
  using real = long double;  // double leaves R 2 % too large at the end for 150 stages
  std::vector<real> y(points), weight(points, 1), before(points, 0), now(points, 1);
  for (std::size_t i = 0; i < points; ++i) {
    const real angle =
        (2 * static_cast<real>(i) + 1) * std::numbers::pi_v<real> / (2 * static_cast<real>(points));
    const real half = of.stages * std::sin(angle / 2);
    y[i] = 2 * half * half;
    for (int k = 0; k < R; k += 2) {
      const real off = y[i] - of.u[k];
      const real scaled = (off * off + of.u[k + 1] * of.u[k + 1]) / (4.0 * m * m * m * m + 1);
      weight[i] *= scaled * scaled;
    }
  }
  scheme.m = scheme.split = m;
  real norm_before = 1, at_before = 0;
  for (int j = 1; j <= m; ++j) {
    real norm = 0, moment = 0, largest = 0;
    for (std::size_t i = 0; i < points; ++i) {
      const real part = weight[i] * now[i] * now[i];
      norm += part;
      moment += part * y[i];
    }
    const real alpha = moment / norm, beta = j > 1 ? norm / norm_before : 0;
    const real at = (-of.u[R] - alpha) - beta * at_before;  // times P_{j−1}(0), which is 1
    const double nu = static_cast<double>(-beta * at_before / at);
    scheme.rows[j] = {1 - nu, nu, static_cast<double>(-1 / (at * of.u[R + 1])), 0};
    for (std::size_t i = 0; i < points; ++i) {
      const real next = (y[i] - alpha) * now[i] - beta * before[i];
      before[i] = now[i];
      now[i] = next;
      if (std::abs(next) > largest) largest = std::abs(next);
    }
    for (std::size_t i = 0; i < points; ++i) {
      now[i] /= largest;
      before[i] /= largest;
    }
    norm_before = norm / (largest * largest);
    at_before = 1 / at;
  }
}

}  // namespace revode
