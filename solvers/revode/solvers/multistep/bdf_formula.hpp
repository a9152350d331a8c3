// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace revode {

/// The numbers of a BDF step of order q and length h behind steps τ₀, τ₁, … (τ₀ the last one): the corrector
///   l(x) = Π_{j<q} (1 + x/ξⱼ) (1 + x/ξ*),  ξⱼ h = h + τ₀ + … + τ_{j−2},  1/ξ* = Σ_{j≤q} 1/j − Σ_{j<q} 1/ξⱼ
/// whose leading coefficient does not depend on the steps, and what its error is in units of the
/// correction a: `error` |a| at order q, `higher` |a − ratio …| at q + 1, `lower` |z_q| at q − 1.
/// cost    q² multiply-adds, no state
/// source  Jackson & Sacks-Davis, ACM TOMS 6 (1980) 295–318; Byrne & Hindmarsh, ACM TOMS 1 (1975)
///         71–96; the weights are those of CVODE (cvSetBDF, cvSetTqBDF)
template <int K>
struct bdf_formula {
  double l[K + 1] = {1, 1};
  double error = 0, lower = 1, higher = 0, ratio = 0;

  static constexpr double kappa(int) { return 0; }

  bdf_formula(int q, double h, const double (&tau)[K]) {
    double alpha = -1, hat = -1, xi = 1, star = 1, sum = h;
    for (int j = 2; j < q; ++j) {
      sum += tau[j - 2];
      multiply(j, h / sum);
      alpha -= 1.0 / j;
    }
    if (q > 1) {
      alpha -= 1.0 / q;
      star = -l[1] - alpha;
      sum += tau[q - 2];
      xi = h / sum;
      hat = -l[1] - xi;
      multiply(q, star);
    }
    const double a1 = 1 - hat + alpha, a2 = 1 + q * a1;
    error = std::abs(a1 / (alpha * a2));
    ratio = std::abs(a2 * star / (l[q] * xi));
    if (q > 1) {
      const double a3 = alpha + 1.0 / q, a4 = hat + xi;
      lower = std::abs(star / l[q] * (1 - a4 + a3) / a3);
    }
    if (q == K) return;
    xi = h / (sum + tau[q - 1]);
    const double a5 = alpha - 1.0 / (q + 1), a6 = hat - xi;
    higher = std::abs((1 - a6 + a5) / (a2 * xi * (q + 2) * a5));
  }

 private:
  /// l ← l (1 + c x), of degree j then.
  void multiply(int j, double c) {
    for (int i = j; i >= 1; --i) l[i] += l[i - 1] * c;
  }
};

/// BDF with κ l₁ a beside its slope, z₁ + l₁ a − κ l₁ a = h f: longer steps for the same error at orders 1 to 4,
/// for a little less stability at orders 3 and 4. With l and the array as they are, the error is |(error + κ) a|;
/// those of the orders beside take the ratio that equal steps have, 1 + (q + 1) κ Σ_{j≤q} 1/j.
/// source  Shampine & Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22, Table 1
template <int K>
struct ndf_formula : bdf_formula<K> {
  static constexpr double kappa(int q) {
    constexpr double of_order[] = {0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};
    return of_order[q];
  }

  ndf_formula(int q, double h, const double (&tau)[K]) : bdf_formula<K>(q, h, tau) {
    this->error = std::abs(this->error + kappa(q));
    if (q > 1) this->lower *= part(q - 1);
    if (q < K) this->higher *= part(q + 1);
  }

 private:
  /// The error of order q beside BDF's.
  static double part(int q) {
    double sum = 0;
    for (int j = 1; j <= q; ++j) sum += 1.0 / j;
    return 1 + (q + 1) * kappa(q) * sum;
  }
};

/// How the array of order q changes before a step of order q ± 1, in the scale of the last step τ₀:
///   up    z_{q+1} = raise · a, a the last correction,  zⱼ += c[j] z_{q+1} for 2 ≤ j ≤ q
///   down  zⱼ −= c[j] z_q for 2 ≤ j < q
/// The polynomial then passes through one point of the past more, or less.
/// source  CVODE (cvIncreaseBDF, cvDecreaseBDF)
template <int K>
struct bdf_order_change {
  double c[K + 1] = {}, raise = 0;

  bdf_order_change(int from, int to, const double (&tau)[K]) {
    if (to == from || to == 1) return;
    c[2] = 1;
    if (to > from)
      go_up(from, tau);
    else
      go_down(from, tau);
  }

 private:
  void go_up(int q, const double (&tau)[K]) {
    double alpha0 = -1, alpha1 = 1, product = 1, before = 1, sum = tau[0];
    for (int j = 1; j < q; ++j) {
      sum += tau[j];
      const double xi = sum / tau[0];
      product *= xi;
      alpha0 -= 1.0 / (j + 1);
      alpha1 += 1 / xi;
      multiply(j, before);
      before = xi;
    }
    raise = (-alpha0 - alpha1) / product;
  }
  void go_down(int q, const double (&tau)[K]) {
    double sum = 0;
    for (int j = 1; j <= q - 2; ++j) {
      sum += tau[j - 1];
      multiply(j, sum / tau[0]);
    }
  }
  /// c ← c (x + root)
  void multiply(int j, double root) {
    for (int i = j + 2; i >= 2; --i) c[i] = c[i] * root + c[i - 1];
  }
};

}  // namespace revode
