// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solve/course/rules.hpp>
#include <revode/solve/events/event_sides.hpp>

namespace revode {

/// Events whose conditions are asked for at several places together, before anyone looks at them (asked_events.hpp).
template <class Events>
concept asked_together = requires(const Events& e) {
  e.told(0, 0);
};

/// Which conditions pass through 0 in a step, and where first, of N events: those of a solve by itself, or of one
/// lane of many. Keeps the side of its surface on which each event is.
///   each(visit)      visit(k, e) for the located events e, in order: numbers e.condition(t, y, p) and
///                    e.slope(t, y, p, along), the event itself e.event
///   at(θ, y)         the dense output of the step
///   y                a place for a state
/// `Settles`: where the method begins again is not quite where the event was found, but at a consistent state, which
/// may lie before the surface; the event has happened until it is as far from there again as the two are apart.
template <int N, bool Settles = false>
struct event_search {
  enum class verdict { none, found, unresolved };

  double side[N] = {};      ///< see event_sides.hpp
  double last[N];           ///< its last time
  double residual[N] = {};  ///< the condition there
  double near[N] = {};      ///< see surface_view
  double theta = -1;        ///< where in the step the first of them occur; −1: nowhere
  bool found[N] = {};       ///< which

  REVODE_SELDOM event_search() { forget(); }

  /// The state is another one than the search has seen.
  REVODE_SELDOM void forget() {
    for (int k = 0; k < N; ++k) side[k] = 0, last[k] = -HUGE_VAL;
  }

  /// The sides at the start of a stretch, behind the events found; direction: ±1, of time; moved: a jump changed
  /// the state. slope(y) = f(t, y, p) is asked for where an event's surface is so near that its condition does
  /// not tell the side. False where a side cannot be told.
  template <class Events, class Y, class P, class Slope>
  REVODE_SELDOM bool start(const Events& each, double t, double direction, const Y& y, const P& p,
                           bool moved, Y& along, const Slope& slope) {
    bool known = true, sloped = false;
    if constexpr (asked_together<Events>)
      each.ask(1, p, y, [&](int, const auto& seen) { seen(t, y); });
    each([&](int k, const auto& e) {
      const double g = condition(each, e, 0, k, t, y, p), from = side[k];
      known = known && g == g;
      side[k] = sign_of(g);
      const bool behind = at_rest(from) || found[k];
      if (g != 0 && !behind && (from == 0 || from == side[k])) return;
      if (!sloped) slope(along);
      sloped = true;
      const surface_view v = view(e, t, direction, y, p, g, residual[k], along);
      const bool wall =
          is_wall<Y, P>(e.event, moved || at_rest(from)) && leaves_side(e.event, from);
      known = find_side(v, from, wall, side[k]) && known;
      near[k] = v.near;
    });
    for (bool& of : found) of = false;
    return known;
  }

  /// Looks at the step from t to t_new, where the state is y_new.
  template <class Events, class At, class Y, class P>
  REVODE_SELDOM verdict look(const Events& each, double t, double t_new, double direction,
                             int samples, const At& at, const Y& y_new, const P& p, Y& y) {
    const double h = t_new - t;
    double from = 0;
    theta = -1;
    const auto end_of = [samples](int j) {
      return j == samples ? 1.0 : static_cast<double>(j) / samples;
    };
    if constexpr (asked_together<Events>)
      each.ask(samples, p, y, [&](int j, const auto& seen) {
        if (j + 1 < samples) at(end_of(j + 1), y);
        seen(t + end_of(j + 1) * h, j + 1 < samples ? y : y_new);
      });
    for (int j = 1; j <= samples; ++j) {
      const double to = end_of(j);
      if (!asked_together<Events> && j < samples) at(to, y);
      const verdict v =
          look_between(each, j - 1, t, h, from, to, at, j < samples ? y : y_new, p, y);
      if (v == verdict::found && reaches(direction, time_in_step(t, t_new, theta), t_new))
        theta = 1;
      if (v != verdict::none) return v;
      from = to;
    }
    return verdict::none;
  }

  /// The events found occur, at time t. False for one that occurred just before.
  template <class Events, class At, class Y, class P>
  REVODE_SELDOM bool occur(const Events& each, double t, double h, const At& at, const P& p, Y& y) {
    bool apart = true;
    at(theta, y);
    each([&](int k, const auto& e) {
      if (!found[k]) return;
      apart = apart && std::abs(t - last[k]) > same_time(t, h);
      last[k] = t;
      residual[k] = std::abs(e.condition(t, y, p));
    });
    return apart;
  }

 private:
  /// Of an event whose condition is g at y.
  template <class E, class Y, class P>
  REVODE_SELDOM static surface_view view(const E& e, double t, double direction, const Y& y,
                                         const P& p, double g, double residual, const Y& along) {
    Y moved = y;
    const double rate = e.slope(t, y, p, along), beside = t + few_ulps<scalar_t<Y>> * t;
    const double noise =
        rounding_of([&](const Y& at) { return e.condition(beside, at, p); }, g, y, moved);
    const double still =
        rounding_of([&](const Y& at) { return e.slope(t, y, p, at); }, rate, along, moved);
    const double moving = time_resolution(t, t) * std::abs(rate);
    return {g, std::fmax(2 * residual, std::fmax(moving, noise)), direction * rate, still};
  }

  /// That of event k at the j-th of the places asked for.
  template <class Events, class E, class Y, class P>
  REVODE_HD static double condition(const Events& each, const E& e, int j, int k, double t,
                                    const Y& y, const P& p) {
    if constexpr (asked_together<Events>)
      return each.told(j, k);
    else
      return e.condition(t, y, p);
  }

  struct sample {
    double value[N] = {}, side[N] = {};  ///< of each condition, and where it is then
    bool crossed[N] = {};
  };

  template <class Events, class At, class Y, class P>
  REVODE_SELDOM verdict look_between(const Events& each, int j, double t, double h, double from,
                                     double to, const At& at, const Y& y_to, const P& p, Y& y) {
    bool any = false, known = true;
    sample s;
    each([&](int k, const auto& e) {
      const double g = condition(each, e, j, k, t + to * h, y_to, p);
      known = next_side(g, near[k], side[k], s.side[k]) && known && g == g;
      if (Settles && !at_rest(side[k])) {
        if (std::abs(g) <= near[k])
          s.side[k] = side[k];
        else
          near[k] = 0;
      }
      s.value[k] = g;
      s.crossed[k] = side[k] != 0 && !at_rest(side[k]) && s.side[k] != side[k] &&
                     leaves_side(e.event, side[k]);
      any = any || s.crossed[k];
    });
    if (!known) return verdict::unresolved;
    if (any) return locate(each, t, h, from, to, at, p, s, y);
    for (int k = 0; k < N; ++k)
      if (s.side[k] != 0) side[k] = s.side[k];
    return verdict::none;
  }

  /// The first root among those of the conditions crossed at `to`, and all that are at its time.
  template <class Events, class At, class Y, class P>
  REVODE_SELDOM verdict locate(const Events& each, double t, double h, double from, double to,
                               const At& at, const P& p, const sample& s, Y& y) {
    const double apart = time_resolution(t, t + h) / std::abs(h);
    const double resolution = std::fmax(apart / 16, 0x1p-54);
    bool known = true;
    double root[N] = {};
    theta = 2;
    each([&](int k, const auto& e) {
      if (!s.crossed[k]) return;
      const auto g = [&](double x) {
        at(x, y);
        return side[k] * e.condition(t + x * h, y, p);
      };
      root[k] = root_between(g, from, to, side[k] * s.value[k], resolution);
      known = known && root[k] == root[k];
      if (root[k] < theta) theta = root[k];
    });
    if (!known) return verdict::unresolved;
    for (int k = 0; k < N; ++k) found[k] = s.crossed[k] && root[k] - theta <= apart;
    return verdict::found;
  }
};

}  // namespace revode
