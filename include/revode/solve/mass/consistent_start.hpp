// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include <revode/linalg/refinement.hpp>
#include <revode/solve/mass/consistency.hpp>
#include <revode/solve/mass/direct_part.hpp>
#include <revode/solve/mass/given_start.hpp>
#include <revode/solve/mass/open_slope.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/solve/system.hpp>

namespace revode {

// Where M y' = f is singular, y(t) fulfils w f(t, y) = 0 for each w with w M = 0. A solve begins at the
// state that does so and has M y = M y0, by Newton's method with
//   K = the rows of M, and w ∂f/∂y in place of those that others make,
// which is regular for equations of index 1. Its derivative is that of the state found (implicit function
// theorem), and K y' = (f, −w ∂f/∂t) gives the slope there.
// Where elements are of index 2 or 3, K is singular: then the state is taken as it is given (given_start.hpp), but
// for elements of index 1 that M does not see, which the equations determine (direct_part.hpp); slopes are 0
// where M leaves them open.

/// out = −w f(t, y), 0 elsewhere; its largest element, NaN where one is.
template <class System, class Y>
double constraint_residual(System& sys, double t, const Y& y, Y& out) {
  sys(t, y, out);
  combine_constraints(sys.mass, scalar_t<Y>(-1), out);
  return all_finite(out) ? largest(out) : std::numeric_limits<double>::quiet_NaN();
}

/// Newton's iteration of make_consistent with a Matrix at y, and when it ends: where no element moves by more than 8
/// units in its last place, or where what is left of the equations is rounding, so that three rounds in a row do
/// not halve it, and no element y moves by more than 1e-9 (1 + |y|). A matrix serves on while rounds leave a tenth of
/// the equations at most, and among states as near as that.
template <class System, class Y, class Matrix>
class consistent_newton {
  using T = scalar_t<Y>;
  static constexpr double eps = std::numeric_limits<decltype(value_of(T{}))>::epsilon();

 public:
  consistent_newton(System& sys, double t, Y& y, Matrix& k)
      : sys_(sys),
        t_(t),
        y_(y),
        left_(y),
        change_(y),
        k_(k) {}

  status run() {
    double size = constraint_residual(sys_, t_, y_, left_), best = size;
    bool serves = false, near = true;
    for (int round = 0, stalled = 0; round < 100; ++round) {
      if (size - size != 0) return status::non_finite_field;
      if (!serves) {
        near = is_here_ = k_.factor();
        if (!near) return round == 0 ? status::linear_solve_failure : status::newton_failure;
      }
      copy(left_, change_);
      k_.solve(change_);
      stalled = size > 0.5 * best && round > 0 ? stalled + 1 : 0;
      best = std::fmin(best, size);
      if (moves_by(8 * eps, 0) || (stalled >= 3 && moves_by(1e-9, 1e-9))) return settle();
      near = near && moves_by(1e-9, 1e-9);
      const double before = std::exchange(size, take(size));
      serves = near || size <= 0.1 * before;
      is_here_ = false;
    }
    return status::newton_failure;
  }
  /// Does the matrix have its factors at the state that was found?
  bool is_factored_here() const { return is_here_; }

 private:
  /// Is every change at most relative |y| + absolute?
  bool moves_by(double relative, double absolute) const {
    for (int i = 0, n = length(y_); i < n; ++i) {
      const auto y = static_cast<double>(value_of(y_.data()[i]));
      const auto moved = static_cast<double>(value_of(change_.data()[i]));
      if (!(std::abs(moved) <= relative * std::abs(y) + absolute)) return false;
    }
    return true;
  }
  /// y + change, or less of it where the equations get much worse; what is then left of them.
  double take(double before) {
    const Y from = y_;
    double part = 1, size = 0;
    for (int halved = 0; halved < 40; ++halved, part /= 2) {
      copy(from, y_);
      axpy(T(part), change_, y_);
      size = constraint_residual(sys_, t_, y_, left_);
      if (size <= 4 * before) break;
    }
    return size;
  }
  /// Tangents, and those of tangents, follow values, which stay.
  status settle() {
    if constexpr (is_differentiable_v<T>) {
      for (int round = 0; round < 3; ++round) {
        if (!k_.factor()) return status::linear_solve_failure;
        is_here_ = false;
        constraint_residual(sys_, t_, y_, change_);
        k_.solve(change_);
        for (int i = 0, n = length(y_); i < n; ++i)
          y_.data()[i] = y_.data()[i] + (change_.data()[i] - T(value_of(change_.data()[i])));
      }
    }
    return status::success;
  }

  System& sys_;
  double t_;
  Y& y_;
  Y left_, change_;
  Matrix& k_;
  bool is_here_ = false;
};

/// y ← the given state with what it determines at once, and judged.
template <class System, class Y>
void complete_given_start(System& sys, double t, Y& y, bool first) {
  using part = direct_part<System, Y>;
  if (!part::elements(sys.mass, length(y)).empty()) {
    part matrix(sys, t, y);
    const status found = consistent_newton<System, Y, part>(sys, t, y, matrix).run();
    if (found != status::success && found != status::linear_solve_failure)
      return report(sys, found);
  }
  judge_given_start(sys, t, y, first);
}

/// y ← the consistent state, see above; one that is so to rounding keeps its bits. Reports why there is none:
/// newton_failure, non_finite_field, or linear_solve_failure where a solve has begun before. `k` is K at y; true: with
/// its factors there.
/// cost    factors of K for one or two of a few iterations
/// errors  equations of index 2 or more throw std::invalid_argument at the start of a solve
template <class System, class Y>
bool make_consistent(System& sys, double t, Y& y, consistency<System, Y>& k) {
  sys.mass.resize(length(y));
  const bool first = !sys.mass.has_begun();
  sys.mass.begin();
  if (sys.mass.constraints().empty()) return false;
  if (sys.mass.has_higher_index()) return complete_given_start(sys, t, y, first), false;
  consistent_newton newton(sys, t, y, k);
  const status found = newton.run();
  if (found == status::linear_solve_failure && first) mass_matrix::refuse_index();
  if (found != status::success) report(sys, found);
  return newton.is_factored_here();
}
template <class System, class Y>
void make_consistent(System& sys, double t, Y& y) {
  consistency k(sys, t, y);
  make_consistent(sys, t, y, k);
}

/// Where a solve from (t0, y0) is at t0: at y0, or with a mass matrix at the consistent state.
template <class System, class Y>
Y state_at_start(System& sys, double t0, const Y& y0) {
  Y y = y0;
  if constexpr (is_massive_v<System>) make_consistent(sys, t0, y);
  return y;
}

/// Those of a given state.
template <class System, class Y, class P, class T>
void pull_given_start(System& sys, double t, const Y& given, const Y& bar, Y& y_bar, P& p_bar,
                      T& t_bar) {
  using S = scalar_t<Y>;
  Y y = given;
  direct_part part(sys, t, y);
  if (part.empty()) return add(bar, y_bar);
  make_consistent(sys, t, y);
  if (!part.factor()) return add(bar, y_bar);
  Y rest = bar;
  S moved(0);
  sys.vjp(t, y, part.solve_transposed(bar), &moved, rest, p_bar);
  part.leave_out(rest);
  add(rest, y_bar);
  t_bar = t_bar + T(moved);
}
template <class System, class Y, class P>
void push_given_start(System& sys, double t, const Y& given, const Y& y_dot, const P& p_dot,
                      scalar_t<Y> t_dot, Y& out) {
  Y y = given, rest = y_dot, change = y_dot;
  direct_part part(sys, t, y);
  if (part.empty()) return copy(y_dot, out);
  make_consistent(sys, t, y);
  if (!part.factor()) return copy(y_dot, out);
  part.leave_out(rest);
  sys.jvp(t, y, t_dot, rest, p_dot, change);
  combine_constraints(sys.mass, scalar_t<Y>(-1), change);
  part.solve(change);
  copy(rest, out);
  add(change, out);
}

/// ȳ0, p̄ and t̄ += the cotangent of the consistent state at the given one.
template <class System, class Y, class P, class T>
void pull_consistent(System& sys, double t, const Y& given, const Y& bar, Y& y_bar, P& p_bar,
                     T& t_bar) {
  if (is_taken_as_given(sys.mass)) return pull_given_start(sys, t, given, bar, y_bar, p_bar, t_bar);
  using S = scalar_t<Y>;
  Y y = given, kappa = bar, unused = zero_like(y);
  consistency k(sys, t, y);
  if (!make_consistent(sys, t, y, k) && !k.factor())
    return report(sys, status::linear_solve_failure);
  k.solve_transposed(kappa);
  const Y weight = spread_constraints(sys.mass, S(-1), kappa);
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
  if (is_taken_as_given(sys.mass)) return push_given_start(sys, t, given, y_dot, p_dot, t_dot, out);
  using S = scalar_t<Y>;
  Y y = given, right = y_dot;
  consistency k(sys, t, y);
  if (!make_consistent(sys, t, y, k) && !k.factor())
    return report(sys, status::linear_solve_failure);
  sys.jvp(t, y, t_dot, zero_like(y), p_dot, right);
  combine_constraints(sys.mass, S(-1), right);
  for (int i = 0, n = length(y); i < n; ++i)
    if (!sys.mass.is_constrained(i))
      right.data()[i] =
          add_entries(sys.mass.row(i), S(0), [&](int at) { return y_dot.data()[at]; });
  k.solve(right);
  copy(right, out);
}

/// out = y' of the solution at the consistent state `at`, with the factors of K there.
template <class System, class Y>
void slope_by(const consistency<System, Y>& k, System& sys, double t, const Y& at, Y& out) {
  Y of_time = at;
  sys(t, at, out);
  sys.time_derivative(t, at, of_time);
  combine_constraints(sys.mass, scalar_t<Y>(-1), of_time);
  for (const auto& c : sys.mass.constraints()) out.data()[c.row] = of_time.data()[c.row];
  k.solve(out);
}

/// out = y' of the solution at (t, y): f itself without a mass matrix, at the consistent state with one, NaN
/// where there is none. Where elements are of index 2 or 3 those that M leaves open are 0.
template <class System, class Y>
REVODE_HD void slope_of(System& sys, double t, const Y& y, Y& out) {
  if constexpr (is_massive_v<System>) {
    if (sys.mass.has_higher_index()) {
      sys.mass.resize(length(y));
      sys(t, y, out);
      return solve_open_slope<false>(sys, out);
    }
    const status before = std::exchange(sys.counts.trouble, status::success);
    Y at = y;
    consistency k(sys, t, at);
    const bool factored = make_consistent(sys, t, at, k);
    if (sys.counts.trouble == status::success && (factored || k.factor()))
      slope_by(k, sys, t, at, out);
    else
      fill(out, scalar_t<Y>(std::numeric_limits<double>::quiet_NaN()));
    sys.counts.trouble = before;
  } else {
    sys(t, y, out);
  }
}

/// t̄, ȳ and p̄ += the cotangent of wᵀ slope_of(t, y), of index 1.
template <class System, class Y, class P, class T>
void pull_slope(System& sys, double t, const Y& y, const Y& w, T& t_bar, Y& y_bar, P& p_bar) {
  if constexpr (is_massive_v<System>) {
    if (sys.mass.has_higher_index()) return sys.vjp(t, y, w, &t_bar, y_bar, p_bar);
    using S = scalar_t<Y>;
    Y at = y, slope = y, of_f = w, at_bar = zero_like(y);
    consistency k(sys, t, at);
    if (!make_consistent(sys, t, at, k) && !k.factor())
      return report(sys, status::linear_solve_failure);
    slope_by(k, sys, t, at, slope);
    k.solve_transposed(of_f);
    const Y weight = spread_constraints(sys.mass, S(-1), of_f);
    for (const auto& c : sys.mass.constraints()) of_f.data()[c.row] = S(0);
    sys.vjp(t, at, of_f, &t_bar, at_bar, p_bar);
    sys.second(t, at, weight, S(1), slope, &t_bar, at_bar, p_bar);
    pull_consistent(sys, t, y, at_bar, y_bar, p_bar, t_bar);
  } else {
    sys.vjp(t, y, w, &t_bar, y_bar, p_bar);
  }
}

}  // namespace revode
