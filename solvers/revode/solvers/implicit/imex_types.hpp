// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk_step.hpp>
#include <revode/solvers/implicit/imex_tableau.hpp>

namespace revode {

/// y_n, both parts' derivatives at the stages, and the whole derivative at the new state.
template <class M, class Y>
struct imex_stages {
  static constexpr int stages = imex_numbers<M>::stages;
  Y y, e[stages], k[stages], end;

  imex_stages() = default;
  explicit imex_stages(const Y& like) : y(like), end(like) {
    for (Y& part : e) part = like;
    for (Y& part : k) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& part : self.e) visit(part);
    for (auto& part : self.k) visit(part);
    visit(self.end);
  }
  void clear() {
    fill(y, scalar_t<Y>(0));
    for (Y& part : e) fill(part, scalar_t<Y>(0));
    for (Y& part : k) fill(part, scalar_t<Y>(0));
    fill(end, scalar_t<Y>(0));
  }
};

/// That of ESDIRK methods for the implicit part (`slope` is its value at (t, y)), and the other's.
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

/// For pull and push: cotangents of the stages' known parts, or tangents of both derivatives.
template <class M, class Y>
struct imex_scratch {
  static constexpr int stages = imex_numbers<M>::stages;
  typename algebra_t<M>::template jacobian<Y> jacobian;
  typename algebra_t<M>::template factors<Y> factors;
  Y stage, right, other, x[1], rest[1];
  Y of_stage[stages], of_explicit[stages], end;

  imex_scratch() = default;
  /// Dense output is the tape's alone.
  static imex_scratch for_dense_output(const Y&) { return {}; }
  explicit imex_scratch(const Y& y)
      : jacobian{},
        factors{},
        stage(y),
        right(y),
        other(y),
        x{y},
        rest{y},
        end(y) {
    for (Y& part : of_stage) part = y;
    for (Y& part : of_explicit) part = y;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.jacobian);
    visit(self.factors);
    for (auto* part : {&self.stage, &self.right, &self.other, &self.x[0], &self.rest[0], &self.end})
      visit(*part);
    for (auto& part : self.of_stage) visit(part);
    for (auto& part : self.of_explicit) visit(part);
  }
};

template <imex_method M>
inline constexpr bool takes_spread_v<M> = algebra_takes_spread_v<algebra_t<M>>;

template <imex_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using memo = newton_memo<Y, 2>;
  using cache = imex_cache<algebra_t<M>, Y>;
  using tape = imex_stages<M, Y>;
  using record = newton_record_of<algebra_t<M>, imex_numbers<M>::stages - 1>;
  using scratch = imex_scratch<M, Y>;
  using seeds = imex_stages<M, Y>;
};
template <class M>
using imex_record = newton_record_of<algebra_t<M>, imex_numbers<M>::stages - 1>;

/// out += h Σ_{j<last} row_j k_j
template <int S, class Y>
void add_sum_of_stages(const double (&row)[S], int last, scalar_t<Y> h, const Y (&k)[S], Y& out) {
  for (int j = 0; j < last; ++j)
    if (row[j] != 0) axpy(scalar_t<Y>(row[j]) * h, k[j], out);
}

/// y₁ − y = h Σ b_j (e_j + k_j), or Y_i − y for an earlier stage.
template <class M, class Y>
void imex_increment(int i, scalar_t<Y> h, const imex_stages<M, Y>& s, Y& out) {
  using base = typename M::implicit_method;
  sum_of_stages(base::tableau.a[i], i + 1, h, s.k, out);
  add_sum_of_stages(base::explicit_rows[i], i, h, s.e, out);
}

}  // namespace revode
