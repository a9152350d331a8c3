// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace revode {

/// Rosenbrock method with S stages, in the form without products with the Jacobian:
///   (1/(h γ) − J) Uᵢ = f(t + αᵢ h, y + Σ_{j<i} a_ij Uⱼ) + Σ_{j<i} (c_ij/h) Uⱼ + h γᵢ ∂f/∂t,
///   y₁ = y + Σ mᵢ Uᵢ,  estimate Σ eᵢ Uᵢ,  J = ∂f/∂y(t, y).
/// With a mass matrix, M y' = f, M stands before 1/(h γ) and before the sum with c_ij/h.
/// source  Hairer & Wanner, Solving ODEs II, IV.7, (7.25)
template <int S>
struct rosenbrock_tableau {
  double gamma;
  double a[S][S];
  double c[S][S];
  double m[S];
  double e[S];
  double node[S];    // αᵢ
  double driven[S];  // γᵢ
};

/// Continuous extension, with θ = (t' − t)/h and K_l = Σⱼ row[l][j] Uⱼ:
///   y(θ) = (1 − θ) y + θ (y₁ + (1 − θ)(K₁ + θ (K₂ + θ (K₃ + …))))
template <int S, int D>
struct rosenbrock_rows {
  double row[D][S];
};

/// The same method as Σⱼ over increments kᵢ: what its order conditions are about,
///   kᵢ = h f(t + αᵢ h, y + Σ α_ij kⱼ) + h J Σ γ_ij kⱼ + γᵢ h² ∂f/∂t,  y₁ = y + Σ bᵢ kᵢ.
template <int S>
struct rosenbrock_increments {
  double alpha[S][S];
  double gamma[S][S];  // the diagonal included
  double b[S];
  double e[S];
};

/// The inverse of a lower triangular matrix.
template <int S>
struct lower_inverse {
  double x[S][S] = {};
  constexpr explicit lower_inverse(const double (&l)[S][S]) {
    for (int k = 0; k < S; ++k) {
      for (int i = k; i < S; ++i) {
        double sum = i == k ? 1.0 : 0.0;
        for (int j = k; j < i; ++j) sum -= l[i][j] * x[j][k];
        x[i][k] = sum / l[i][i];
      }
    }
  }
};

/// out = v A, for rows of weights.
template <int S>
constexpr void times(const double (&v)[S], const double (&a)[S][S], double (&out)[S]) {
  for (int j = 0; j < S; ++j) {
    out[j] = 0;
    for (int k = 0; k < S; ++k) out[j] += v[k] * a[k][j];
  }
}

/// U = Γ k: a = α Γ⁻¹, c = 1/γ − Γ⁻¹, m = b Γ⁻¹.
template <int S>
constexpr rosenbrock_tableau<S> from_increments(const rosenbrock_increments<S>& k) {
  const lower_inverse<S> inverse(k.gamma);
  rosenbrock_tableau<S> u{};
  u.gamma = k.gamma[0][0];
  times(k.b, inverse.x, u.m);
  times(k.e, inverse.x, u.e);
  for (int i = 0; i < S; ++i) {
    times(k.alpha[i], inverse.x, u.a[i]);
    for (int j = 0; j < S; ++j) {
      u.node[i] += k.alpha[i][j];
      u.driven[i] += k.gamma[i][j];
      if (j < i)
        u.c[i][j] = -inverse.x[i][j];
      else
        u.a[i][j] = 0;
    }
  }
  return u;
}

/// Γ⁻¹ = 1/γ − c, α = a Γ, b = m Γ.
template <int S>
constexpr rosenbrock_increments<S> increments_of(const rosenbrock_tableau<S>& u) {
  double inverse[S][S] = {};
  for (int i = 0; i < S; ++i) {
    for (int j = 0; j < i; ++j) inverse[i][j] = -u.c[i][j];
    inverse[i][i] = 1 / u.gamma;
  }
  const lower_inverse<S> gamma(inverse);
  rosenbrock_increments<S> k{};
  times(u.m, gamma.x, k.b);
  times(u.e, gamma.x, k.e);
  for (int i = 0; i < S; ++i) {
    times(u.a[i], gamma.x, k.alpha[i]);
    for (int j = 0; j < S; ++j) {
      k.gamma[i][j] = gamma.x[i][j];
      if (j >= i) k.alpha[i][j] = 0;
    }
  }
  return k;
}

/// What a stiffly accurate method with an embedded one leaves unsaid: y₁ is the last stage's
/// argument plus U_S, and that argument is the embedded solution.
template <int S>
constexpr rosenbrock_tableau<S> stiffly_accurate(rosenbrock_tableau<S> u) {
  for (int j = 0; j < S - 1; ++j) u.m[j] = u.a[S - 1][j];
  u.m[S - 1] = 1;
  u.e[S - 1] = 1;
  return u;
}

}  // namespace revode
