// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <revode/solve/events.hpp>

namespace revode {

// Members of events are optional, so one in another form than asked for would be passed over: an event without its
// jump, in success. Its name tells, whatever its form: it is ambiguous beside that of another base.

struct event_names {
  int condition, inside, after_step, jump;
};
template <class E>
struct beside_event_names : E, event_names {};

/// Of events whose members are those of another event, where that has them: a wrapper of one's own is to say so.
template <class E>
inline constexpr bool is_event_of_another = false;

/// An event with a member of that name.
template <class E>
concept names_members = std::is_class_v<E> && !std::is_final_v<E> && !is_event_of_another<E>;
template <class E>
concept names_condition = names_members<E> && !requires {
  &beside_event_names<E>::condition;
};
template <class E>
concept names_inside = names_members<E> && !requires {
  &beside_event_names<E>::inside;
};
template <class E>
concept names_after_step = names_members<E> && !requires {
  &beside_event_names<E>::after_step;
};
template <class E>
concept names_jump = names_members<E> && !requires {
  &beside_event_names<E>::jump;
};

/// A condition that is no number.
template <class E, class Y, class P>
concept has_boolean_condition = requires(const E& e, const scalar_t<Y>& t, const Y& y, const P& p) {
  { e.condition(t, y, p) } -> std::same_as<bool>;
};

/// Nothing where every member that an event names has one of its forms; words at compile time elsewhere.
template <class E, class Y, class P>
constexpr void expect_event_forms() {
  static_assert(
      located_event<E, Y, P> || !names_condition<E>,
      "an event whose condition is not called as condition(t, y, p) and a number (it would "
      "never occur) make it const with such arguments, over the scalar of the state?");
  static_assert(!has_boolean_condition<E, Y, P>,
                "an event whose condition is true or false (it occurs where a number changes its "
                "sign) return that number, such as y[0]?");
  static_assert(
      domain_predicate<E, Y, P> || !names_inside<E>,
      "an event whose inside is not called as inside(t, y, p) and a bool (its domain would "
      "have no end) make it const with such arguments?");
  static_assert(
      step_observer<E, Y, P> || !names_after_step<E>,
      "an event whose after_step is not called as after_step(t, y, p) and a bool (it would "
      "see no step) make it const with such arguments, and return whether to stop?");
  static_assert(
      jumps_state<E, Y, P> || jumps_parameters<E, Y, P> || !names_jump<E>,
      "an event whose jump is not called as jump(t, y, p, y_new), or jump(t, y, p, y_new, "
      "p_new) (nothing would change) make it const with such arguments, and write the "
      "state behind it to y_new?");
}

}  // namespace revode
