// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <iterator>
#include <vector>

#include <revode/solve/solve.hpp>

namespace revode {

/// −log₁₀ of the largest |yᵢ − rᵢ| / (scale + |rᵢ|) over the components of a problem's reference r, 17
/// where there is none; NaN where y has one.
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
    worst = error <= worst || std::isnan(worst) ? worst : error;
  }
  return -std::log10(worst < 1e-17 ? 1e-17 : worst);
}

/// Digits by errors relative to atol/rtol + |y|, with the absolute tolerance that goes with rtol.
/// source  Mazzia, Magherini, Test Set for IVP Solvers, release 2.4 (2008), section I (mescd)
template <class Problem, class Y>
double mixed_digits(const Problem& f, const Y& y, double rtol) {
  return digits_of(f, y, Problem::atol(rtol) / rtol);
}

/// Where the pieces of a problem's span end: at its `jump` or `jumps`, at last t1.
template <class Problem>
std::vector<double> piece_ends() {
  std::vector<double> ends;
  if constexpr (requires { Problem::jump; }) ends.push_back(Problem::jump);
  if constexpr (requires { Problem::jumps; })
    ends.assign(std::begin(Problem::jumps), std::end(Problem::jumps));
  ends.push_back(Problem::t1);
  return ends;
}

/// Solves a stiff problem over its span; one whose field jumps is solved from jump to jump.
template <class Problem, class Y, method M>
solution<Y> solve_stiff(const Problem& f, const Y& y0, const M& m, const options& o) {
  const auto p = f.parameters();
  const std::vector<double> ends = piece_ends<Problem>();
  auto s = solve(problem{f, y0, Problem::t0, ends[0], p}, m, o);
  for (std::size_t k = 1; k < ends.size() && s.status == status::success; ++k) {
    const double past = std::nextafter(ends[k - 1], Problem::t1);
    const auto before = s.stats;
    s = solve(problem{f, Y(s.y), past, ends[k], p}, m, o);
    s.stats.accepted += before.accepted;
    s.stats.rejected += before.rejected;
    s.stats.field_evaluations += before.field_evaluations;
    s.stats.jacobian_evaluations += before.jacobian_evaluations;
    s.stats.factorizations += before.factorizations;
    s.stats.newton_iterations += before.newton_iterations;
    s.stats.jvp_evaluations += before.jvp_evaluations;
  }
  return s;
}

}  // namespace revode
