// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock/rosenbrock_types.hpp>

namespace revode {

/// Gustafsson's predictive controller: with q = order of the estimate + 1 and err of a step h after
/// one of h_acc and err_acc ≥ 1/100,
///   h_new/h = min(safety err^(−1/q), safety (h/h_acc) (err_acc/err²)^(1/q)) within bounds.
/// The ratio h/h_acc is the product of the factors given since; it takes the place of the error
/// before the last in the memory. Other gains than the default ones: those, as for any method.
/// source  Hairer & Wanner, Solving ODEs II, IV.8, (8.25), with the bounds 1/5 and 6 of RODAS
template <rosenbrock_method M, class Controller, class Memory, class Outcome, class Carry>
REVODE_HD double propose(const M&, const Controller& c, Memory& memory, const Outcome& found,
                         Carry&, Carry&) {
  if (!has_default_gains(c))
    return propose_factor(c, memory, found.error_squared, estimate_order<M>() + 1);
  constexpr double k = -0.5 / (estimate_order<M>() + 1);
  const double error = log2_error(found.error_squared);
  double factor = c.safety * exp2_approx(k * error);
  const double most = c.factor_max < 6 ? c.factor_max : 6;
  const auto bounded = [&](double x) {
    x = x > c.factor_min ? x : c.factor_min;
    return x < most ? x : most;
  };
  factor = bounded(factor);
  if (!(found.error_squared <= 1)) {
    memory.rejected = true;
    memory.before = memory.before * factor;
    return factor;
  }
  const double predicted =
      c.safety * memory.before * exp2_approx(k * (2 * error - log2_error(memory.previous)));
  const double other = bounded(predicted);
  factor = factor < other ? factor : other;
  if (memory.rejected && factor > 1) factor = 1;
  memory.previous = found.error_squared > 1e-4 ? found.error_squared : 1e-4;
  memory.before = factor;
  memory.rejected = false;
  return factor;
}

}  // namespace revode
