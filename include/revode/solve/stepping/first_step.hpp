// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solve/mass/consistent_start.hpp>
#include <revode/solve/options.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// (xᵢ / (atol + rtol |yᵢ|))²
template <class Y>
REVODE_HD double scaled_square(const Y& x, const Y& y, const tolerance& tol, int i) {
  const double scale = tol.atol + tol.rtol * std::abs(static_cast<double>(y.data()[i]));
  const double part = static_cast<double>(x.data()[i]) / scale;
  return part * part;
}

/// Their mean, or what options::norm makes of them.
template <class Y>
REVODE_HD double scaled_mean_square(const Y& x, const Y& y, const tolerance& tol) {
  if (tol.each != nullptr)
    return norm_squared(*tol.each, y, y, [&x](int i) { return x.data()[i]; });
  return mean_over(y, [&](int i) { return scaled_square(x, y, tol, i); }).mean;
}

/// The length of the trial step by which a first step is chosen, from the norms of the state and of its
/// slope.
REVODE_HD double trial_length(double d0, double d1, double span) {
  // A state of 0 with atol = 0 has no scale: both ends then say nothing.
  const bool telling = d0 >= 1e-5 && d1 >= 1e-5 && std::isfinite(d0) && std::isfinite(d1);
  return std::fmin(telling ? 0.01 * d0 / d1 : 1e-6, span);
}
/// That of the first step; `change` is the norm of what the slope changes by over the trial step, h0.
REVODE_HD double first_length(double d1, double change, double h0, double span, int order) {
  const double slope = std::fmax(d1, change / h0);
  if (!std::isfinite(slope)) return h0;
  const double h1 = slope <= 1e-15 ? std::fmax(1e-6, 1e-3 * h0)
                                   : exp2_approx(log2_approx(0.01 / slope) / (order + 1));
  return std::fmin(std::fmin(100 * h0, h1), span);
}

/// A first step (signed) for a method whose estimate has the given order; NaN when f(t0, y0) is not
/// finite.
/// cost    2 field evaluations, 3 states
/// source  Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed., II.4
template <class System, class Y>
REVODE_HD double first_step(System& sys, double t0, double t1, const Y& y0, const tolerance& tol,
                            int order) {
  Y f0 = y0, f1 = y0, y = y0;
  slope_of(sys, t0, y0, f0);
  const double span = std::abs(t1 - t0), direction = t1 < t0 ? -1 : 1;
  double d0, d1;
  if constexpr (is_spread_v<Y>) {  // at once
    const auto all = sums_over<2>(f0, [&](int i, double* of) {
      of[0] += scaled_square(y0, y0, tol, i);
      of[1] += scaled_square(f0, y0, tol, i);
    });
    if (!all.finite) return std::nan("");
    d0 = std::sqrt(all.of[0] / count_of(y0));
    d1 = std::sqrt(all.of[1] / count_of(y0));
  } else {
    if (!all_finite(f0)) return std::nan("");
    d0 = std::sqrt(scaled_mean_square(y0, y0, tol));
    d1 = std::sqrt(scaled_mean_square(f0, y0, tol));
  }
  const double h0 = trial_length(d0, d1, span);
  axpy(static_cast<scalar_t<Y>>(direction * h0), f0, y);
  slope_of(sys, t0 + direction * h0, y, f1);
  axpy(static_cast<scalar_t<Y>>(-1), f0, f1);
  const double change = std::sqrt(scaled_mean_square(f1, y0, tol));
  return direction * first_length(d1, change, h0, span, order);
}

}  // namespace revode
