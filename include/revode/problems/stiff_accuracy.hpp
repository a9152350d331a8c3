// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/solve/solve.hpp>

namespace revode {

/// −log₁₀ of the largest |yᵢ − rᵢ| / (scale + |rᵢ|) over the components of a problem's reference r.
template <class Problem, class Y>
double digits_of(const Problem& f, const Y& y, double scale) {
  const auto reference = f.reference();
  std::vector<int> components;
  if constexpr (requires { f.reference_components(); }) components = f.reference_components();
  double worst = 0;
  for (int k = 0; k < static_cast<int>(reference.size()); ++k) {
    const int i = components.empty() ? k : components[static_cast<std::size_t>(k)];
    const double expected = reference.data()[k];
    const double error = std::abs(y.data()[i] - expected) / (scale + std::abs(expected));
    worst = error <= worst ? worst : error;  // a NaN stays
  }
  return -std::log10(std::fmax(worst, 1e-17));
}

/// Digits by errors relative to atol/rtol + |y|, with the absolute tolerance that goes with rtol.
/// source  Mazzia, Magherini, Test Set for IVP Solvers, release 2.4 (2008), section I (mescd)
template <class Problem, class Y>
double mixed_digits(const Problem& f, const Y& y, double rtol) {
  return digits_of(f, y, Problem::atol(rtol) / rtol);
}

/// Solves a stiff problem over its span; one whose field jumps is solved on both sides of the jump.
template <class Problem, class Y, method M>
solution<Y> solve_stiff(const Problem& f, const Y& y0, const M& m, const options& o) {
  const auto p = f.parameters();
  if constexpr (requires { Problem::jump; }) {
    auto first = solve(problem{f, y0, Problem::t0, Problem::jump, p}, m, o);
    if (first.status != status::success) return first;
    const double past = std::nextafter(Problem::jump, Problem::t1);
    auto s = solve(problem{f, first.y, past, Problem::t1, p}, m, o);
    s.stats.accepted += first.stats.accepted;
    s.stats.rejected += first.stats.rejected;
    s.stats.field_evaluations += first.stats.field_evaluations;
    s.stats.jacobian_evaluations += first.stats.jacobian_evaluations;
    s.stats.factorizations += first.stats.factorizations;
    s.stats.newton_iterations += first.stats.newton_iterations;
    return s;
  } else {
    return solve(problem{f, y0, Problem::t0, Problem::t1, p}, m, o);
  }
}

}  // namespace revode
