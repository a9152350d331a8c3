// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/newton.hpp>
#include <revode/solvers/radau/radau_numbers.hpp>

namespace revode {

/// Lᵢ(θ), i = 1 … S, of the polynomial that is 0 at θ = 0 and zᵢ at cᵢ, and their derivatives.
template <int S>
struct radau_basis {
  double value[S], slope[S];

  explicit radau_basis(double theta) {
    for (int i = 0; i < S; ++i) {
      value[i] = scales.of[i] * theta;
      slope[i] = scales.of[i];
      for (int k = 1; k < S; ++k) {
        const double factor = theta - radau_numbers<S>::c[(i + k) % S];
        slope[i] = slope[i] * factor + value[i];
        value[i] = value[i] * factor;
      }
    }
  }

 private:
  struct inverse_products {
    double of[S];
  };
  static constexpr inverse_products scales = [] {
    inverse_products found{};
    for (int i = 0; i < S; ++i) {
      const double c = radau_numbers<S>::c[i];
      double product = c;
      for (int k = 1; k < S; ++k) product *= c - radau_numbers<S>::c[(i + k) % S];
      found.of[i] = 1 / product;
    }
    return found;
  }();
};

/// of[j]·z: the coefficient of degree `from` + j, in Legendre's polynomials on [0, 1], of the one that is 0 at
/// θ = 0 and zᵢ at cᵢ.
template <int S>
struct radau_tail {
  static constexpr int from = S == 3 ? 2 : (S + 3) / 2, count = S + 1 - from;
  double of[count][S];

  /// (2k + 1) ∫ θ^r P_k(2θ − 1) dθ = (2k + 1) (r!)² / ((r − k)! (r + k + 1)!) from 0 to 1.
  static constexpr double moment(int r, int k) {
    double found = 2 * k + 1;
    for (int i = r - k + 1; i <= r; ++i) found *= i;
    for (int i = r + 1; i <= r + k + 1; ++i) found /= i;
    return found;
  }
};
template <int S>
inline constexpr radau_tail<S> radau_tail_of = [] {
  using tail = radau_tail<S>;
  tail found{};
  for (int i = 0; i < S; ++i) {
    double power[S + 1] = {0, 1}, at_node = radau_numbers<S>::c[i];  // of Lᵢ's factors
    for (int k = 0, degree = 1; k < S; ++k) {
      if (k == i) continue;
      const double c = radau_numbers<S>::c[k];
      at_node *= radau_numbers<S>::c[i] - c;
      for (int r = ++degree; r > 0; --r) power[r] = power[r - 1] - c * power[r];
    }
    for (int j = 0; j < tail::count; ++j)
      for (int r = tail::from + j; r <= S; ++r)
        found.of[j][i] += power[r] / at_node * tail::moment(r, tail::from + j);
  }
  return found;
}();

/// z ← the polynomial of a step of K stages, of length h_past, at the S stages of the next one, less its
/// end.
template <int K, class Y, int S>
void extrapolate_stages(const Y* past, double h_past, double h, Y (&z)[S]) {
  using T = scalar_t<Y>;
  const double ratio = h / h_past;
  for (int i = 0; i < S; ++i) {
    const radau_basis<K> at(muladd(radau_numbers<S>::c[i], ratio, 1.0));
    const T last = T(at.value[K - 1] - 1);
    for (int k = 0, n = length(z[i]); k < n; ++k) {
      T sum = last * past[K - 1].data()[k];
      for (int j = K - 2; j >= 0; --j) sum = muladd(T(at.value[j]), past[j].data()[k], sum);
      z[i].data()[k] = sum;
    }
  }
}

/// z ← the last step's polynomial at the stages of this one, less its end: 0 where there is none.
template <class Y, int S>
void predict_radau_stages(const newton_memo<Y, S>& memo, double h, Y (&z)[S]) {
  if (memo.h == 0) {
    for (Y& part : z) fill(part, scalar_t<Y>(0));
    return;
  }
  extrapolate_stages<S>(memo.past, memo.h, h, z);
}

}  // namespace revode
