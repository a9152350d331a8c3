// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <utility>

#include <revode/solve/events/crossing.hpp>
#include <revode/state/elements.hpp>
#include <revode/status.hpp>

namespace revode {

/// What happens during a solve besides the field, as a list of objects in the order of precedence:
///
///   struct bounce {                                  // a located event
///     static constexpr auto direction = crossing::falling;
///     auto condition(const auto& t, const auto& y, const auto& p) const { return y[0]; }
///     void jump(const auto& t, const auto& y, const auto& p, auto& y_new) const {
///       y_new[1] = -p[1] * y[1];                     // y_new comes as a copy of y
///     }
///   };
///   auto s = solve(q, tsit5{}, options{}, events(bounce{}, dose{}));   // s.events
///
/// Each object is one of
///   located    condition(t, y, p): occurs where it passes through 0 in its direction (as seen along
///              the integration), once a root
///   timed      time(p), or a list `times`: hit exactly; a time outside [t0, t1] does not occur
///   domain     inside(t, y, p): a step whose end is outside is rejected and tried shorter
///   observer   after_step(t, y, p): sees every accepted step's end; true stops the solve
///              after_attempt(step_attempt): is told of every attempt (solve/step_lines.hpp)
/// Located and timed events may have besides
///   jump(t, y, p, y_new)          the state behind the event
///   jump(t, y, p, y_new, p_new)   that and the parameters from there on (p_new: a copy of p)
///   terminal = true               the solve ends there, behind the jump
///   passes = true                 located: the solution goes on through the surface behind a jump of
///                                 the state (a kick); without it that is not resolved
///   discontinuity = true          timed: the field jumps there as well (options::discontinuities)
/// What is differentiated (condition, jump, time) is generic in its scalar, like a field. A condition, jump, inside or
/// after_step in another form does not compile (solve/events/event_names.hpp).
///
/// Conditions are looked at in options::event_samples places of every step, the last one its end;
/// two roots of one condition between two of them are not seen. The first root in time is found by
/// a bracketing method on the dense output; roots of several events at one time occur together, in
/// listed order. A start on the surface (at t0, or behind a jump) is no occurrence: the side is
/// then the one that the solution moves to. A jump that moves another event across its surface does
/// not make it occur. What cannot be told ends the solve with `event_not_resolved`, at the event: one
/// that occurs again within a few ulps of the time (bounces that accumulate), and a jump of the state
/// that leaves it on the event's surface and heading through it, at once or when it has been at rest
/// there (a body that does not bounce).
template <class... E>
struct event_list {
  std::tuple<E...> each;
};
using no_events = event_list<>;

template <class... E>
event_list<E...> events(E... each) {
  return {std::tuple<E...>(std::move(each)...)};
}

/// after_step(t, y, p) -> bool from a callable: a steady state, a time limit, progress, a log.
template <class F>
struct stop_when {
  F after;
  template <class Y, class P>
  bool after_step(double t, const Y& y, const P& p) const {
    return after(t, y, p);
  }
};
template <class F>
stop_when(F) -> stop_when<F>;

template <class E, class Y, class P>
concept located_event = requires(const E& e, const scalar_t<Y>& t, const Y& y, const P& p) {
  { e.condition(t, y, p) } -> std::convertible_to<scalar_t<Y>>;
};
template <class E>
concept listed_times = requires(const E& e) {
  e.times.begin();
};
template <class E, class P>
concept timed_event = listed_times<E> || requires(const E& e, const P& p) {
  e.time(p);
};
template <class E, class Y, class P>
concept domain_predicate = requires(const E& e, const scalar_t<Y>& t, const Y& y, const P& p) {
  { e.inside(t, y, p) } -> std::convertible_to<bool>;
};
template <class E, class Y, class P>
concept step_observer = requires(const E& e, double t, const Y& y, const P& p) {
  { e.after_step(t, y, p) } -> std::convertible_to<bool>;
};

/// An attempt from t to t_new: its scaled error (NaN or infinite where there is none), and whether it
/// was accepted; `what` says why it could not be computed.
struct step_attempt {
  double t, t_new, error;
  bool accepted;
  status what;
};
template <class E>
concept attempt_observer = requires(const E& e, const step_attempt& a) {
  e.after_attempt(a);
};

template <class E, class Y, class P>
concept jumps_state = requires(const E& e, const scalar_t<Y>& t, const Y& y, const P& p, Y& y_new) {
  e.jump(t, y, p, y_new);
};
template <class E, class Y, class P>
concept jumps_parameters = requires(const E& e, const scalar_t<Y>& t, const Y& y, const P& p,
                                    Y& y_new, P& p_new) {
  e.jump(t, y, p, y_new, p_new);
};

template <class E>
inline constexpr bool is_terminal_v = requires {
  requires E::terminal;
};
template <class E>
inline constexpr bool is_discontinuity_v = requires {
  requires E::discontinuity;
};
/// Does the solution go on through the surface behind the event's jump?
template <class E>
REVODE_HD constexpr bool passes(const E& e) {
  if constexpr (requires { e.passes; })
    return e.passes;
  else
    return false;
}
/// Must the event's jump lead away from its surface? `moved`: this one changed the state; jumps that
/// touch parameters may be for them alone.
template <class Y, class P, class E>
REVODE_HD constexpr bool is_wall(const E& e, bool moved) {
  return (jumps_state<E, Y, P> || (jumps_parameters<E, Y, P> && moved)) && !passes(e);
}
template <class E>
inline constexpr crossing direction_v = [] {
  if constexpr (requires { E::direction; })
    return E::direction;
  else
    return crossing::both;
}();
/// The same of an object, which may have its direction as a member.
template <class E>
REVODE_HD constexpr crossing direction_of(const E& e) {
  if constexpr (requires { e.direction; })
    return e.direction;
  else
    return crossing::both;
}
/// Does an event on this side of its surface (±1) occur when it comes to the other one?
template <class E>
REVODE_HD constexpr bool leaves_side(const E& e, double side) {
  const crossing d = direction_of(e);
  return (d == crossing::both) | ((d == crossing::rising) == (side < 0));
}

}  // namespace revode
