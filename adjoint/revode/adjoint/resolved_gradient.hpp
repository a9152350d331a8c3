// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/value_and_checked_gradient.hpp>

namespace revode {

/// attempt(options) with tighter and tighter tolerances until the gradient's relative error that it
/// returns is at most `wanted`; it returns nothing where there is no gradient. Between two attempts
/// errors are taken to fall a little faster than tolerances. Gives up at a tolerance of 1e-14.
/// errors  std::invalid_argument: wanted is not between 1e-12 and 1
template <class Attempt>
void resolve_gradient(double wanted, options o, const Attempt& attempt) {
  if (!(wanted >= 1e-12 && wanted < 1))
    throw std::invalid_argument("gradient_rtol = " + std::to_string(wanted) +
                                " (a share of the gradient's norm) give one from 1e-12 to 1?");
  constexpr double least = 1e-14;
  for (;;) {
    const std::optional<double> error = attempt(std::as_const(o));
    if (!error || *error <= wanted) return;
    double factor = std::fmin(0.5, std::fmax(1e-4, 0.5 * std::pow(wanted / *error, 0.8)));
    const double from = o.rtol > 0 ? o.rtol : o.atol;
    if (from <= least) return;
    factor = std::fmax(factor, least / from);
    o.rtol *= factor;
    o.atol *= factor;
    for (auto each : {&error_norm::rtol, &error_norm::atol})
      for (double& own : o.norm.*each) own *= factor;
  }
}

/// As value_and_gradient, with a gradient whose estimated error is at most gradient_rtol of its norm,
/// that of y0 and that of p: solved again with tolerances that the estimate chooses. Where none is
/// tight enough the last gradient has the status gradient_not_resolved.
///   auto r = resolved_value_and_gradient(q, rodas5p{}, {}, loss, 1e-3);
///   *r.gradient, r.gradient->error->relative
/// cost    two to four solves and gradients with_error, the last about as dear as the others together
///         or dearer
template <method M, class F, class Y, class P, class Loss, class... Events>
value_and_gradient_result<Y, P> resolved_value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o, const Loss& loss, double gradient_rtol,
    const recursive_checkpoint& adjoint = {}, const Events&... events) {
  const with_error estimating{adjoint, gradient_rtol};
  std::optional<value_and_gradient_result<Y, P>> last;
  resolve_gradient(gradient_rtol, o, [&](const options& tighter) -> std::optional<double> {
    last.emplace(value_and_gradient(q, m, tighter, events..., loss, estimating));
    if (!last->gradient || !last->gradient->error) return std::nullopt;
    return last->gradient->error->relative;
  });
  return *std::move(last);
}

}  // namespace revode
