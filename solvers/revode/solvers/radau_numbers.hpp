// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace revode {

/// For use in constant expressions: the nodes c, inverse = A⁻¹ = T diag(γ, (α −β; β α), …) T⁻¹ as t
/// and t_inverse, and e of the estimate.
template <int S>
struct radau_numbers;

/// A sum whose terms should cancel to rounding.
struct cancelling_sum {
  double value = 0, size = 0;
  constexpr void add(double x) {
    value += x;
    size += x < 0 ? -x : x;
  }
  constexpr bool vanishes() const { return value <= 2e-15 * size && -value <= 2e-15 * size; }
};

/// ∫ xᵏ (x − c₁)…(x − c_S) = 0 over [0, 1] for k ≤ S − 2: the weights on c have order 2 S − 1.
template <int S>
constexpr bool are_radau_nodes(const double (&c)[S]) {
  double p[S + 1] = {1};
  for (int i = 0; i < S; ++i)
    for (int k = i + 1; k >= 0; --k) p[k] = (k > 0 ? p[k - 1] : 0) - c[i] * p[k];
  for (int k = 0; k <= S - 2; ++k) {
    cancelling_sum integral;
    for (int j = 0; j <= S; ++j) integral.add(p[j] / (j + k + 1));
    if (!integral.vanishes()) return false;
  }
  return c[S - 1] == 1;
}

/// Σⱼ (A⁻¹)ᵢⱼ cⱼ^q = q cᵢ^(q−1) for q ≤ S: collocation; and Σ eᵢ zᵢ is minus the slope at 0 of the
/// polynomial that is 0 there and zᵢ at cᵢ.
template <int S>
constexpr bool radau_matrix_collocates() {
  using n = radau_numbers<S>;
  double power[S];
  for (double& x : power) x = 1;
  for (int q = 1; q <= S; ++q) {
    cancelling_sum slope;
    slope.add(q == 1 ? 1 : 0);
    for (int i = 0; i < S; ++i) {
      cancelling_sum rest;
      rest.add(-q * power[i]);
      for (int j = 0; j < S; ++j) rest.add(n::inverse[i][j] * n::c[j] * power[j]);
      if (!rest.vanishes()) return false;
      slope.add(n::e[i] * n::c[i] * power[i]);
    }
    if (!slope.vanishes()) return false;
    for (int j = 0; j < S; ++j) power[j] *= n::c[j];
  }
  return true;
}

/// A⁻¹ T = T diag(…) and T T⁻¹ = I.
template <int S>
constexpr bool radau_transformation_agrees() {
  using n = radau_numbers<S>;
  double blocks[S][S] = {{n::gamma}};
  for (int k = 0; k < (S - 1) / 2; ++k) {
    const int i = 2 * k + 1;
    blocks[i][i] = blocks[i + 1][i + 1] = n::alpha[k];
    blocks[i + 1][i] = n::beta[k];
    blocks[i][i + 1] = -n::beta[k];
  }
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) {
      cancelling_sum similar, inverse;
      inverse.add(i == j ? -1 : 0);
      for (int k = 0; k < S; ++k) {
        similar.add(n::inverse[i][k] * n::t[k][j]);
        similar.add(-n::t[i][k] * blocks[k][j]);
        inverse.add(n::t[i][k] * n::t_inverse[k][j]);
      }
      if (!similar.vanishes() || !inverse.vanishes()) return false;
    }
  return true;
}

template <int S>
constexpr bool radau_numbers_agree() {
  return are_radau_nodes(radau_numbers<S>::c) && radau_matrix_collocates<S>() &&
         radau_transformation_agrees<S>();
}

}  // namespace revode
