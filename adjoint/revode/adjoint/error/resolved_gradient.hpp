// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/value_and_checked_gradient.hpp>

namespace revode {

/// How much smaller an error is taken to become where tolerances become `factor` times as large: a
/// little less than they do, since not every step is as long as its tolerance allows.
inline double share_of_tolerances(double factor) { return 1 / (std::pow(1 / factor, 0.8) - 1); }

/// attempt(options), a value, a gradient and the solution they are of, with tighter and tighter
/// tolerances until the gradient's relative error is at most `wanted`. That error is told by the
/// attempt before, of which the first one, at three times the tolerances, is for that alone; half of
/// `wanted` ends it. Each attempt by a method of this order makes at least about √2 times the steps of
/// the one before. Gives up at a tolerance of 1e-14, and where there is no gradient.
/// errors  std::invalid_argument: wanted is not between 1e-12 and 1, or steps are given
template <class Attempt>
auto resolve_gradient(double wanted, int order, options o, const Attempt& attempt) {
  if (!(wanted >= 1e-12 && wanted < 1))
    throw std::invalid_argument("gradient_rtol = " + std::to_string(wanted) +
                                " (a share of the gradient's norm) give one from 1e-12 to 1?");
  if (o.fixed_step > 0 || !o.grid.empty())
    throw std::invalid_argument(
        "gradient_rtol with given steps (tolerances choose none of them) leave fixed_step and grid "
        "out, or look at the error by with_error?");
  constexpr double least = 1e-14;
  const double most = std::pow(2, -0.5 * order);
  double factor = 1 / looser_solve::by_tolerances;
  auto before = attempt(with_tolerances(o, looser_solve::by_tolerances));
  for (;;) {
    auto now = attempt(std::as_const(o));
    if (!now.gradient || now.gradient->status != status::success) return now;
    const bool comparable = before.gradient && is_comparable(before.solution, now.solution);
    tell_error(comparable ? &*before.gradient : nullptr,
               comparable ? *before.value - *now.value : 0, share_of_tolerances(factor), wanted,
               *now.gradient);
    const double error = now.gradient->error->relative, from = o.rtol > 0 ? o.rtol : o.atol;
    if (2 * error <= wanted || from <= least) return now;
    factor = std::fmax(least / from,
                       std::fmin(most, std::fmax(1e-4, 0.5 * std::pow(wanted / error, 0.8))));
    o = with_tolerances(std::move(o), factor);
    before = std::move(now);
    before.gradient->status = status::success;
  }
}

/// As value_and_gradient, with a gradient whose estimated error is at most gradient_rtol of its norm,
/// that of y0 and that of p: solved again with tolerances that the estimate chooses. Where none is
/// tight enough the last gradient has the status gradient_not_resolved.
///   auto r = resolved_value_and_gradient(q, rodas5p{}, {}, loss, 1e-3);
///   *r.gradient, r.gradient->error->relative
/// cost    two to six solves and gradients, the last about as dear as the others together or dearer
template <method M, class F, class Y, class P, class Loss, class... Events>
value_and_gradient_result<Y, P> resolved_value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o, const Loss& loss, double gradient_rtol,
    const recursive_checkpoint& adjoint = {}, const Events&... events) {
  return resolve_gradient(gradient_rtol, M::order, o, [&](const options& tighter) {
    return value_and_gradient(q, m, tighter, events..., loss, adjoint);
  });
}

}  // namespace revode
