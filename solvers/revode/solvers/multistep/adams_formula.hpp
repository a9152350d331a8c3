// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>

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
    const double by_whole = 1 / moment(m, q - 1, 1), inverse = h / sum;
    for (int i = 1; i <= q; ++i) l[i] = m[i - 1] * inverse_of(i) * by_whole;
    error = moment(m, q - 1, 2) * by_whole * inverse;
    ratio = 1 / (inverse * l[q]);
    if (q == K) return;
    multiply(m, q, inverse);
    higher = moment(m, q, 2) * by_whole * inverse_of(q + 1);
  }

 private:
  /// m ← m (1 + c x), of degree j then.
  static void multiply(double* m, int j, double c) {
    double below = m[0];  // as it was: vectors of what the last pass has stored would wait for it
    for (int i = 1; i <= j; ++i) {
      const double here = m[i];
      m[i] = muladd(below, c, here);
      below = here;
    }
  }
  /// ∫₋₁⁰ (−x)^(k−1) m
  static double moment(const double* m, int degree, int k) {
    double even = 0, odd = 0;
    for (int i = 0; i <= degree; i += 2) even += m[i] * inverse_of(i + k);
    for (int i = 1; i <= degree; i += 2) odd += m[i] * inverse_of(i + k);
    return even - odd;
  }
  static double inverse_of(int i) {
    static constexpr double all[] = {0,        1,        1.0 / 2,  1.0 / 3,  1.0 / 4,
                                     1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,  1.0 / 9,
                                     1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14};
    return all[i];
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
