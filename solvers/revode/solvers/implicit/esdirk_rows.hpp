// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk_tableau.hpp>

namespace revode {

/// Dense output from the stages' values alone, y(θ) = y + Σ d_i(θ) z_i, z_i = h Σ_j a_ij k_j, that is
/// y + h Σ b_i(θ) k_i with b = Aᵀ d. f(t, y), which magnifies whatever y has beside a smooth solution
/// by h λ, cancels: where a cubic Hermite polynomial has |y(θ)| ~ 0.15 |h λ| |y|, this stays bounded
/// for h λ → −∞. d is the least that meets the conditions of order p for every θ, and what is left
/// of the last stage at θ = 1 times θ^p:
///   C d(θ) = r(θ),  d(θ) = C⁺ r(θ) + θ^p (e_S − C⁺ r(1));  d(1) = e_S, b(1) is the step's own
/// Stage order 2 leaves few conditions: Σ b = θ, Σ b c = θ²/2, Σ b c² = θ³/3 and for p = 4
/// Σ b c³ = θ⁴/4, Σ b A c² = θ⁴/12. p = 2 with 3 stages, 3 with up to 6, then 4.
template <class M>
struct esdirk_rows {
  static constexpr int stages = esdirk_numbers<M>::stages;
  static constexpr int order = stages >= 7 ? 4 : stages >= 4 ? 3 : 2;
  static constexpr int conditions = order == 4 ? 5 : order;
  double weights[stages][order];  ///< b_i(θ) = Σ_j weights[i][j − 1] θ^j

  using number = long double;  // the conditions' Gram matrix has condition numbers of up to 10⁷

  constexpr esdirk_rows() : weights{} {
    number c[conditions][stages] = {}, gram[conditions][2 * conditions] = {};
    for (int i = 1; i < stages; ++i)
      for (int j = 0; j <= i; ++j)
        for (int k = 0; k < conditions; ++k) c[k][i] += a(i, j) * of_stage(k, j);
    for (int k = 0; k < conditions; ++k) {
      gram[k][conditions + k] = 1;
      for (int l = 0; l < conditions; ++l)
        for (int i = 1; i < stages; ++i) gram[k][l] += c[k][i] * c[l][i];
    }
    invert(gram);
    number d[stages][order] = {};
    for (int i = 1; i < stages; ++i) {
      number left = i == stages - 1 ? 1 : 0;
      for (int k = 0; k < conditions; ++k) {
        number inverse = 0;  // C⁺
        for (int l = 0; l < conditions; ++l) inverse += c[l][i] * gram[l][conditions + k];
        d[i][power(k) - 1] += inverse * at_end(k);
        left -= inverse * at_end(k);
      }
      d[i][order - 1] += left;
    }
    for (int j = 0; j < stages; ++j)
      for (int p = 0; p < order; ++p) {
        number sum = 0;
        for (int i = 1; i < stages; ++i) sum += a(i, j) * d[i][p];
        weights[j][p] = static_cast<double>(sum);
      }
  }

 private:
  static constexpr number a(int i, int j) { return j <= i ? M::tableau.a[i][j] : 0.0; }

  /// Φ of the condition at stage j: 1, c, c², c³, A c².
  static constexpr number of_stage(int condition, int j) {
    const number x = M::tableau.c[j];
    if (condition < 4) return condition == 0 ? 1 : x * of_stage(condition - 1, j);
    number sum = 0;
    for (int k = 0; k <= j; ++k) sum += a(j, k) * of_stage(2, k);
    return sum;
  }
  static constexpr int power(int condition) { return condition < 4 ? condition + 1 : 4; }
  static constexpr number at_end(int condition) {
    return number(1) / (condition < 4 ? condition + 1 : 12);
  }

  /// (G | I) → (I | G⁻¹) for a positive definite G.
  static constexpr void invert(number (&g)[conditions][2 * conditions]) {
    for (int k = 0; k < conditions; ++k) {
      const number pivot = g[k][k];
      for (number& x : g[k]) x /= pivot;
      for (int i = 0; i < conditions; ++i) {
        const number factor = g[i][k];
        if (i == k) continue;
        for (int j = 0; j < 2 * conditions; ++j) g[i][j] -= factor * g[k][j];
      }
    }
  }
};

}  // namespace revode
