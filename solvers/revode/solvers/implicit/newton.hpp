// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/growth.hpp>
#include <revode/solvers/implicit/newton_control.hpp>
#include <revode/solvers/implicit/newton_inexact.hpp>
#include <revode/solvers/implicit/newton_types.hpp>

namespace revode {

// What implicit Runge–Kutta methods share: simplified Newton iterations with a Jacobian that is
// taken at accepted states only, kept while they converge fast, and steps that are as long as both
// the error and the iterations allow.
// source  Hairer & Wanner, Solving ODEs II, 2nd ed., IV.8; Gustafsson, ACM TOMS 20 (1994) 496–517

/// States small enough for a step to be one piece of code without a call: a fifth less time there,
/// none from n = 8 on.
template <class Y>
inline constexpr bool stays_small_v = static_size_v<Y> >= 0 && static_size_v<Y> <= 4;

/// Is the Jacobian of this carry the one at (t, y)?
template <class Memo, class Y>
bool jacobian_is_at(const Memo& memo, double t, const Y& y) {
  if (is_spread_v<Y> || memo.t_jacobian != t) return false;  // ranks take the same way
  for (int i = 0, n = length(y); i < n; ++i)
    if (!(memo.y_jacobian.data()[i] == y.data()[i])) return false;
  return true;
}

/// Does the next trial take a new Jacobian, a new factorisation?
template <class Memo>
bool renew_jacobian(const Memo& memo, bool adaptive) {
  return !adaptive || !memo.next.keep_jacobian || memo.next.rejected;
}
template <class Memo>
bool renew_factors(const Memo& memo, double h, bool dear = false) {
  if (!memo.next.keep_factors) return true;
  if (dear) return !(h / memo.h_factors >= 0.667 && h / memo.h_factors <= 1.5);
  return !(std::abs(h - memo.h_factors) <= 1e-6 * std::abs(h));
}

/// to ← from, but where the Jacobian of `to` is the one at (t, y) already it stays.
template <class Memo, class Y>
void take_memo(const Memo& from, bool tried, double t, const Y& y, Memo& to) {
  to = from;
  if (!tried) return;
  to.t_jacobian = t;
  copy(y, to.y_jacobian);
}

/// Which Jacobian and factors a trial takes; they are put into `to`. Dear factors come with a new Jacobian, also where
/// it is `again` that the trial is made, since it failed with old ones.
template <class Record, class From, class To>
Record choose_factors(double t, double h, bool adaptive, const From& from, To& to,
                      bool dear = false, bool again = false) {
  Record r{};
  r.rate = 1;
  if (again || renew_jacobian(from.memo, adaptive)) r.flags |= r.new_jacobian | r.new_factors;
  if (renew_factors(from.memo, h, dear))
    r.flags |= dear ? r.new_jacobian | r.new_factors : r.new_factors;
  const bool fresh = r.has(r.new_jacobian);
  const bool tried = fresh && jacobian_is_at(to.memo, t, from.state);
  if (!tried && (!fresh || jacobian_is_at(from.memo, t, from.state)))
    to.cache.jacobian = from.cache.jacobian;
  if (!r.has(r.new_factors)) to.cache.factors = from.cache.factors;
  take_memo(from.memo, tried, t, from.state, to.memo);
  copy(from.state, to.state);
  return r;
}

/// The Jacobian of a step from (t, y), as decided.
template <class M, class System, class Y, class Record, class Carry>
status take_jacobian(const M& m, System& sys, double t, const Y& y, const Record& r, Carry& to) {
  if (!r.has(r.new_jacobian)) return status::success;
  if (!jacobian_is_at(to.memo, t, y)) {
    algebra_of(m).evaluate(sys, t, y, to.cache.jacobian);
    to.memo.t_jacobian = t;
    copy(y, to.memo.y_jacobian);
  }
  return all_finite(to.cache.jacobian) ? status::success : status::non_finite_field;
}

/// Do new factors of an adaptive trial tell that it steps over growth (growth.hpp)? With a mass matrix signs tell nothing.
template <class System, class Record, class Factors>
bool trial_steps_over_growth(const System&, const tolerance& tol, const Record& r, double h,
                             const Factors& factors) {
  if constexpr (is_massive_v<System>)
    return false;
  else
    return tol.estimate && r.has(r.new_factors) && steps_over_growth(factors, h);
}

/// How much longer a step may become: by `most`, and with the n-th step after a rejection by
/// recovery^n, since what made iterations or estimate fail may be there again.
struct growth_limits {
  double most, recovery;
};

/// The predictive controller, or other gains than the default ones, with all the decisions about
/// Jacobian and factors. The estimate falls as h^power; `work` ≤ 1 shortens steps whose iterations
/// were many. Dear factors serve steps of other lengths.
/// source  Hairer & Wanner, IV.8, (8.19) and (8.25)
template <class Controller, class Memory, class Outcome, class Memo>
double propose_by_newton(const Controller& c, Memory& memory, const Outcome& found, Memo& from,
                         Memo& next, int power, double work, growth_limits limits,
                         bool dear = false) {
  const double exponent = 0.5 / power;
  const double largest = std::fmin(c.factor_max, std::fmin(limits.most, from.next.growth));
  const auto bounded = [&](double factor) {
    return std::fmin(std::fmax(factor, c.factor_min), largest);
  };
  const auto power_of = [&](double x) { return exp2_approx(exponent * log2_error(x)); };
  const double error = std::fmax(found.error_squared, 1e-20);
  const bool given = !has_default_gains(c);
  if (!(found.error_squared <= 1)) {
    memory.rejected = from.next.rejected = true;
    from.next.growth = limits.recovery;
    // A trial that left the domain has been computed: its iterations ask for nothing.
    const bool failed = found.what != status::success && found.what != status::outside_domain;
    const double factor = failed                      ? found.record.rate
                          : from.next.accepted_h == 0 ? 0.1
                                                      : bounded(c.safety * work / power_of(error));
    if (given && c.ratio != 0) memory.before *= factor;
    return factor;
  }
  newton_decisions& d = next.next;
  d = from.next;
  d.growth *= limits.recovery;
  const double h = next.h;
  double factor = given ? work * propose_factor(c, memory, found.error_squared, power)
                        : bounded(c.safety * work / power_of(error));
  if (from.next.accepted_h != 0 && !given) {
    const double squares = error * error / (d.accepted_error * d.accepted_error);
    const double before = std::abs(d.accepted_h / h) * power_of(squares);
    factor = std::fmin(factor, bounded(c.safety / before));
  }
  d.accepted_h = h;
  d.accepted_error = std::fmax(1e-2, std::sqrt(error));
  d.rate = static_cast<double>(found.record.rate);
  if (from.next.rejected) factor = std::fmin(factor, 1.0);
  d.rejected = memory.rejected = false;
  d.keep_jacobian = found.record.has(found.record.fast);
  d.keep_factors = d.keep_jacobian && (dear || (factor >= 1 && factor <= 1.2));
  if (d.keep_factors && !dear) factor = 1;
  if (given && c.ratio != 0) memory.before = factor;
  return factor;
}

}  // namespace revode
