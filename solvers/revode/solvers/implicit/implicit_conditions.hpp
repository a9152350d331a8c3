// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/order_conditions.hpp>
#include <revode/solvers/implicit/esdirk_rows.hpp>
#include <revode/solvers/implicit/imex_tableau.hpp>
#include <revode/solvers/radau/radau_numbers.hpp>

namespace revode {

/// The check of a tableau: explicit first stage, the same γ below, rows that sum to c, c = 1 at the
/// end, and exactly the orders claimed of the last row and of b̂.
template <int S>
constexpr bool has_order(const esdirk_tableau<S>& t, int order, int embedded) {
  stage_table<S> table{};
  for (int i = 0; i < S; ++i) {
    double ones[S] = {};
    for (int j = 0; j < S; ++j) {
      table.a[i][j] = t.a[i][j];
      ones[j] = 1;
      if (j > i && t.a[i][j] != 0) return false;
    }
    table.c[i] = t.c[i];
    if (i > 0 && (t.a[i][i] != t.a[1][1] || !sums_to(t.a[i], ones, t.c[i]))) return false;
  }
  if (t.a[0][0] != 0 || t.c[0] != 0 || t.c[S - 1] != 1 || !(t.a[1][1] > 0)) return false;
  return order_of(table, t.a[S - 1], order + 1, 1e-12) == order &&
         order_of(table, t.b_embedded, embedded + 1, 1e-12) == embedded;
}

/// The order of the rows of a dense output, uniformly in θ, as dense_order_of.
template <class M>
constexpr int dense_order_of(const esdirk_rows<M>& rows, int limit) {
  constexpr int stages = esdirk_rows<M>::stages, most = esdirk_rows<M>::order;
  stage_table<stages> table{};
  for (int i = 0; i < stages; ++i) {
    table.c[i] = M::tableau.c[i];
    for (int j = 0; j <= i; ++j) table.a[i][j] = M::tableau.a[i][j];
  }
  for (int n = 1; n <= limit; ++n) {
    rooted_trees tree(n);
    do {
      const elementary_weight<stages> weight = weight_of(tree, table);
      for (int j = 1; j <= (n > most ? n : most); ++j) {
        double w[stages] = {};
        for (int i = 0; i < stages && j <= most; ++i) w[i] = rows.weights[i][j - 1];
        if (!sums_to(w, weight.stage, j == n ? 1.0 / weight.density : 0.0, 4e-12)) return n - 1;
      }
    } while (tree.next());
  }
  return limit;
}

/// Σ_i w_i Φ_i of a tree whose inner vertices, but for the root, take explicit rows where their bit
/// in `colours` is set, and implicit rows elsewhere. Leaves have no colour: both rows sum to c.
template <int S>
constexpr elementary_weight<S> additive_weight_of(const rooted_trees& tree, unsigned colours,
                                                  const double (&rows_e)[S][S],
                                                  const esdirk_tableau<S>& t) {
  return weight_by<S>(tree, [&](int v, int i, const double(&x)[S]) {
    if (tree.is_leaf(v)) return t.c[i];
    const bool is_explicit = ((colours >> v) & 1u) != 0;
    double sum = 0.0;
    for (int j = 0; j <= i; ++j) sum += (is_explicit ? rows_e[i][j] : t.a[i][j]) * x[j];
    return sum;
  });
}

/// Do weights w fulfil all conditions of the pair up to this order, those that couple both included?
template <int S>
constexpr bool has_additive_order(const double (&rows_e)[S][S], const esdirk_tableau<S>& t,
                                  const double (&w)[S], int order, double tolerance = 1e-12) {
  for (int n = 1; n <= order; ++n) {
    rooted_trees tree(n);
    do {
      for (unsigned colours = 0; colours < (1u << n); colours += 2) {  // the root has none
        const auto weight = additive_weight_of(tree, colours, rows_e, t);
        if (!sums_to(w, weight.stage, 1.0 / weight.density, tolerance)) return false;
      }
    } while (tree.next());
  }
  return true;
}

/// The check of a pair: explicit rows that sum to the same nodes, and the orders of b and b̂ for every
/// colouring.
template <class M>
constexpr bool has_imex_order(int order, int embedded) {
  constexpr int stages = static_cast<int>(sizeof(M::tableau.c) / sizeof(double));
  for (int i = 0; i < stages; ++i) {
    double ones[stages] = {};
    for (int j = 0; j < stages; ++j) {
      ones[j] = 1;
      if (j >= i && M::explicit_rows[i][j] != 0) return false;
    }
    if (!sums_to(M::explicit_rows[i], ones, M::tableau.c[i])) return false;
  }
  return has_additive_order(M::explicit_rows, M::tableau, M::tableau.a[stages - 1], order) &&
         !has_additive_order(M::explicit_rows, M::tableau, M::tableau.a[stages - 1], order + 1) &&
         has_additive_order(M::explicit_rows, M::tableau, M::tableau.b_embedded, embedded);
}

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
