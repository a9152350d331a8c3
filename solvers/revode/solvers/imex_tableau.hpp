// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <revode/solvers/esdirk_tableau.hpp>

namespace revode {

/// A pair of methods for a split field, f = f_E + f_I: an ESDIRK method M with member
/// `explicit_rows`, rows of an explicit method with the same nodes and weights,
///   Y_i = y + h Σ_{j<i} a^E_ij f_E(t_j, Y_j) + h Σ_{j≤i} a^I_ij f_I(t_j, Y_j),
///   y₁ = y + h Σ b_j (f_E + f_I)(t_j, Y_j).
/// dense output  cubic Hermite polynomial, of order 3
template <class M>
struct imex {
  using implicit_method = M;
  static constexpr const char* name = M::imex_name;
  static constexpr const char* source = M::source;
  static constexpr int order = M::order, embedded_order = M::embedded_order, dense_order = 3;

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

template <class M>
concept imex_method = requires {
  typename M::implicit_method;
  M::implicit_method::explicit_rows;
};

/// Σ_i w_i Φ_i of a tree whose inner vertices, but for the root, take explicit rows where their bit
/// in `colours` is set, and implicit rows elsewhere. Leaves have no colour: both rows sum to c.
template <int S>
constexpr elementary_weight<S> additive_weight_of(const rooted_trees& tree, unsigned colours,
                                                  const double (&rows_e)[S][S],
                                                  const esdirk_tableau<S>& t) {
  double product[rooted_trees::max_vertices][S] = {};
  int size[rooted_trees::max_vertices] = {};
  for (int v = 0; v < tree.vertices; ++v) {
    size[v] = 1;
    for (int i = 0; i < S; ++i) product[v][i] = 1.0;
  }
  double density = 1.0;
  for (int v = tree.vertices - 1; v > 0; --v) {
    const int u = tree.parent(v);
    const bool is_explicit = ((colours >> v) & 1u) != 0;
    for (int i = 0; i < S; ++i) {
      double sum = size[v] == 1 ? t.c[i] : 0.0;
      for (int j = 0; size[v] > 1 && j <= i; ++j)
        sum += (is_explicit ? rows_e[i][j] : t.a[i][j]) * product[v][j];
      product[u][i] *= sum;
    }
    size[u] += size[v];
    density *= size[v];
  }
  elementary_weight<S> result{};
  for (int i = 0; i < S; ++i) result.stage[i] = product[0][i];
  result.density = density * tree.vertices;
  return result;
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

/// The numbers of a pair, as values in constant expressions.
template <imex_method M>
struct imex_numbers : esdirk_numbers<typename M::implicit_method> {
  using base = esdirk_numbers<typename M::implicit_method>;
  using implicit_method = typename M::implicit_method;
  static constexpr int stages = base::stages;
  static constexpr typename base::rows explicit_predictor =
      base::predictor_of(implicit_method::explicit_rows);

  struct row {
    double w[stages];
  };
  /// b − the last explicit row: from the last stage to the new state.
  static constexpr row from_last = [] {
    row r{};
    for (int j = 0; j < stages; ++j)
      r.w[j] =
          implicit_method::tableau.a[stages - 1][j] - implicit_method::explicit_rows[stages - 1][j];
    return r;
  }();
  static constexpr row estimate = [] {
    row r{};
    for (int j = 0; j < stages; ++j)
      r.w[j] = implicit_method::tableau.a[stages - 1][j] - implicit_method::tableau.b_embedded[j];
    return r;
  }();
};

}  // namespace revode
