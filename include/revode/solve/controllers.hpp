// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/controller.hpp>

/// Controllers by name: options{.controller = controllers::h211b()}. Every one of them answers to
/// every error, where the default keeps the step while the error is about right. k is the order of the
/// estimate + 1, eₙ the scaled error. They act on every adaptive method, in place of the predictive
/// controller of Rosenbrock and implicit ones; those with Newton's iteration still shorten steps whose
/// iterations were many or failed, and keep their factors while the step grows by less than a fifth.
namespace revode::controllers {

/// safety · eₙ^(−β₁/k) · eₙ₋₁^(−β₂/k) · eₙ₋₂^(−β₃/k)
constexpr pid_controller digital(double beta1, double beta2 = 0, double beta3 = 0) {
  const double p = -beta2 - 2 * beta3;
  return {.p = p, .i = beta1 - p - beta3, .d = beta3, .keep_from = 1, .keep_to = 0};
}

/// The elementary controller: eₙ^(−1/k).
constexpr pid_controller i() { return digital(1); }
/// PI.3.4 of the source, also called PI3040: eₙ^(−0.7/k) eₙ₋₁^(0.4/k).
/// source  Gustafsson, ACM TOMS 17 (1991) 533–554; Söderlind, ACM TOMS 29 (2003) 1–26
constexpr pid_controller pi() { return digital(0.7, -0.4); }
/// PI.4.2, also called PI4020, the smoother one: eₙ^(−0.6/k) eₙ₋₁^(0.2/k).
constexpr pid_controller pi4020() { return digital(0.6, -0.2); }
/// eₙ^(−0.49/k) eₙ₋₁^(0.34/k) eₙ₋₂^(−0.1/k), for methods at the limit of their stability.
/// source  Kennedy & Carpenter, Appl. Numer. Math. 44 (2003) 139–181
constexpr pid_controller pid() { return digital(0.49, -0.34, 0.1); }

/// Digital filters: error sequences that alternate from step to step do not reach the steps.
/// source  Söderlind, ACM TOMS 29 (2003) 1–26
constexpr pid_controller h211pi() { return digital(1.0 / 6, 1.0 / 6); }
constexpr pid_controller h312pid() { return digital(1.0 / 18, 1.0 / 9, 1.0 / 18); }
/// eₙ^(−1/bk) eₙ₋₁^(−1/bk) (hₙ/hₙ₋₁)^(−1/b); smoother for greater b, of 2 to 8.
constexpr pid_controller h211b(double b = 4) {
  pid_controller c = digital(1 / b, 1 / b);
  c.ratio = -1 / b;
  return c;
}

/// The predictive controller for steps whose error is proportional to a slowly changing φ(t) h^k, and
/// never longer than the elementary one: eₙ^(−2/k) eₙ₋₁^(1/k) hₙ/hₙ₋₁.
/// source  Gustafsson, ACM TOMS 20 (1994) 496–517; Hairer & Wanner, Solving ODEs II, IV.8, (8.25)
constexpr pid_controller gustafsson() {
  pid_controller c = digital(2, -1);
  c.ratio = 1;
  c.at_most_integral = true;
  return c;
}

}  // namespace revode::controllers
