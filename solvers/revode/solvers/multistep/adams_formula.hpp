// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace revode {

/// The numbers of an Adams step of order q and length h behind steps τ₀, τ₁, … (τ₀ the last one): with
/// ξⱼ h = h + τ₀ + … + τ_{j−2} the corrector
///   l(x) = ∫₋₁ˣ m / ∫₋₁⁰ m,  m(x) = Π_{j<q} (1 + x/ξⱼ),
/// which leaves the slopes of the q − 1 points before as they are, and what its error is in units of the
/// correction a: `error` |a| at order q, `higher` |a − ratio …| at q + 1, `lower` |z_q| at q − 1.
/// cost    q² multiply-adds, no state
/// source  Byrne & Hindmarsh, ACM TOMS 1 (1975) 71–96; the weights are those of CVODE (cvSetAdams)
template <int K>
struct adams_formula {
  double l[K + 1] = {1};
  double error = 0, lower = 1, higher = 0, ratio = 0;

  adams_formula(int q, double h, const double (&tau)[K]) {
    double m[K + 1] = {1}, sum = h;
    for (int j = 1; j < q; ++j) {
      if (j == q - 1) lower = q * moment(m, q - 2, 2) / m[q - 2];
      multiply(m, j, h / sum);
      sum += tau[j - 1];
    }
    const double whole = moment(m, q - 1, 1);
    for (int i = 1; i <= q; ++i) l[i] = m[i - 1] / (i * whole);
    error = moment(m, q - 1, 2) / whole * (h / sum);
    ratio = sum / (h * l[q]);
    if (q == K) return;
    multiply(m, q, h / sum);
    higher = moment(m, q, 2) / (whole * (q + 1));
  }

 private:
  /// m ← m (1 + c x), of degree j then.
  static void multiply(double* m, int j, double c) {
    for (int i = j; i >= 1; --i) m[i] += m[i - 1] * c;
  }
  /// ∫₋₁⁰ (−x)^(k−1) m
  static double moment(const double* m, int degree, int k) {
    double sum = 0, sign = 1;
    for (int i = 0; i <= degree; ++i, sign = -sign) sum += sign * m[i] / (i + k);
    return sum;
  }
};

/// How the array of order q changes before a step of order q ± 1, in the scale of the last step τ₀:
///   up    z_{q+1} = 0, since the next correction passes through one slope more by itself
///   down  zⱼ −= c[j] z_q for 2 ≤ j < q, which takes away q ∫₀ˣ x (x + ξ₁) … (x + ξ_{q−2}): the slopes of the
///         q − 1 last points stay
/// source  Byrne & Hindmarsh, ACM TOMS 1 (1975) 71–96
template <int K>
struct adams_order_change {
  double c[K + 1] = {}, raise = 0;

  adams_order_change(int q, int to, const double (&tau)[K]) {
    if (to >= q || to == 1) return;
    double slope[K + 1] = {0, 1}, sum = 0;
    for (int j = 1; j <= q - 2; ++j) {
      sum += tau[j - 1];
      for (int i = j + 1; i >= 1; --i) slope[i] = slope[i] * (sum / tau[0]) + slope[i - 1];
    }
    for (int j = 1; j < q; ++j) c[j + 1] = q * slope[j] / (j + 1);
  }
};

}  // namespace revode
