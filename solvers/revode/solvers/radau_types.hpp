// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solvers/newton.hpp>

namespace revode {

/// The collocation method of order 5 on the three right Radau points: L-stable, stiffly accurate,
/// stage order 3. Steps, Jacobians and factorisations are those of the literature's RADAU5.
/// Fixed steps solve the stage equations to rounding, adaptive ones as far as the error needs.
/// source  Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), IV.8
/// dense output  the collocation polynomial, of order 3 inside a step
/// snapshots  hold y, where J was taken, and the last step's three stages: 5 states
struct radau_iia5 {
  static constexpr const char* name = "radau_iia5";
  static constexpr const char* source =
      "Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), section IV.8";
  static constexpr int order = 5, embedded_order = 3, dense_order = 3;

  /// What iterations may leave, in units of the scaled tolerance; 0: chosen, min(0.03, √rtol). The
  /// gradient is that of exactly solved stages: smaller values bring the two closer.
  double newton = 0;
};

/// This method, or this with another algebra.
template <class M>
concept radau_method = std::derived_from<M, radau_iia5>;

/// The method's numbers, for use in constant expressions.
struct radau_numbers {
  static constexpr double root6 = 2.449489742783178098197;
  static constexpr double c[3] = {(4 - root6) / 10, (4 + root6) / 10, 1};
  static constexpr double a[3][3] = {
      {(88 - 7 * root6) / 360, (296 - 169 * root6) / 1800, (-2 + 3 * root6) / 225},
      {(296 + 169 * root6) / 1800, (88 + 7 * root6) / 360, (-2 - 3 * root6) / 225},
      {(16 - root6) / 36, (16 + root6) / 36, 1. / 9}};
  /// A⁻¹
  static constexpr double inverse[3][3] = {
      {3.224744871391589049099, 1.167840084690405494924, -0.2531972647421808261859},
      {-3.567840084690405494924, 0.7752551286084109509014, 1.053197264742180826186},
      {5.531972647421808261859, -7.531972647421808261859, 5}};
  /// A⁻¹ = T diag(γ, (α −β; β α)) T⁻¹
  static constexpr double gamma = 3.637834252744495732208;
  static constexpr double alpha = 2.681082873627752133896;
  static constexpr double beta = 3.050430199247410569426;
  static constexpr double t[3][3] = {
      {0.091232394870892942792, -0.14125529502095420843, -0.030029194105147424492},
      {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
      {0.96604818261509293619, 1, 0}};
  static constexpr double t_inverse[3][3] = {
      {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
      {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
      {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
  /// The estimate is (γ/h I − J)⁻¹ (f(t, y) + Σ eᵢ zᵢ / h).
  static constexpr double e[3] = {-(13 + 7 * root6) / 3, (-13 + 7 * root6) / 3, -1. / 3};
};

constexpr bool agree(const double (&x)[3][3], const double (&y)[3][3]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double difference = x[i][j] - y[i][j];
      if (!(difference < 1e-14 && difference > -1e-14)) return false;
    }
  }
  return true;
}
struct matrix3 {
  double m[3][3];
};
constexpr matrix3 product(const double (&x)[3][3], const double (&y)[3][3]) {
  matrix3 r{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) r.m[i][j] += x[i][k] * y[k][j];
  return r;
}
/// Σⱼ aᵢⱼ cⱼ^(q−1) = cᵢ^q/q for q ≤ 3 (collocation), and Σⱼ bⱼ cⱼ^(q−1) = 1/q for q ≤ 5: order 5.
constexpr bool radau_has_order_5() {
  using n = radau_numbers;
  bool holds = true;
  for (int i = 0; i < 3; ++i) {
    double power[3] = {1, 1, 1}, target = n::c[i];
    for (int q = 1; q <= (i == 2 ? 5 : 3); ++q) {
      double sum = 0;
      for (int j = 0; j < 3; ++j) sum += n::a[i][j] * power[j];
      holds = holds && sum - target / q < 1e-15 && sum - target / q > -1e-15;
      for (int j = 0; j < 3; ++j) power[j] *= n::c[j];
      target *= n::c[i];
    }
  }
  return holds;
}
static_assert(radau_has_order_5());
static_assert(agree(product(radau_numbers::a, radau_numbers::inverse).m,
                    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
static_assert(agree(product(radau_numbers::t_inverse, radau_numbers::t).m,
                    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
static_assert(
    agree(product(product(radau_numbers::t_inverse, radau_numbers::inverse).m, radau_numbers::t).m,
          {{radau_numbers::gamma, 0, 0},
           {0, radau_numbers::alpha, -radau_numbers::beta},
           {0, radau_numbers::beta, radau_numbers::alpha}}));

/// y_n and the stages less y_n.
template <class Y>
struct radau_stages {
  Y y, z[3];

  radau_stages() = default;
  explicit radau_stages(const Y& like) : y(like), z{like, like, like} {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& part : self.z) visit(part);
  }
  void clear() {
    fill(y, scalar_t<Y>(0));
    for (Y& part : z) fill(part, scalar_t<Y>(0));
  }
};

/// γ/h I − J and (α + iβ)/h I − J, factored.
template <class L, class Y>
struct radau_factors {
  typename L::template factors<Y> real;
  typename L::template complex_factors<Y> complex;

  template <class Matrix>
  bool factor(const Matrix& j, scalar_t<Y> h) {
    using T = scalar_t<Y>;
    const bool regular = real.factor_shifted(j, T(radau_numbers::gamma) / h);
    return complex.factor_shifted(j, T(radau_numbers::alpha) / h, T(radau_numbers::beta) / h) &&
           regular;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.real);
    visit(self.complex);
  }
};

/// What is rebuilt from state and memo; and places for the iterations, which mean nothing between
/// calls.
template <class L, class Y>
struct radau_cache {
  Y slope;  ///< f(t, y)
  typename L::template jacobian<Y> jacobian;
  radau_factors<L, Y> factors;
  Y w[3], correction[3], stage, weight;

  radau_cache() = default;
  explicit radau_cache(const Y& y)
      : slope(y),
        jacobian{},
        factors{},
        w{y, y, y},
        correction{y, y, y},
        stage(y),
        weight(y) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.slope);
    visit(self.jacobian);
    visit(self.factors);
  }
};

/// For pull and push: the Jacobians at the stages, factors of their own, three vectors a stage.
template <class L, class Y>
struct radau_scratch {
  typename L::template jacobian<Y> jacobian[3];
  radau_factors<L, Y> factors;
  sweep_factors kept{};
  Y x[3], right[3], rest[3];

  radau_scratch() = default;
  explicit radau_scratch(const Y& y)
      : jacobian{},
        factors{},
        x{y, y, y},
        right{y, y, y},
        rest{y, y, y} {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto& part : self.jacobian) visit(part);
    visit(self.factors);
    for (int i = 0; i < 3; ++i) {
      visit(self.x[i]);
      visit(self.right[i]);
      visit(self.rest[i]);
    }
  }
};

template <radau_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using memo = newton_memo<Y, 3>;
  using cache = radau_cache<algebra_t<M>, Y>;
  using tape = radau_stages<Y>;
  using record = newton_record<1>;
  using scratch = radau_scratch<algebra_t<M>, Y>;
  using seeds = radau_stages<Y>;
};

/// tᵢ = t + cᵢ (t_new − t); the last is t_new itself.
inline double radau_time(int i, double t, double t_new) {
  return i == 2 ? t_new : muladd(radau_numbers::c[i], t_new - t, t);
}

/// x ← m x over the three stages, element by element.
template <class Y>
void transform(const double (&m)[3][3], const Y (&from)[3], Y (&to)[3]) {
  using T = scalar_t<Y>;
  for (int k = 0, n = length(from[0]); k < n; ++k) {
    const T a = from[0].data()[k], b = from[1].data()[k], c = from[2].data()[k];
    for (int i = 0; i < 3; ++i)
      to[i].data()[k] = muladd(T(m[i][0]), a, muladd(T(m[i][1]), b, T(m[i][2]) * c));
  }
}
template <class Y>
void transform_transposed(const double (&m)[3][3], const Y (&from)[3], Y (&to)[3]) {
  const double transposed[3][3] = {
      {m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]}, {m[0][2], m[1][2], m[2][2]}};
  transform(transposed, from, to);
}

}  // namespace revode
