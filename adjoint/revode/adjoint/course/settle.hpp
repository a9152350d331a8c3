// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <revode/adjoint/gradient.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// No element of x, or of its parts, is infinite or NaN. A struct that does not tell its parts is taken
/// for finite: the gradient that it ends in is looked at as well.
template <class X>
bool has_finite_parts(const X& x) {
  bool finite = true;
  if constexpr (requires { X::parts(x, [](const auto&) {}); })
    X::parts(x, [&](const auto& part) { finite = finite && has_finite_parts(part); });
  else if constexpr (dense<X>)
    finite = all_finite(x);
  return finite;
}

/// Are all numbers of a gradient finite?
template <class Y, class P>
bool all_finite(const gradient<Y, P>& g) {
  bool finite = all_finite(std::vector<typename gradient<Y, P>::time>{g.t0, g.t1}) &&
                all_finite(g.y0) && all_finite(g.p) && all_finite(g.ts) && all_finite(g.stops) &&
                all_finite(g.events);
  for (const std::vector<double>& times : g.times) finite = finite && all_finite(times);
  return finite;
}
/// Are all cotangents finite?
template <class Y>
bool all_finite(const cotangents<Y>& w) {
  bool finite = all_finite(w.events) && (!w.y || all_finite(*w.y));
  for (const Y& y : w.ys) finite = finite && all_finite(y);
  return finite;
}

/// Ends a reverse pass that failed.
template <class Y, class P>
void spoil(status why, gradient<Y, P>& g) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  g.status = why;
  fill(g.y0, static_cast<scalar_t<Y>>(nan));
  if (length(g.p) > 0) fill(g.p, static_cast<scalar_t<P>>(nan));
  g.t0 = g.t1 = typename gradient<Y, P>::time(nan);
  for (auto* times : {&g.ts, &g.stops, &g.events}) times->assign(times->size(), nan);
  for (std::vector<double>& times : g.times) times.assign(times.size(), nan);
}

/// Ends a reverse pass in which this was reported, if anything; a gradient that is not finite is a
/// failure as well.
template <class Y, class P>
void settle(status reported, gradient<Y, P>& g) {
  if (reported == status::success && !all_finite(g)) reported = status::non_finite_gradient;
  if (reported != status::success) spoil(reported, g);
}

}  // namespace revode
