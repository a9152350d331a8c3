// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solvers/implicit/newton_control.hpp>
#include <revode/solvers/radau/radau_types.hpp>
#include <revode/state/powers.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// How many tolerances the estimate, of order S, is allowed, so that what a step of order 2S − 1 leaves
/// is about one of them. `size` is 1/δ, δ the least tolerance of an element over its size (rtol where
/// atol is small): 0.1 δ^((S+1)/(2S)) / δ.
/// source  the codes RADAU5 and RADAU of Hairer & Wanner
template <int S>
double radau_allowance(double size) {
  const double x = std::fmin(std::fmax(size, 1.0), 1e15);
  if constexpr (S == 3) return 0.1 * std::cbrt(x);
  return 0.1 * exp2_approx((S - 1) / (2.0 * S) * log2_approx(x));
}
/// κ: what iterations may leave of that, 0.02 to 0.03 of a tolerance, but no less than rounding does.
/// RADAU has the power of rtol that this is.
template <int S>
double radau_newton_tolerance(double allowed, double rounding) {
  constexpr double parts[] = {0, 0.031622776601683791, 0.021544346900318840, 0.017782794100389229};
  return std::fmax(rounding, std::fmin(0.03, parts[S / 2] / allowed));
}

/// What the last step made of y.
template <class Y, int S>
const Y& last_change(const newton_memo<Y, S>& memo) {
  return memo.past[S - 1];
}

struct radau_aims {
  status what;  ///< whether Jacobian and factors are there, on all ranks of a spread state
  double kappa, allowed, rounding;
};
/// Weights 1/(allowed (atol + rtol |y|)); κ and what is allowed. Sizes are those at either end of the
/// last step, since an element may pass 0.
template <class L, class Memo, class Y, int S>
radau_aims aim_radau_step(const tolerance& tol, const Memo& memo, const Y& y, status here,
                          radau_cache<L, Y, S>& c) {
  using T = scalar_t<Y>;
  fill_weights(y, tol, c.weight);
  copy(y, c.stage);
  axpy(T(-1), last_change(memo), c.stage);
  double size = std::fmax(relative_size(tol, y, c.weight), relative_size(tol, c.stage, c.weight));
  if constexpr (is_spread_v<Y>) {
    const auto all = whole<Y>::template sums<0>(
        y, [](int, double*) {}, size, static_cast<int>(here));
    size = all.most;
    here = static_cast<status>(all.code);
  }
  const double allowed = radau_allowance<S>(size);
  for (int k = 0, n = length(y); k < n; ++k) c.weight.data()[k] *= T(1 / allowed);
  const double rounding = rounding_in<T>(size / allowed);
  return {here, radau_newton_tolerance<S>(allowed, rounding), allowed, rounding};
}

}  // namespace revode
