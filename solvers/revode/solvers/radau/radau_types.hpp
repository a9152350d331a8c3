// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/solvers/implicit/newton.hpp>
#include <revode/solvers/radau/radau_numbers.hpp>

namespace revode {

/// The collocation method of order 2 S − 1 on the S right Radau points, S = 3, 5, 7: L-stable,
/// stiffly accurate, stage order S. Steps, Jacobians and factorisations of three stages are those of
/// the literature's RADAU5; five and seven are controlled as RADAU's at orders 9 and 13, but for steps
/// after a rejection (growth_limits).
/// Fixed steps solve the stage equations to rounding, adaptive ones as far as the error needs.
/// source  Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), IV.8; J. Comput. Appl. Math. 111 (1999)
///         93–111
/// dense output  the collocation polynomial, of order S inside a step
/// snapshots  hold y, where J was taken, and the last step's stages: S + 2 states
template <int S>
struct radau_iia {
  static constexpr const char* name = S == 3 ? "radau_iia5" : S == 5 ? "radau_iia9" : "radau_iia13";
  static constexpr const char* source =
      S == 3 ? "Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), section IV.8"
             : "Hairer & Wanner, J. Comput. Appl. Math. 111 (1999) 93-111";
  static constexpr int stages = S, order = 2 * S - 1, embedded_order = S, dense_order = S;

  /// What iterations may leave, in units of what the estimate is allowed; 0: chosen, 0.02 to 0.03 of the
  /// tolerance (radau_newton_tolerance). The gradient is that of exactly solved stages: smaller values
  /// bring the two closer.
  double newton = 0;
};

/// One of these methods, or one with another algebra.
template <class M>
concept radau_method = std::derived_from<M, radau_iia<M::stages>>;

/// Such a method, or one whose steps are those of several of them, up to so many stages.
template <class M>
concept collocation_method = radau_method<M> || requires {
  M::most_stages;
};

template <int S>
using stages_constant = std::integral_constant<int, S>;

/// y_n and the stages less y_n.
template <class Y, int S>
struct radau_stages {
  Y y, z[S];

  radau_stages() = default;
  explicit radau_stages(const Y& like) : y(like) {
    for (Y& part : z) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& part : self.z) visit(part);
  }
  void clear() {
    parts(*this, [](Y& part) { fill(part, scalar_t<Y>(0)); });
  }
};

template <collocation_method M>
inline constexpr bool takes_mass_v<M> = !inexact_v<algebra_t<M>>;
template <collocation_method M>
inline constexpr bool takes_index_v<M> = takes_mass_v<M>;
template <radau_method M>
inline constexpr bool takes_spread_v<M> = by_parts_v<algebra_t<M>>;

/// f becomes the factors of (α + iβ) M − j.
template <class Factors, class Matrix, class T, class Mass>
bool factor_complex_pencil(Factors& f, const Matrix& j, const T& alpha, const T& beta,
                           [[maybe_unused]] const Mass& mass) {
  if constexpr (std::is_same_v<Mass, nothing>) {
    return f.factor_shifted(j, alpha, beta);
  } else {
    Matrix real = j, imaginary = j;
    imaginary.clear();
    mass.subtract_from(real, alpha);
    mass.subtract_from(imaginary, beta);
    return f.factor_negative(real, imaginary);
  }
}

/// γ/h I − J and (α + iβ)/h I − J, factored; a mass matrix stands in the place of I.
template <class L, class Y, int S>
struct radau_factors {
  static constexpr int pairs = (S - 1) / 2;
  typename L::template factors<Y> real;
  typename L::template complex_factors<Y> complex[pairs];

  template <class Matrix, class Mass>
  bool factor(const Matrix& j, scalar_t<Y> h, const Mass& mass) {
    using T = scalar_t<Y>;
    using n = radau_numbers<S>;
    bool regular = factor_pencil(real, j, T(n::gamma) / h, mass);
    T alpha[pairs], beta[pairs];
    for (int k = 0; k < pairs; ++k) {
      alpha[k] = T(n::alpha[k]) / h;
      beta[k] = T(n::beta[k]) / h;
    }
    if constexpr (requires { complex[0].factor_all(complex, j, alpha, beta, mass); }) {
      regular = complex[0].factor_all(complex, j, alpha, beta, mass) && regular;
    } else {
      for (int k = 0; k < pairs; ++k)
        regular = factor_complex_pencil(complex[k], j, alpha[k], beta[k], mass) && regular;
    }
    return regular;
  }
  /// x ← diag(γ/h − J, …)⁻¹ x, all blocks.
  void solve(Y (&x)[S]) const {
    real.solve(x[0]);
    if constexpr (requires { complex[0].solve_all(complex, x + 1); }) {
      complex[0].solve_all(complex, x + 1);
    } else {
      for (int k = 0; k < pairs; ++k) complex[k].solve(x[2 * k + 1], x[2 * k + 2]);
    }
  }
  void solve_transposed(Y (&x)[S]) const {
    real.solve_transposed(x[0]);
    for (int k = 0; k < pairs; ++k) complex[k].solve_adjoint(x[2 * k + 1], x[2 * k + 2]);
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.real);
    for (auto& part : self.complex) visit(part);
  }
};

/// What is rebuilt from state and memo; and places for the iterations, which mean nothing between
/// calls.
template <class L, class Y, int S>
struct radau_cache {
  Y slope;  ///< f(t, y)
  typename L::template jacobian<Y> jacobian;
  radau_factors<L, Y, S> factors;
  Y w[S], correction[S], stage, weight;
  double theta = 0;  ///< by how much the last iterations converged (newton_control::theta)

  radau_cache() = default;
  explicit radau_cache(const Y& y) : slope(y), jacobian{}, factors{}, stage(y), weight(y) {
    for (int i = 0; i < S; ++i) w[i] = correction[i] = y;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.slope);
    visit(self.jacobian);
    visit(self.factors);
  }
  template <class Visit>
  void temporaries(Visit&& visit) const {
    for (int i = 0; i < S; ++i) {
      visit(w[i]);
      visit(correction[i]);
    }
    visit(stage);
    visit(weight);
  }
};

/// For pull and push: the Jacobians at the stages, factors of their own, three vectors a stage.
template <class L, class Y, int S>
struct radau_scratch {
  typename L::template jacobian<Y> jacobian[S];
  radau_factors<L, Y, S> factors;
  sweep_factors kept{};
  static constexpr bool keeps_factors() { return true; }
  Y x[S], right[S], rest[S];

  radau_scratch() = default;
  /// Dense output is the tape's alone.
  static radau_scratch for_dense_output(const Y&) { return {}; }
  explicit radau_scratch(const Y& y) : jacobian{}, factors{} {
    for (int i = 0; i < S; ++i) x[i] = right[i] = rest[i] = y;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto& part : self.jacobian) visit(part);
    visit(self.factors);
    for (int i = 0; i < S; ++i) {
      visit(self.x[i]);
      visit(self.right[i]);
      visit(self.rest[i]);
    }
  }
};

template <class M, class Y>
using radau_stages_t = radau_stages<Y, M::stages>;
template <class M, class Y>
using radau_cache_t = radau_cache<algebra_t<M>, Y, M::stages>;
template <class M, class Y>
using radau_scratch_t = radau_scratch<algebra_t<M>, Y, M::stages>;

template <radau_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using memo = newton_memo<Y, M::stages>;
  using cache = radau_cache_t<M, Y>;
  using tape = radau_stages_t<M, Y>;
  using record = newton_record<1>;
  using scratch = radau_scratch_t<M, Y>;
  using seeds = radau_stages_t<M, Y>;
  static constexpr bool asks_jacobian = std::is_same_v<algebra_t<M>, dense_algebra>;
};

/// tᵢ = t + cᵢ (t_new − t); the last is t_new itself.
template <int S>
double radau_time(int i, double t, double t_new) {
  return i == S - 1 ? t_new : muladd(radau_numbers<S>::c[i], t_new - t, t);
}

/// x ← m x over the stages, element by element.
template <int S, class Y>
void transform(const double (&m)[S][S], const Y (&from)[S], Y (&to)[S]) {
  using T = scalar_t<Y>;
  for (int k = 0, n = length(from[0]); k < n; ++k) {
    T x[S];
    for (int j = 0; j < S; ++j) x[j] = from[j].data()[k];
    for (int i = 0; i < S; ++i) {
      T sum = T(m[i][S - 1]) * x[S - 1];
      for (int j = S - 2; j >= 0; --j) sum = muladd(T(m[i][j]), x[j], sum);
      to[i].data()[k] = sum;
    }
  }
}
template <int S, class Y>
void transform_transposed(const double (&m)[S][S], const Y (&from)[S], Y (&to)[S]) {
  double transposed[S][S];
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) transposed[i][j] = m[j][i];
  transform(transposed, from, to);
}

}  // namespace revode
