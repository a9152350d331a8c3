// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/algebra.hpp>
#include <revode/solvers/implicit/derivative_solve.hpp>
#include <revode/solvers/implicit/imex_tableau.hpp>
#include <revode/solvers/implicit/newton.hpp>

namespace revode {

// A step of an ESDIRK method, and of a pair with explicit rows (imex): this is an ESDIRK step by the implicit
// part of the field, with what the explicit part adds to every stage.

/// Of a pair: the explicit part's values at the stages, and the whole derivative at the new state.
template <class M, class Y>
struct explicit_stages {
  explicit_stages() = default;
  explicit explicit_stages(const Y&) {}
  template <class Self, class Visit>
  static void parts(Self&, Visit&&) {}
};
template <imex_method M, class Y>
struct explicit_stages<M, Y> {
  Y e[esdirk_numbers<M>::stages], end;

  explicit_stages() = default;
  explicit explicit_stages(const Y& like) : end(like) {
    for (Y& part : e) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto& part : self.e) visit(part);
    visit(self.end);
  }
};

/// y_n and the stages' derivatives, those of the implicit part in a pair.
template <class M, class Y>
struct esdirk_stages : explicit_stages<M, Y> {
  static constexpr int stages = esdirk_numbers<M>::stages;
  Y y, k[stages];

  esdirk_stages() = default;
  explicit esdirk_stages(const Y& like) : explicit_stages<M, Y>(like), y(like) {
    for (Y& part : k) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    explicit_stages<M, Y>::parts(self, visit);
    for (auto& part : self.k) visit(part);
  }
  void clear() {
    parts(*this, [](Y& part) { fill(part, scalar_t<Y>(0)); });
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
  template <class Visit>
  void temporaries(Visit&& visit) const {
    for (const Y* part : {&known, &z, &stage, &correction, &weight}) visit(*part);
  }
};

/// Of a pair: `slope` is the implicit part's.
template <class L, class Y>
struct imex_cache : esdirk_cache<L, Y> {
  Y explicit_slope;

  imex_cache() = default;
  explicit imex_cache(const Y& y) : esdirk_cache<L, Y>(y), explicit_slope(y) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    esdirk_cache<L, Y>::parts(self, visit);
    visit(self.explicit_slope);
  }
};

/// For pull and push: a Jacobian and factors of their own, and a vector for each stage; of a pair also tangents
/// of the explicit part's values.
template <class M, class Y>
struct esdirk_scratch : explicit_stages<M, Y> {
  static constexpr int stages = esdirk_numbers<M>::stages;
  typename algebra_t<M>::template jacobian<Y> jacobian;
  typename algebra_t<M>::template factors<Y> factors;
  sweep_factors kept{};
  held_matrix held{};
  static constexpr bool keeps_factors() { return true; }
  Y stage, right, x[1], rest[1];
  Y of_stage[stages];  ///< cotangents of yᵢ, or tangents of kᵢ

  esdirk_scratch() = default;
  /// Dense output is the tape's alone.
  static esdirk_scratch for_dense_output(const Y&) { return {}; }
  explicit esdirk_scratch(const Y& y)
      : explicit_stages<M, Y>(y),
        jacobian{},
        factors{},
        stage(y),
        right(y),
        x{y},
        rest{y} {
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
    explicit_stages<M, Y>::parts(self, visit);
  }
};

template <esdirk_method M>
inline constexpr bool takes_spread_v<M> = algebra_takes_spread_v<algebra_t<M>>;

template <esdirk_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using memo = newton_memo<Y, 2>;
  using cache = std::conditional_t<imex_method<M>, imex_cache<algebra_t<M>, Y>,
                                   esdirk_cache<algebra_t<M>, Y>>;
  using tape = esdirk_stages<M, Y>;
  using record = newton_record_of<algebra_t<M>, esdirk_numbers<M>::stages - 1>;
  using scratch = esdirk_scratch<M, Y>;
  using seeds = esdirk_stages<M, Y>;
  static constexpr bool asks_jacobian =
      std::is_same_v<algebra_t<M>, dense_algebra> && !imex_method<M>;
  static constexpr bool asks_parts = imex_method<M>;
};
template <class M>
using esdirk_record = newton_record_of<algebra_t<M>, esdirk_numbers<M>::stages - 1>;

/// tᵢ = t + cᵢ (t_new − t), exactly t_new where cᵢ = 1.
template <class M>
double esdirk_time(int i, double t, double t_new) {
  const double c = M::tableau.c[i];
  return c == 1 ? t_new : muladd(c, t_new - t, t);
}

/// out += h Σ_{j<last} row_j k_j
template <int S, class Y>
void add_sum_of_stages(const double (&row)[S], int last, scalar_t<Y> h, const Y (&k)[S], Y& out) {
  for (int j = 0; j < last; ++j)
    if (row[j] != 0) axpy(scalar_t<Y>(row[j]) * h, k[j], out);
}
/// out = h Σ_{j<last} row_j k_j
template <int S, class Y>
void sum_of_stages(const double (&row)[S], int last, scalar_t<Y> h, const Y (&k)[S], Y& out) {
  fill(out, scalar_t<Y>(0));
  add_sum_of_stages(row, last, h, k, out);
}

/// out = Y_i − y = h Σ_j (a_ij k_j + a^E_ij e_j)
template <class M, class Y>
void stage_increment(int i, scalar_t<Y> h, const esdirk_stages<M, Y>& s, Y& out) {
  sum_of_stages(M::tableau.a[i], i + 1, h, s.k, out);
  if constexpr (imex_method<M>) add_sum_of_stages(M::explicit_rows[i], i, h, s.e, out);
}

/// What the method solves for: the field, or its implicit part.
template <class M, class System>
auto& implicit_side(System& sys) {
  if constexpr (imex_method<M>)
    return sys.implicit_part();
  else
    return sys;
}

}  // namespace revode
