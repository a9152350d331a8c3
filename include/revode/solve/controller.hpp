// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include <revode/state/powers.hpp>

namespace revode {

/// A proportional-integral-derivative controller of the step size, on the squared error err²:
///   factor = safety · (errₙ²)^(−β₁/2) · (errₙ₋₁²)^(−β₂/2) · (errₙ₋₂²)^(−β₃/2),
///   β₁ = (p + i + d)/k, β₂ = −(p + 2d)/k, β₃ = d/k, k = order of the estimate + 1,
/// times (hₙ/hₙ₋₁)^ratio, clipped to [factor_min, factor_max]. A rejected step shrinks by the classical rule (p = d = 0),
/// and the first step accepted after a rejection does not grow.
/// While keep_from ≤ err² ≤ keep_to the step is kept as it is: the next attempt then need not wait
/// for the power, and a processor that guesses so overlaps the two (a third less time per attempt
/// on small systems, at the same work). keep_from > keep_to switches that off.
/// hₙ/hₙ₋₁ is what the controller proposed, before max_step, stops and t1 cut it. A controller with a
/// ratio has d = 0. Named gains: solve/controllers.hpp. With the default gains a method takes the
/// controller made for it where it has one (Rosenbrock and implicit methods: Gustafsson's), and safety
/// and bounds from here.
/// source  Söderlind, ACM TOMS 29 (2003) 1–26; the gains are those of Hairer's DOPRI5, β = 0.04
struct pid_controller {
  double p = 0.2;
  double i = 0.65;
  double d = 0;
  double safety = 0.9;
  double factor_min = 0.2;
  double factor_max = 10;
  double keep_from = 0.1;
  double keep_to = 0.5;
  double ratio = 0;
  bool at_most_integral = false;  ///< no factor above safety · (errₙ²)^(−1/2k)
};

/// The end of an attempt from t that would end at t_new, if that is further than max_step: of a step
/// stretched to `end`, the middle, so that no sliver is left; else just before it, where t + h was
/// rounded away from t. direction: ±1.
REVODE_HD double within_max_step(double direction, double t, double t_new, double end,
                                 double max_step) {
  const double a = std::abs(t), b = std::abs(t_new), ulp = 0x1p-52 * (a > b ? a : b);
  const double nearer = t_new == end ? t + 0.5 * (t_new - t) : t_new - direction * ulp;
  return std::abs(t_new - t) > max_step ? nearer : t_new;
}

/// Are the gains the default ones?
REVODE_HD bool has_default_gains(const pid_controller& c) {
  const pid_controller d{};
  return c.p == d.p && c.i == d.i && c.d == d.d && c.ratio == d.ratio && !c.at_most_integral;
}

/// err² of the last two accepted steps (1: none yet); with a ratio, hₙ/hₙ₋₁ in place of the second.
struct controller_memory {
  double previous = 1;
  double before = 1;
  bool rejected = false;
};

/// log₂ err², where an error of 0 counts as 2⁻⁴⁰: far enough below the tolerance.
REVODE_HD double log2_error(double error_squared) {
  const double log2 = log2_approx(error_squared);
  return log2 > -80 ? log2 : -80;
}

/// The factor on the step just tried, whose estimate falls as h^order. error_squared may be 0,
/// infinite or NaN.
REVODE_HD double propose_factor(const pid_controller& c, controller_memory& m, double error_squared,
                                int order) {
  const double k = -0.5 / order;
  if (!(error_squared <= 1)) {
    m.rejected = true;
    double factor = c.safety * exp2_approx(k * log2_error(error_squared));
    factor = factor > c.factor_min ? factor : c.factor_min;
    if (c.ratio != 0) m.before *= factor;
    return factor;
  }
  double factor = 1;
  if (!(error_squared >= c.keep_from && error_squared <= c.keep_to)) {
    double power = k * (c.p + c.i + c.d) * log2_error(error_squared);
    if (c.p != 0 || c.d != 0)
      power -= k * ((c.p + 2 * c.d) * log2_error(m.previous) - c.d * log2_error(m.before));
    if (c.ratio != 0) power += c.ratio * log2_approx(m.before);
    if (c.at_most_integral) {
      const double integral = k * log2_error(error_squared);
      power = power < integral ? power : integral;
    }
    factor = c.safety * exp2_approx(power);
    const double most = m.rejected ? 1 : c.factor_max;
    factor = factor > c.factor_min ? factor : c.factor_min;
    factor = factor < most ? factor : most;
  }
  m.before = c.ratio != 0 ? factor : m.previous;
  m.previous = error_squared;
  m.rejected = false;
  return factor;
}

/// What is remembered behind a step that a stop cut: its error says nothing.
REVODE_HD controller_memory without_last(const pid_controller& c, const controller_memory& m) {
  if (c.ratio != 0) return {};
  return {m.before, m.before, false};
}

}  // namespace revode
