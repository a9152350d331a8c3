// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>

#include <revode/ad/functions.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/solve/system.hpp>

namespace revode {

// Where M y' = f is singular, y(t) fulfils w f(t, y) = 0 for each w with w M = 0. A solve begins at the
// state that does so and has M y = M y0, by Newton's method with
//   K = the rows of M, and w ∂f/∂y in place of those that others make,
// which is regular for equations of index 1. Its derivative is that of the state found (implicit function
// theorem), and K y' = (f, −w ∂f/∂t) gives the slope there.

template <class Y>
using consistency_factors = dense_lu<scalar_t<Y>>;

/// K at (t, y), factored. False: of no index 1, or not finite.
template <class System, class Y>
bool factor_consistency(System& sys, double t, const Y& y, consistency_factors<Y>& k) {
  using T = scalar_t<Y>;
  const int n = length(y);
  dense_matrix<T> j(n), rows(n);
  if (!sys.mass.constraints().empty()) sys.jacobian(t, y, j);
  for (int i = 0; i < n; ++i)
    for (const auto& e : sys.mass.row(i))
      if (!sys.mass.is_constrained(i)) rows(i, e.at) = T(e.value);
  for (const auto& c : sys.mass.constraints())
    for (const auto& w : c.weights)
      for (int at = 0; at < n; ++at)
        rows(c.row, at) = muladd(T(w.value), j(w.at, at), rows(c.row, at));
  count_factorization(sys);
  return k.factor(rows);
}

/// x ← w x, with a sign, at the rows of constraints, 0 elsewhere.
template <class Y>
void combine_constraints(const mass_matrix& m, scalar_t<Y> sign, Y& x) {
  using T = scalar_t<Y>;
  const Y from = x;
  fill(x, T(0));
  for (const auto& c : m.constraints())
    x.data()[c.row] = sign * add_entries(c.weights, T(0), [&](int i) { return from.data()[i]; });
}

/// y ← the consistent state, see above; one that is so to rounding keeps its bits. Reports
/// newton_failure where there is none near.
/// cost    a Jacobian and a dense factorisation of n × n for each of a few iterations
/// errors  equations of index 2 or more throw std::invalid_argument
template <class System, class Y>
void make_consistent(System& sys, double t, Y& y) {
  using T = scalar_t<Y>;
  sys.mass.resize(length(y));
  if (sys.mass.constraints().empty()) return;
  constexpr double eps = std::numeric_limits<decltype(value_of(T{}))>::epsilon();
  consistency_factors<Y> k;
  Y change = y;
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0, settled = 0; round < 50; ++round) {
    sys(t, y, change);
    combine_constraints(sys.mass, T(-1), change);
    if (!all_finite(change)) break;
    if (!factor_consistency(sys, t, y, k)) {
      if (round == 0) mass_matrix::refuse_index();
      break;
    }
    k.solve(change);
    double size = 0, of_y = 0;
    for (int i = 0, n = length(y); i < n; ++i) {
      size = std::fmax(size, std::abs(static_cast<double>(value_of(change.data()[i]))));
      of_y = std::fmax(of_y, std::abs(static_cast<double>(value_of(y.data()[i]))));
    }
    const bool ends = size <= 8 * eps * of_y || (size <= 1e-6 * of_y && size > 0.25 * before);
    if (ends) {
      if constexpr (!is_differentiable_v<T>) return;
      if (settled++ == 3) return;  // tangents, and those of tangents, follow values
      for (int i = 0, n = length(y); i < n; ++i)
        change.data()[i] = change.data()[i] - T(value_of(change.data()[i]));
    }
    if (!(size < std::numeric_limits<double>::infinity())) break;
    add(change, y);
    before = size;
  }
  report(sys, status::newton_failure);
}

/// ȳ0, p̄ and t̄ += the cotangent of the consistent state at the given one.
template <class System, class Y, class P, class T>
void pull_consistent(System& sys, double t, const Y& given, const Y& bar, Y& y_bar, P& p_bar,
                     T& t_bar) {
  if (sys.mass.constraints().empty()) return add(bar, y_bar);
  using S = scalar_t<Y>;
  Y y = given, kappa = bar, unused = zero_like(y);
  make_consistent(sys, t, y);
  consistency_factors<Y> k;
  if (!factor_consistency(sys, t, y, k)) return report(sys, status::linear_solve_failure);
  k.solve_transposed(kappa);
  Y weight = zero_like(y);
  for (const auto& c : sys.mass.constraints())
    for (const auto& w : c.weights)
      weight.data()[w.at] = muladd(S(-w.value), kappa.data()[c.row], weight.data()[w.at]);
  for (const auto& c : sys.mass.constraints()) kappa.data()[c.row] = S(0);
  for (int i = 0, n = length(y); i < n; ++i)
    y_bar.data()[i] =
        add_entries(sys.mass.column(i), y_bar.data()[i], [&](int at) { return kappa.data()[at]; });
  S moved(0);
  sys.vjp(t, y, weight, &moved, unused, p_bar);
  t_bar = t_bar + T(moved);
}

/// The tangent of the consistent state.
template <class System, class Y, class P>
void push_consistent(System& sys, double t, const Y& given, const Y& y_dot, const P& p_dot,
                     scalar_t<Y> t_dot, Y& out) {
  if (sys.mass.constraints().empty()) return copy(y_dot, out);
  using S = scalar_t<Y>;
  Y y = given, right = y_dot;
  make_consistent(sys, t, y);
  consistency_factors<Y> k;
  if (!factor_consistency(sys, t, y, k)) return report(sys, status::linear_solve_failure);
  sys.jvp(t, y, t_dot, zero_like(y), p_dot, right);
  combine_constraints(sys.mass, S(-1), right);
  for (int i = 0, n = length(y); i < n; ++i)
    if (!sys.mass.is_constrained(i))
      right.data()[i] =
          add_entries(sys.mass.row(i), S(0), [&](int at) { return y_dot.data()[at]; });
  k.solve(right);
  copy(right, out);
}

/// out = y' of the solution at (t, y): f itself without a mass matrix, at the consistent state with one.
template <class System, class Y>
REVODE_HD void slope_of(System& sys, double t, const Y& y, Y& out) {
  if constexpr (is_massive_v<System>) {
    Y at = y, of_time = y;
    make_consistent(sys, t, at);
    sys(t, at, out);
    sys.time_derivative(t, at, of_time);
    combine_constraints(sys.mass, scalar_t<Y>(-1), of_time);
    for (const auto& c : sys.mass.constraints()) out.data()[c.row] = of_time.data()[c.row];
    consistency_factors<Y> k;
    if (factor_consistency(sys, t, at, k)) k.solve(out);
  } else {
    sys(t, y, out);
  }
}

/// The rows of M, and for each constraint one that takes an element that M leaves open: factored.
template <class T>
bool factor_open_slope(const mass_matrix& m, dense_lu<T>& k) {
  dense_matrix<T> rows(m.size());
  for (int i = 0; i < m.size(); ++i)
    if (!m.is_constrained(i))
      for (const auto& e : m.row(i)) rows(i, e.at) = T(e.value);
  for (const auto& c : m.constraints()) rows(c.row, c.open) = T(1);
  return k.factor(rows);
}

/// x ← the vector with M x = f, f in x, and 0 where M leaves it open; its transpose.
template <bool Transposed, class System, class Y>
void solve_open_slope(System& sys, Y& x) {
  using T = scalar_t<Y>;
  const auto drop = [&] {
    for (const auto& c : sys.mass.constraints()) x.data()[c.row] = T(0);
  };
  consistency_factors<Y> k;
  if (!factor_open_slope(sys.mass, k)) return report(sys, status::linear_solve_failure);
  if constexpr (Transposed) {
    k.solve_transposed(x);
    drop();
  } else {
    drop();
    k.solve(x);
  }
}

}  // namespace revode
