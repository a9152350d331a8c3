// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/state/elementary.hpp>

namespace revode {

/// A proportional-integral-derivative controller of the step size, on the squared error err²:
///   factor = safety · (errₙ²)^(−β₁/2) · (errₙ₋₁²)^(−β₂/2) · (errₙ₋₂²)^(−β₃/2),
///   β₁ = (p + i + d)/k, β₂ = −(p + 2d)/k, β₃ = d/k, k = order of the estimate + 1,
/// clipped to [factor_min, factor_max]. A rejected step shrinks by the classical rule (p = d = 0),
/// and the first step accepted after a rejection does not grow.
/// source  Söderlind, ACM TOMS 29 (2003) 1–26
struct pid_controller {
  double p = 0.4;
  double i = 0.3;
  double d = 0;
  double safety = 0.9;
  double factor_min = 0.2;
  double factor_max = 10;
};

/// The errors that the controller remembers, as log₂ err² of the last two accepted steps.
struct controller_memory {
  double previous = 0;
  double before = 0;
  bool rejected = false;
};

/// The factor on the step just tried. error_squared may be 0, infinite or NaN.
REVODE_HD double propose_factor(const pid_controller& c, controller_memory& m,
                                double error_squared, int order) {
  const bool accepted = error_squared <= 1;
  const double k = -0.5 / order;
  // Errors of 0 would remember −∞: 2⁻⁴⁰ stands for "far below the tolerance".
  const double floor = 0x1p-80, ceiling = 0x1p80;
  double e = error_squared > floor ? error_squared : floor;
  e = e < ceiling ? e : ceiling;  // NaN has become floor above: see the test on accepted
  const double now = log2_approx(e);
  double factor = c.safety * exp2_approx(k * ((c.p + c.i + c.d) * now -
                                              (c.p + 2 * c.d) * m.previous + c.d * m.before));
  if (!accepted) {
    const bool comparable = error_squared < ceiling;  // false for NaN and infinity
    factor = comparable ? c.safety * exp2_approx(k * now) : c.factor_min;
    factor = factor < 1 ? factor : c.safety;
    factor = factor > c.factor_min ? factor : c.factor_min;
    m.rejected = true;
    return factor;
  }
  const double most = m.rejected ? 1 : c.factor_max;
  factor = factor > c.factor_min ? factor : c.factor_min;
  factor = factor < most ? factor : most;
  m.before = m.previous;
  m.previous = now;
  m.rejected = false;
  return factor;
}

}  // namespace revode
