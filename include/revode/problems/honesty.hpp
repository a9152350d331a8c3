// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/problems/catalog.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// The final error in tolerances, max |yᵢ − rᵢ| / (atol + rtol |rᵢ|) over the components of a problem's
/// reference r; infinity where y is not finite there.
inline double error_in_tolerances(const erased_problem& q, const Eigen::VectorXd& y, double rtol,
                                  double atol) {
  double worst = 0;
  for (int k = 0; k < length(q.reference); ++k) {
    const int i = q.reference_components[static_cast<std::size_t>(k)];
    const double expected = q.reference[k];
    const double error = std::abs(y[i] - expected) / (atol + rtol * std::abs(expected));
    if (!(error <= worst))
      worst = error - error == 0 ? error : std::numeric_limits<double>::infinity();
  }
  return worst;
}

/// How a method solved a problem at a pair of tolerances.
struct honest_solve {
  enum status status = status::success;
  double off = 0;  ///< the final error in tolerances
  statistics stats{};
};
template <method M>
honest_solve solve_honestly(const M& m, const erased_problem& q, double rtol, double atol,
                            index max_steps = 1'000'000) {
  options o{.rtol = rtol, .atol = atol, .max_steps = max_steps};
  o.discontinuities = q.jumps;
  const auto s = solve(problem{q.f, q.y0, q.t0, q.t1, q.p}, m, o);
  return {s.status, error_in_tolerances(q, s.y, rtol, atol), s.stats};
}

}  // namespace revode
