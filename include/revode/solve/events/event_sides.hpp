// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <revode/solve/events.hpp>
#include <revode/solve/events/bracketed_root.hpp>
#include <revode/state/whole.hpp>

namespace revode {

// On which side of the surface g = 0 of a located event the solution is, in plain numbers: those of
// event_search and of lanes. A side is −1 or 1, or 0 where none is known; twice that is a body at
// rest: on the surface, come from that side, and it does not show yet where it moves to.

REVODE_HD constexpr double sign_of(double g) { return (g > 0 ? 1.0 : 0.0) - (g < 0 ? 1.0 : 0.0); }
REVODE_HD constexpr bool at_rest(double side) { return side * side > 1; }

/// So many events in a row without progress in time are not resolved.
inline constexpr int most_stuck = 32;

/// Four units of rounding of a number of type T near 1.
template <class T>
inline constexpr double few_ulps = 4 * (std::is_same_v<T, float> ? 0x1p-23 : 0x1p-52);

/// What rounding of y's elements may do to of(y), which is `value`: the larger of two samples, all
/// elements moved by a few ulps of them, upwards or up and down in turn. NaN counts for nothing.
template <class Y, class Of>
REVODE_HD double rounding_of(const Of& of, double value, const Y& y, Y& moved) {
  using T = scalar_t<Y>;
  double most = 0;
  int first = 0;
  if constexpr (is_spread_v<Y>) first = static_cast<int>(whole<Y>::first(y) & 1);
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0, n = length(y); i < n; ++i) {
      const T x = y.data()[i], by = static_cast<T>(few_ulps<T>) * x;
      moved.data()[i] = (turn & (first + i)) != 0 ? x - by : x + by;
    }
    most = std::fmax(most, std::abs(of(moved) - value));
  }
  return most;
}

/// How near two occurrences of an event at t, found in steps of length h, are one: in the spacing of
/// times, and in what the bracket of a root in θ can tell apart.
REVODE_HD double same_time(double t, double h) {
  return std::fmax(time_resolution(t, t), 0x1p-52 * std::abs(h));
}

/// Counts cuts, of which this is one at t, that lie behind a step of length h and are no later than the one
/// before, at `last`: are there too many?
template <class Count>
REVODE_HD bool is_stuck(bool located, double t, double h, double& last, Count& stuck) {
  stuck = located && std::abs(t - last) <= same_time(t, h) ? stuck + 1 : 0;
  last = t;
  return stuck > most_stuck;
}

/// What is known of one event behind a cut. rate = dg/dt along the integration; near, still: up to
/// where g and the rate are 0 to rounding.
struct surface_view {
  double g, near, rate, still;
};

/// The side behind a cut for a solution that came from side `from`. False where a wall is not left:
/// the solution is on it and moves to its other side.
REVODE_HD bool find_side(const surface_view& v, double from, bool wall, double& side) {
  side = sign_of(v.g);
  if (std::abs(v.g) > v.near) return true;
  side = std::abs(v.rate) <= v.still ? 0 : sign_of(v.rate);
  const double came = sign_of(from);
  if (!wall || came == 0) return true;
  if (side == 0) side = 2 * came;
  return side != -came;
}

/// The side at the next sample, where the condition is g; 0: on the surface. False where a body at
/// rest (up to `near`) has gone through it.
REVODE_HD bool next_side(double g, double near, double& side, double& next) {
  next = sign_of(g);
  if (!at_rest(side)) return true;
  if (std::abs(g) <= near) next = 0;
  if (next == 0) return true;
  const bool back = next == sign_of(side);
  side = next;
  return back;
}

}  // namespace revode
