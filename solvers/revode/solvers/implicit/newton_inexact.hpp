// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/linalg/krylov/solve_goal.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solvers/implicit/newton_control.hpp>

namespace revode {

/// Where the linear solves of a step's corrections end: at a residual of this 2-norm, which leaves at
/// most `correction` in Newton's norm where f is dissipative, since |(s I − J)⁻¹| ≤ 1/s there. 0: at a
/// part of their right side, as where steps are given and iterations go on to rounding.
struct inexact_goal {
  double residual = 0, correction = 0;
};

/// |x|, without a care for overflow.
template <class X>
double plain_norm(const X& x) {
  const auto all = sums_over<1>(x, [&](int i, double* sum) {
    const auto part = static_cast<double>(value_of(x.data()[i]));
    *sum = muladd(part, part, *sum);
  });
  return std::sqrt(all.of[0]);
}

/// part κ as the norm of a residual: part κ s n / √Σ wᵢ², an error that knows no element by name, rounded
/// as a step's record has it. `known`: √Σ wᵢ² where it is.
template <class Y, class Record>
inexact_goal choose_goal(double part, double kappa, double shift, const Y& weight, Record& r,
                         double known = -1) {
  const double norm = known >= 0 ? known : plain_norm(weight);
  r.goal = short_number(part * kappa * std::abs(shift) * count_of(weight) / norm);
  return {r.goal.value(), part * kappa};
}

/// The goal of a step's solves, 0 where they have none.
template <class Record>
double goal_of(const Record& r) {
  if constexpr (requires { r.goal; })
    return r.goal.value();
  else
    return 0;
}

/// x = (s I − J)⁻¹ x to the goal; whether it was reached. Whatever the goal, 10⁻³ of the right side do: the
/// next correction has the rest. The first correction of a stage moves.
template <class Factors, class X>
bool solve_to(const Factors& factors, double goal, bool first, X& x) {
  const auto& at = factors.limits();
  const double rough = std::fmax(at.tolerance, std::fmin(newton_solve_tolerance, at.rough));
  const double left = factors.solve_to_goal({rough, goal, first && goal > 0}, x);
  return goal == 0 || left <= goal;
}

}  // namespace revode
