// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/butcher_tableau.hpp>

namespace revode {

/// All rooted trees with n vertices, one after the other, as level sequences in preorder (root 1).
/// cost    constant amortised work a tree
/// source  Beyer & Hedetniemi, SIAM J. Comput. 9 (1980) 706–712
struct rooted_trees {
  static constexpr int max_vertices = 10;
  int vertices;
  int level[max_vertices];

  /// The first tree: a path.
  constexpr explicit rooted_trees(int n) : vertices{n}, level{} {
    for (int v = 0; v < n; ++v) level[v] = v + 1;
  }

  /// The index of v's parent.
  constexpr int parent(int v) const {
    int u = v - 1;
    while (level[u] != level[v] - 1) --u;
    return u;
  }

  constexpr bool is_leaf(int v) const { return v + 1 == vertices || level[v + 1] <= level[v]; }
  constexpr bool is_only_child(int v) const {
    const int u = parent(v);
    for (int w = u + 1; w < vertices && level[w] > level[u]; ++w)
      if (w != v && level[w] == level[v]) return false;
    return true;
  }

  /// Goes on to the next tree; false when this was the last one (every vertex a child of the root).
  constexpr bool next() {
    int p = vertices - 1;
    while (p >= 0 && level[p] <= 2) --p;
    if (p < 0) return false;
    const int shift = p - parent(p);
    for (int v = p; v < vertices; ++v) level[v] = level[v - shift];
    return true;
  }
};

/// Stages of a method, the extra ones of its dense output included.
template <int N>
struct stage_table {
  double a[N][N];
  double c[N];
};

template <int S>
constexpr stage_table<S> stages_of(const butcher_tableau<S>& tableau) {
  stage_table<S> table{};
  for (int i = 0; i < S; ++i) {
    for (int j = 0; j < S; ++j) table.a[i][j] = tableau.a[i][j];
    table.c[i] = tableau.c[i];
  }
  return table;
}

template <int S, int E, int D>
constexpr stage_table<S + E> stages_of(const butcher_tableau<S>& tableau,
                                       const dense_tableau<S, E, D>& dense) {
  stage_table<S + E> table{};
  for (int i = 0; i < S + E; ++i) {
    for (int j = 0; j < (i < S ? S : S + E); ++j) {
      table.a[i][j] = i < S ? tableau.a[i][j] : dense.a[i - S][j];
    }
    table.c[i] = i < S ? tableau.c[i] : dense.c[i - S];
  }
  return table;
}

/// A tree's stage weights and density: Σ w_i stage[i] = 1/density is its order condition.
template <int N>
struct elementary_weight {
  double stage[N];
  double density;
};

/// stage[i] = Π over the children v of the root of sum(v, i, stage_v), stage_v likewise, a leaf's being
/// all 1; density = Π over all vertices of the size of their subtree. sum(v, i, x) is Σ_j x_j times what
/// row i gives the edge from v to its parent.
/// cost    n N sums
/// source  Hairer, Nørsett & Wanner, Solving ODEs I, II.2, Theorem 2.13
template <int N, class Sum>
constexpr elementary_weight<N> weight_by(const rooted_trees& tree, const Sum& sum) {
  double product[rooted_trees::max_vertices][N] = {};
  int size[rooted_trees::max_vertices] = {};
  for (int v = 0; v < tree.vertices; ++v) {
    size[v] = 1;
    for (int i = 0; i < N; ++i) product[v][i] = 1.0;
  }
  double density = 1.0;
  for (int v = tree.vertices - 1; v > 0; --v) {  // every vertex comes after its parent
    const int u = tree.parent(v);
    for (int i = 0; i < N; ++i) product[u][i] *= sum(v, i, product[v]);
    size[u] += size[v];
    density *= size[v];
  }
  elementary_weight<N> result{};
  for (int i = 0; i < N; ++i) result.stage[i] = product[0][i];
  result.density = density * tree.vertices;
  return result;
}

/// Of stages whose rows reach to the diagonal at most; a leaf's sum is c_i.
template <int N>
constexpr elementary_weight<N> weight_of(const rooted_trees& tree, const stage_table<N>& table) {
  return weight_by<N>(tree, [&](int v, int i, const double(&x)[N]) {
    if (tree.is_leaf(v)) return table.c[i];
    double sum = 0.0;
    for (int j = 0; j <= i; ++j) sum += table.a[i][j] * x[j];
    return sum;
  });
}

/// Whether Σ w_i x_i = target, relative to the size of the terms that cancel in the sum.
template <int N>
constexpr bool sums_to(const double (&w)[N], const double (&x)[N], double target,
                       double tolerance = 1e-13) {
  double sum = 0.0;
  double scale = target < 0.0 ? -target : target;
  for (int i = 0; i < N; ++i) {
    const double term = w[i] * x[i];
    sum += term;
    scale += term < 0.0 ? -term : term;
  }
  const double error = sum < target ? target - sum : sum - target;
  return error <= tolerance * scale;
}

/// The order of the weights w over these stages: all conditions up to it hold and one of the next
/// order fails. Trees beyond order `limit` are not tried: a result of `limit` means at least that.
template <int N>
constexpr int order_of(const stage_table<N>& table, const double (&w)[N], int limit = 9,
                       double tolerance = 1e-13) {
  for (int n = 1; n <= limit; ++n) {
    rooted_trees tree(n);
    do {
      const elementary_weight<N> weight = weight_of(tree, table);
      if (!sums_to(w, weight.stage, 1.0 / weight.density, tolerance)) return n - 1;
    } while (tree.next());
  }
  return limit;
}

/// Whether the stages are explicit and every row of a sums to c.
template <int N>
constexpr bool is_explicit_and_consistent(const stage_table<N>& table) {
  for (int i = 0; i < N; ++i) {
    double ones[N] = {};
    for (int j = 0; j < N; ++j) {
      if (j >= i && table.a[i][j] != 0.0) return false;
      ones[j] = 1.0;
    }
    if (!sums_to(table.a[i], ones, table.c[i])) return false;
  }
  return true;
}

/// What a tableau claims; embedded = 0: no error estimate.
struct method_claim {
  int order;
  int embedded;
  bool fsal;
};

/// The four-part check of an explicit method: b has exactly the claimed order; so has b̂, or it is
/// all zero where none is claimed; rows of a sum to c; the last row is b if and only if FSAL.
template <int S>
constexpr bool has_order(const butcher_tableau<S>& tableau, const method_claim& claim) {
  const stage_table<S> table = stages_of(tableau);
  if (!is_explicit_and_consistent(table)) return false;
  if (is_fsal(tableau) != claim.fsal) return false;
  if (has_estimate(tableau) != (claim.embedded != 0)) return false;
  if (order_of(table, tableau.b, claim.order + 1) != claim.order) return false;
  if (claim.embedded == 0) return true;
  return order_of(table, tableau.b_embedded, claim.embedded + 1) == claim.embedded;
}

/// The order of the continuous extension, uniformly in θ: Σ_i b_i(θ) Φ_i(t) = θ^|t|/γ(t) as
/// polynomials, hence power by power: Σ_i weights[i][j-1] Φ_i(t) = [j = |t|]/γ(t), here to 4e-12:
/// rounded coefficients of single powers cancel more than b does (1.3e-13 for DOP853, 1.5e-12 for
/// vern8, both at order 7).
template <int S, int E, int D>
constexpr int dense_order_of(const butcher_tableau<S>& tableau, const dense_tableau<S, E, D>& dense,
                             int limit) {
  const stage_table<S + E> table = stages_of(tableau, dense);
  for (int n = 1; n <= limit; ++n) {
    if (n > D) return D;
    rooted_trees tree(n);
    do {
      const elementary_weight<S + E> weight = weight_of(tree, table);
      for (int j = 1; j <= D; ++j) {
        double w[S + E] = {};
        for (int i = 0; i < S + E; ++i) w[i] = dense.weights[i][j - 1];
        const double target = j == n ? 1.0 / weight.density : 0.0;
        if (!sums_to(w, weight.stage, target, 4e-12)) return n - 1;
      }
    } while (tree.next());
  }
  return limit;
}

/// Whether the extension ends where the step does: b_i(1) = b_i, 0 for extra stages.
template <int S, int E, int D>
constexpr bool is_continuous(const butcher_tableau<S>& tableau,
                             const dense_tableau<S, E, D>& dense) {
  double ones[D] = {};
  for (int j = 0; j < D; ++j) ones[j] = 1.0;
  for (int i = 0; i < S + E; ++i) {
    if (!sums_to(dense.weights[i], ones, i < S ? tableau.b[i] : 0.0)) return false;
  }
  return true;
}

/// Whether its slope is f at both ends: b_i'(0) = [i = 1] and b_i'(1) = [i = f], where stage f has
/// row b and c = 1.
template <int S, int E, int D>
constexpr bool has_end_slopes(const butcher_tableau<S>& tableau,
                              const dense_tableau<S, E, D>& dense) {
  const int f = is_fsal(tableau) ? S - 1 : S;
  if (f >= S + E) return false;
  const stage_table<S + E> table = stages_of(tableau, dense);
  for (int j = 0; j < S; ++j) {
    if (table.a[f][j] != tableau.b[j]) return false;
  }
  double powers[D] = {};
  for (int j = 0; j < D; ++j) powers[j] = j + 1;
  for (int i = 0; i < S + E; ++i) {
    if (dense.weights[i][0] != (i == 0 ? 1.0 : 0.0)) return false;
    if (!sums_to(dense.weights[i], powers, i == f ? 1.0 : 0.0)) return false;
  }
  return table.c[f] == 1.0;
}

/// The check of a continuous extension: exactly the claimed uniform order, rows of a (the extra
/// stages' too) that sum to c, and continuity at the end of the step.
template <int S, int E, int D>
constexpr bool dense_has_order(const butcher_tableau<S>& tableau,
                               const dense_tableau<S, E, D>& dense, int order) {
  return is_explicit_and_consistent(stages_of(tableau, dense)) && is_continuous(tableau, dense) &&
         dense_order_of(tableau, dense, order + 1) == order;
}

}  // namespace revode
