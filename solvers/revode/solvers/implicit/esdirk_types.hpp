// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solvers/implicit/esdirk_tableau.hpp>
#include <revode/solvers/implicit/newton.hpp>

namespace revode {

/// y_n and the stages' derivatives.
template <class M, class Y>
struct esdirk_stages {
  static constexpr int stages = esdirk_numbers<M>::stages;
  Y y, k[stages];

  esdirk_stages() = default;
  explicit esdirk_stages(const Y& like) : y(like) {
    for (Y& part : k) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& part : self.k) visit(part);
  }
  void clear() {
    fill(y, scalar_t<Y>(0));
    for (Y& part : k) fill(part, scalar_t<Y>(0));
  }
};

/// What is rebuilt from state and memo, and places for the iterations.
template <class L, class Y>
struct esdirk_cache {
  static constexpr bool inexact = inexact_v<L>;
  Y slope;  ///< f(t, y)
  typename L::template jacobian<Y> jacobian;
  typename L::template factors<Y> factors;  ///< of I/(hγ) − J
  Y known, z, stage, correction, weight;
  double longer = 1;  ///< what corrections are, with factors of another step length

  esdirk_cache() = default;
  explicit esdirk_cache(const Y& y)
      : slope(y),
        jacobian{},
        factors{},
        known(y),
        z(y),
        stage(y),
        correction(y),
        weight(y) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.slope);
    visit(self.jacobian);
    visit(self.factors);
  }
};

/// For pull and push: a Jacobian and factors of their own, and a vector for each stage.
template <class M, class Y>
struct esdirk_scratch {
  static constexpr int stages = esdirk_numbers<M>::stages;
  typename algebra_t<M>::template jacobian<Y> jacobian;
  typename algebra_t<M>::template factors<Y> factors;
  sweep_factors kept{};
  Y stage, right, x[1], rest[1];
  Y of_stage[stages];  ///< cotangents of yᵢ, or tangents of kᵢ

  esdirk_scratch() = default;
  /// Dense output is the tape's alone.
  static esdirk_scratch for_dense_output(const Y&) { return {}; }
  explicit esdirk_scratch(const Y& y) : jacobian{}, factors{}, stage(y), right(y), x{y}, rest{y} {
    for (Y& part : of_stage) part = y;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.jacobian);
    visit(self.factors);
    visit(self.stage);
    visit(self.right);
    visit(self.x[0]);
    visit(self.rest[0]);
    for (auto& part : self.of_stage) visit(part);
  }
};

template <esdirk_method M>
inline constexpr bool takes_spread_v<M> = algebra_takes_spread_v<algebra_t<M>>;

template <esdirk_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using memo = newton_memo<Y, 2>;
  using cache = esdirk_cache<algebra_t<M>, Y>;
  using tape = esdirk_stages<M, Y>;
  using record = newton_record_of<algebra_t<M>, esdirk_numbers<M>::stages - 1>;
  using scratch = esdirk_scratch<M, Y>;
  using seeds = esdirk_stages<M, Y>;
  static constexpr bool asks_jacobian = std::is_same_v<algebra_t<M>, dense_algebra>;
};
template <class M>
using esdirk_record = newton_record_of<algebra_t<M>, esdirk_numbers<M>::stages - 1>;

/// tᵢ = t + cᵢ (t_new − t), exactly t_new where cᵢ = 1.
template <class M>
double esdirk_time(int i, double t, double t_new) {
  const double c = M::tableau.c[i];
  return c == 1 ? t_new : muladd(c, t_new - t, t);
}

/// out = h Σ_{j<last} row_j k_j
template <int S, class Y>
void sum_of_stages(const double (&row)[S], int last, scalar_t<Y> h, const Y (&k)[S], Y& out) {
  fill(out, scalar_t<Y>(0));
  for (int j = 0; j < last; ++j)
    if (row[j] != 0) axpy(scalar_t<Y>(row[j]) * h, k[j], out);
}

}  // namespace revode
