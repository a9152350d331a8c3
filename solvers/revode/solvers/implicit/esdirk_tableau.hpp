// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <revode/config.hpp>
#include <revode/solvers/explicit/order_conditions.hpp>

namespace revode {

/// Stiffly accurate diagonally implicit method with an explicit first stage and one γ = a_ii:
///   k_1 = f(t, y),  k_i = f(t + c_i h, y + h Σ_{j≤i} a_ij k_j),  y₁ = y + h Σ a_Sj k_j
///   ŷ₁ = y + h Σ b̂_j k_j
template <int S>
struct esdirk_tableau {
  double a[S][S];
  double b_embedded[S];
  double c[S];
};

/// A literature table often leaves the first column to the row sums.
template <int S>
constexpr esdirk_tableau<S> with_row_sums(esdirk_tableau<S> t) {
  for (int i = 1; i < S; ++i) {
    t.a[i][0] = t.c[i];
    for (int j = 1; j <= i; ++j) t.a[i][0] -= t.a[i][j];
  }
  return t;
}

/// An ESDIRK method is data: see tr_bdf2.hpp. `filtered`: its estimate is multiplied by
/// (I − hγJ)⁻¹, where the embedded formula alone does not stay bounded for stiff components; where it is
/// a stage, and so does, a filter would hide the error of stiff components whose order is reduced.
template <class M>
concept esdirk_method = requires {
  M::tableau.b_embedded;
  { M::filtered } -> std::convertible_to<bool>;
};

/// The numbers of a tableau and what follows from them, as values in constant expressions.
template <class M>
struct esdirk_numbers {};
template <esdirk_method M>
struct esdirk_numbers<M> {
  static constexpr int stages = static_cast<int>(sizeof(M::tableau.c) / sizeof(double));
  static constexpr double gamma = M::tableau.a[1][1];
  /// A stage in the middle of the step, for the polynomial that the next one is predicted from; 0:
  /// there is none.
  static constexpr int middle = [] {
    int best = 0;
    double from_half = 0.45;
    for (int i = 1; i < stages - 1; ++i) {
      const double d = M::tableau.c[i] - 0.5, distance = d < 0 ? -d : d;
      if (distance < from_half) best = i, from_half = distance;
    }
    return best;
  }();

  /// Stage i starts from the polynomial of degree 2 through y_n and the two latest stages at other
  /// times, their increments weighted so. Values, not derivatives: f(t_n, y_n) magnifies what is
  /// left of the last iterations, and stages predicted from it need 5 to 6000 times the work on
  /// ROBER.
  struct base {
    int first = 0, second = 0;  ///< stages; 0: none
    double at_first = 0, at_second = 0;
  };
  static constexpr base base_of(int i) {
    base b;
    const auto& c = M::tableau.c;
    const auto apart = [](double x) { return x > 0.05 || x < -0.05; };
    for (int j = i - 1; j > 0; --j) {
      if (!apart(c[j])) continue;
      if (b.first == 0)
        b.first = j;
      else if (b.second == 0 && apart(c[j] - c[b.first]))
        b.second = j;
    }
    const double x = c[i], u = c[b.first], v = b.second > 0 ? c[b.second] : 0.0;
    b.at_first = b.second > 0 ? x * (x - v) / (u * (u - v)) : x / u;
    b.at_second = b.second > 0 ? x * (x - u) / (v * (v - u)) : 0.0;
    return b;
  }

  /// Σ over the conditions of order n of (w Φ − whole/γ)².
  static constexpr double residual_squared(const double (&w)[stages], int n, double whole) {
    stage_table<stages> table{};
    for (int i = 0; i < stages; ++i) {
      table.c[i] = M::tableau.c[i];
      for (int j = 0; j <= i; ++j) table.a[i][j] = M::tableau.a[i][j];
    }
    double squares = 0;
    rooted_trees tree(n);
    do {
      const elementary_weight<stages> weight = weight_of(tree, table);
      double left = -whole / weight.density;
      for (int i = 0; i < stages; ++i) left += w[i] * weight.stage[i];
      squares += left * left;
    } while (tree.next());
    return squares;
  }
  /// By how much err² is enlarged. Where the step leaves more of the conditions of order p + 1 than the
  /// estimate measures of its own first order, errors are larger than estimates unless steps are short;
  /// they are taken as half the length on which the solution changes. 380 for kencarp5, whose embedded
  /// formula is of order 5 but for 1.6e-4 (2e-8 on linear equations); 1 for most.
  static constexpr double honesty = [] {
    double difference[stages] = {};
    for (int j = 0; j < stages; ++j)
      difference[j] = M::tableau.a[stages - 1][j] - M::tableau.b_embedded[j];
    const int first = (M::order < M::embedded_order ? M::order : M::embedded_order) + 1;
    const double ratio = residual_squared(M::tableau.a[stages - 1], M::order + 1, 1) /
                         residual_squared(difference, first, 0);
    return ratio > 4 ? ratio / 4 : 1.0;
  }();

  struct rows {
    double p[stages][stages];
  };
  /// z_i = h Σ p_ij k_j, from the rows a of the stages.
  static constexpr rows predictor_of(const double (&a)[stages][stages]) {
    rows r{};
    for (int i = 2; i < stages; ++i) {
      const base b = base_of(i);
      for (int j = 0; j < i; ++j)
        r.p[i][j] = b.at_first * a[b.first][j] + b.at_second * a[b.second][j];
    }
    return r;
  }
  static constexpr rows predictor = predictor_of(M::tableau.a);
};

}  // namespace revode
