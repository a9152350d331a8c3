// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include <revode/interop/odeint/stepper_kinds.hpp>
#include <revode/solve/options.hpp>
#include <revode/state/elements.hpp>

namespace revode::odeint {

/// Mean of (eᵢ / (atol + rtol max(|yᵢ|, |y_newᵢ|)))²: revode's norm, or options::norm.
template <class Y>
double scaled_error_squared(const tolerance& tol, const Y& y, const Y& y_new, const Y& error) {
  if (tol.each != nullptr)
    return norm_squared(*tol.each, y, y_new, [&error](int i) { return error.data()[i]; });
  double sum = 0;
  const int n = length(y);
  for (int i = 0; i < n; ++i) {
    const double from = std::abs(static_cast<double>(y.data()[i]));
    const double to = std::abs(static_cast<double>(y_new.data()[i]));
    const double scale = tol.atol + tol.rtol * (to > from ? to : from);
    const double part = static_cast<double>(error.data()[i]) / scale;
    sum += part * part;
  }
  return n > 0 ? sum / n : 0.0;
}

/// The error of a controlled stepper's checker, squared; for odeint's default
///   max |eᵢ| / (atol + rtol (|yᵢ| + |h| |f(t, y)ᵢ|)).
/// A checker of the user's is made from (atol, rtol) if it can be, and sees the states themselves.
template <class Controlled, class Y>
double controlled_error_squared(const tolerance& tol, double h, const Y& y, const Y& slope,
                                Y& error) {
  using checker = typename Controlled::error_checker_type;
  using value = typename Controlled::value_type;
  using ours = library::default_error_checker<value, typename Controlled::algebra_type,
                                              typename Controlled::operations_type>;
  if constexpr (std::same_as<checker, ours>) {
    double worst = 0;
    for (int i = 0, n = length(y); i < n && worst == worst; ++i) {  // NaN stays
      const auto size = [i](const Y& x) { return std::abs(static_cast<double>(x.data()[i])); };
      const double part =
          size(error) / (tol.atol + tol.rtol * (size(y) + std::abs(h) * size(slope)));
      if (!(part <= worst)) worst = part;
    }
    return worst * worst;
  } else {
    const auto made = [&] {
      if constexpr (std::constructible_from<checker, value, value>)
        return checker(static_cast<value>(tol.atol), static_cast<value>(tol.rtol));
      else
        return checker();
    }();
    typename Controlled::algebra_type algebra;
    const auto worst = static_cast<double>(
        made.error(algebra, y, slope, error, static_cast<typename Controlled::time_type>(h)));
    return worst * worst;
  }
}

/// What a controlled stepper's step rule makes of a step of length 1.
template <class Controlled>
double controlled_factor(double error) {
  using stepper = typename Controlled::stepper_type;
  using value = typename Controlled::value_type;
  const typename Controlled::step_adjuster_type adjuster{};
  const typename Controlled::time_type one(1);
  if (!(error <= 1))
    return static_cast<double>(
        adjuster.decrease_step(one, static_cast<value>(error), stepper::error_order_value));
  return static_cast<double>(
      adjuster.increase_step(one, static_cast<value>(error), stepper::stepper_order_value));
}

}  // namespace revode::odeint
