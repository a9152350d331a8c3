// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/order_conditions.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_tableau.hpp>

namespace revode {

/// A tree's stage weights for a Rosenbrock method: as for Runge–Kutta methods, but a vertex with
/// one child sums it with β = α + γ, one with several children with α.
/// source  Hairer & Wanner, Solving ODEs II, IV.7, Theorem 7.3
template <int S>
constexpr elementary_weight<S> weight_of(const rooted_trees& tree,
                                         const rosenbrock_increments<S>& k) {
  return weight_by<S>(tree, [&](int v, int i, const double(&x)[S]) {
    const bool driven = tree.is_only_child(v);
    double sum = 0;
    for (int j = 0; j <= i; ++j) sum += (k.alpha[i][j] + (driven ? k.gamma[i][j] : 0.0)) * x[j];
    return sum;
  });
}

/// The order of weights b at θ: Σ bᵢ stageᵢ = θ^n / density for the trees of n ≤ order vertices.
/// The tolerance is relative to the terms of the sum; what is printed with 16 digits keeps 1e-13.
template <int S>
constexpr int order_of(const rosenbrock_increments<S>& k, const double (&b)[S], double theta = 1,
                       int limit = 6, double tolerance = 1e-13) {
  double power = 1;
  for (int n = 1; n <= limit; ++n) {
    power *= theta;
    rooted_trees tree(n);
    do {
      const elementary_weight<S> weight = weight_of(tree, k);
      if (!sums_to(b, weight.stage, power / weight.density, tolerance)) return n - 1;
    } while (tree.next());
  }
  return limit;
}

/// The order that is left when J is any matrix: every chain of γ vanishes, every tree of α has its
/// own condition (tried to order 3).
/// source  Hairer & Wanner, Solving ODEs II, IV.7, (7.31)
template <int S>
constexpr int w_order_of(const rosenbrock_increments<S>& k, double tolerance = 1e-13) {
  double one[S], node[S] = {}, driven[S] = {};
  for (int i = 0; i < S; ++i) {
    one[i] = 1;
    for (int j = 0; j <= i; ++j) node[i] += k.alpha[i][j], driven[i] += k.gamma[i][j];
  }
  const auto holds = [&](const double(&x)[S], double target) {
    return sums_to(k.b, x, target, tolerance);
  };
  if (!holds(one, 1)) return 0;
  if (!holds(node, 0.5) || !holds(driven, 0)) return 1;
  double squared[S], aa[S] = {}, ag[S] = {}, ga[S] = {}, gg[S] = {};
  for (int i = 0; i < S; ++i) {
    squared[i] = node[i] * node[i];
    for (int j = 0; j <= i; ++j) {
      aa[i] += k.alpha[i][j] * node[j];
      ag[i] += k.alpha[i][j] * driven[j];
      ga[i] += k.gamma[i][j] * node[j];
      gg[i] += k.gamma[i][j] * driven[j];
    }
  }
  const bool third =
      holds(squared, 1.0 / 3) && holds(aa, 1.0 / 6) && holds(ag, 0) && holds(ga, 0) && holds(gg, 0);
  return third ? 3 : 2;
}

/// Whether the nodes αᵢ and the weights γᵢ of ∂f/∂t are the row sums of α and Γ. A method for which
/// they are not has its order on autonomous problems only.
template <int S>
constexpr bool is_consistent(const rosenbrock_tableau<S>& u, double tolerance = 1e-13) {
  const auto k = increments_of(u);
  for (int i = 0; i < S; ++i) {
    double ones[S] = {};
    for (double& x : ones) x = 1;
    if (!sums_to(k.alpha[i], ones, u.node[i], tolerance)) return false;
    if (!sums_to(k.gamma[i], ones, u.driven[i], tolerance)) return false;
  }
  return true;
}

struct rosenbrock_orders {
  int order, embedded, w = 1;
};

/// Exactly these orders, and consistent.
template <int S>
constexpr bool has_order(const rosenbrock_tableau<S>& u, const rosenbrock_orders& expected) {
  const auto k = increments_of(u);
  double embedded[S] = {};
  for (int i = 0; i < S; ++i) embedded[i] = k.b[i] - k.e[i];
  return is_consistent(u) && order_of(k, k.b) == expected.order &&
         order_of(k, embedded) == expected.embedded && w_order_of(k) == expected.w;
}

/// Weights of the increments at θ.
template <int S, int D>
constexpr void weights_at(const rosenbrock_tableau<S>& u, const rosenbrock_rows<S, D>& rows,
                          double theta, double (&b)[S]) {
  double of_u[S] = {};
  for (int i = 0; i < S; ++i) {
    double inner = 0;
    for (int l = D - 1; l >= 0; --l) inner = inner * theta + rows.row[l][i];
    of_u[i] = theta * (u.m[i] + (1 - theta) * inner);
  }
  double inverse[S][S] = {};
  for (int i = 0; i < S; ++i) {
    for (int j = 0; j < i; ++j) inverse[i][j] = -u.c[i][j];
    inverse[i][i] = 1 / u.gamma;
  }
  times(of_u, lower_inverse<S>(inverse).x, b);
}

/// Whether dense output has at least this order inside the step.
template <int S, int D>
constexpr bool dense_has_order(const rosenbrock_tableau<S>& u, const rosenbrock_rows<S, D>& rows,
                               int order, double tolerance = 1e-11) {
  const auto k = increments_of(u);
  constexpr double inside[] = {0.125, 0.25, 0.375, 0.5, 0.625, 0.875};
  for (const double theta : inside) {
    double b[S] = {};
    weights_at(u, rows, theta, b);
    if (order_of(k, b, theta, order, tolerance) < order) return false;
  }
  return true;
}

}  // namespace revode
