// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <revode/ad/dual_sweep.hpp>
#include <revode/ad/recording/recording.hpp>
#include <revode/solve/events.hpp>
#include <revode/state/whole.hpp>

namespace revode {

// An event's functions in the shape of a field, f(t, y, p, out), so that what differentiates fields
// differentiates them.

/// out = (condition, 0, …)
template <class E>
struct condition_field {
  const E& event;
  template <class T, class Y, class P, class Z>
  void operator()(const T& t, const Y& y, const P& p, Z& out) const {
    fill(out, T(0));
    out.data()[0] = event.condition(t, y, p);
  }
};
/// out = the state behind the event
template <class E>
struct state_jump {
  const E& event;
  template <class T, class Y, class P, class Z>
  void operator()(const T& t, const Y& y, const P& p, Z& out) const {
    copy(y, out);
    if constexpr (jumps_state<E, Y, P>) {
      event.jump(t, y, p, out);
    } else if constexpr (jumps_parameters<E, Y, P>) {
      P p_new = p;
      event.jump(t, y, p, out, p_new);
    }
  }
};
/// out = the parameters behind it; here they are the field's state
template <class E>
struct parameter_jump {
  const E& event;
  template <class T, class Y, class P, class Z>
  void operator()(const T& t, const P& p, const Y& y, Z& out) const {
    copy(p, out);
    Y y_new = y;
    event.jump(t, y, p, y_new, out);
  }
};
/// out = (time, 0, …), with the parameters as the field's state
template <class E>
struct time_field {
  const E& event;
  template <class T, class P, class Q, class Z>
  void operator()(const T&, const P& p, const Q&, Z& out) const {
    fill(out, T(0));
    out.data()[0] = event.time(p);
  }
};

/// Derivatives of such a function: by the reverse recording and by duals. Events are rare, so none is
/// made for speed.
template <class F, class Y, class P>
class event_derivatives {
  using T = scalar_t<Y>;
  using D = dual<T, 1>;

 public:
  using time_type = event_time_t<T>;

  /// t_bar, y_bar, p_bar += wᵀ ∂f/∂(t, y, p)
  void vjp(const F& f, const time_type& t, const Y& y, const P& p, const Y& w, time_type& t_bar,
           Y& y_bar, P& p_bar) {
    pull_.pull(f, static_cast<T>(t), y, p, w.data(), true, true);
    t_bar += static_cast<time_type>(pull_.of_time());
    for (int i = 0, n = length(y); i < n; ++i) y_bar.data()[i] += pull_.of_state(i);
    for (int i = 0, n = length(p); i < n; ++i) p_bar.data()[i] += pull_.of_parameter(i);
  }
  /// out = ∂f/∂(t, y, p) (t_dot, y_dot, p_dot); an empty p_dot stands for 0
  template <class DP>
  void jvp(const F& f, double t, const Y& y, const P& p, double t_dot, const Y& y_dot,
           const DP& p_dot, Y& out) const {
    field_arrays<Y, P, D> a;
    a.fit(y, p);
    seed_direction(a, y, p, y_dot, p_dot);
    D at(static_cast<T>(t));
    at.d[0] = static_cast<T>(t_dot);
    f(at, a.y, a.p, a.dy);
    for (int i = 0, n = length(y); i < n; ++i) out.data()[i] = a.dy.data()[i].d[0];
  }

 private:
  recorded_field<F, Y, P, T> pull_;
};

/// When an event occurs that knows it beforehand, and how that moves.
template <class E, class P>
class known_event {
 public:
  static constexpr bool timed_by_parameters =
      timed_event<E, P> && !listed_times<E> && static_size_v<P> != 0;

  explicit known_event(const E& e) : event(e) {}

  /// p_bar += t_bar ∂time/∂p, and the derivative of time along p_dot.
  template <class Time>
  void pull_time(const P& p, const Time& t_bar, P& p_bar) {
    if constexpr (timed_by_parameters) {
      const auto pull = [&](const auto& weight, P& bar) {
        P w = zero_like(p);
        w.data()[0] = static_cast<scalar_t<P>>(weight);
        vec<scalar_t<P>, 0> none{};
        event_time_t<scalar_t<P>> of_time(0);
        time_.vjp(time_field<E>{event}, 0, p, none, w, of_time, bar, none);
      };
      if constexpr (is_spread_v<P>) {
        P of_p = zero_like(p);
        pull(1, of_p);
        whole<P>::add_shares(t_bar, of_p, p_bar);
      } else {
        pull(t_bar, p_bar);
      }
    }
  }
  double push_time(const P& p, const P& p_dot) const {
    if constexpr (timed_by_parameters) {
      P out = p;
      const vec<scalar_t<P>, 0> none{};
      time_.jvp(time_field<E>{event}, 0, p, none, 0, p_dot, none, out);
      return static_cast<double>(out.data()[0]);
    }
    return 0;
  }

  const E event;

 private:
  struct none {};
  [[no_unique_address]] std::conditional_t<
      timed_by_parameters, event_derivatives<time_field<E>, P, vec<scalar_t<P>, 0>>, none>
      time_;
};

/// One event and its derivatives. A kind of state may have its own (mpi/block_event.hpp).
template <class E, class Y, class P>
class differentiable_event : public known_event<E, P> {
 public:
  using T = scalar_t<Y>;
  using time_type = event_time_t<T>;
  using known_event<E, P>::event;
  static constexpr bool located = located_event<E, Y, P>;
  static constexpr bool moves_parameters = jumps_parameters<E, Y, P>;
  static constexpr bool jumps = jumps_state<E, Y, P> || moves_parameters;
  static constexpr bool terminal = is_terminal_v<E>;
  /// Of a state that is here as a whole.
  static constexpr bool sees_all = !is_spread_v<Y> || (!located && !jumps);

  using known_event<E, P>::known_event;

  time_type condition(const time_type& t, const Y& y, const P& p) const {
    return static_cast<time_type>(event.condition(static_cast<T>(t), y, p));
  }
  /// d condition/dt along a solution of this slope.
  double slope(double t, const Y& y, const P& p, const Y& along) const {
    return push_condition(t, y, p, 1, along, vec<T, 0>{});
  }
  /// That of the condition along a direction; an empty p_dot stands for 0.
  template <class DP>
  double push_condition(double t, const Y& y, const P& p, double t_dot, const Y& y_dot,
                        const DP& p_dot) const {
    using D = dual<T, 1>;
    static_assert(
        located_event<E, rebind_t<Y, D>, rebind_t<P, D>>,
        "an event whose condition takes one scalar type only (how it changes along the "
        "solution is found by duals) make condition() a template over that of t, y and p?");
    field_arrays<Y, P, D> a;
    a.y = rebind_like<D>(y);
    a.p = rebind_like<D>(p);
    seed_direction(a, y, p, y_dot, p_dot);
    D at(static_cast<T>(t));
    at.d[0] = static_cast<T>(t_dot);
    const D g = event.condition(at, a.y, a.p);
    return static_cast<double>(g.d[0]);
  }
  /// Adds the condition's gradient.
  void pull_condition(const time_type& t, const Y& y, const P& p, time_type& t_bar, Y& y_bar,
                      P& p_bar) {
    Y w = zero_like(y);
    w.data()[0] = T(1);
    condition_.vjp(condition_field<E>{event}, t, y, p, w, t_bar, y_bar, p_bar);
  }

  /// y, p ← those behind the event; p may be constant where it does not move.
  template <class Q>
  void jump(const time_type& t, Y& y, Q& p) const {
    if constexpr (jumps) {
      const Y before = y;
      if constexpr (moves_parameters) {
        const P p_before = p;
        event.jump(static_cast<T>(t), before, p_before, y, p);
      } else {
        event.jump(static_cast<T>(t), before, p, y);
      }
    }
  }
  /// y_bar, p_bar: cotangents behind the event in, before it out; y and p are those before.
  void pull_jump(const time_type& t, const Y& y, const P& p, time_bar_t<Y, time_type>& t_bar,
                 Y& y_bar, P& p_bar) {
    if constexpr (jumps) {
      const Y behind = y_bar;
      fill(y_bar, T(0));
      if constexpr (moves_parameters) {
        const P p_behind = p_bar;
        fill(p_bar, T(0));
        parameter_jump_.vjp(parameter_jump<E>{event}, t, p, y, p_behind, t_bar, p_bar, y_bar);
      }
      state_jump_.vjp(state_jump<E>{event}, t, y, p, behind, t_bar, y_bar, p_bar);
    }
  }
  /// y_dot, p_dot: tangents before the event in, behind it out.
  void push_jump(double t, const Y& y, const P& p, double t_dot, Y& y_dot, P& p_dot) const {
    if constexpr (jumps) {
      const Y before = y_dot;
      const P p_before = p_dot;
      state_jump_.jvp(state_jump<E>{event}, t, y, p, t_dot, before, p_before, y_dot);
      if constexpr (moves_parameters)
        parameter_jump_.jvp(parameter_jump<E>{event}, t, p, y, t_dot, p_before, before, p_dot);
    }
  }

 private:
  template <int>
  struct none {};
  template <bool Needed, int Tag, class F, class State, class Parameters>
  using derivatives_if =
      std::conditional_t<Needed, event_derivatives<F, State, Parameters>, none<Tag>>;

  [[no_unique_address]] derivatives_if<located, 0, condition_field<E>, Y, P> condition_;
  [[no_unique_address]] derivatives_if<jumps, 1, state_jump<E>, Y, P> state_jump_;
  [[no_unique_address]] derivatives_if<moves_parameters, 2, parameter_jump<E>, P, Y>
      parameter_jump_;
};

/// The events of a solve, by number.
template <class List, class Y, class P>
class event_set;
template <class... E, class Y, class P>
class event_set<event_list<E...>, Y, P> {
 public:
  static constexpr int count = sizeof...(E);
  static constexpr int located = (0 + ... + int(located_event<E, Y, P>));
  static constexpr bool moves_parameters = (false || ... || jumps_parameters<E, Y, P>);
  static constexpr bool jumps = (false || ... || differentiable_event<E, Y, P>::jumps);
  static constexpr bool sees_all = (true && ... && differentiable_event<E, Y, P>::sees_all);
  static constexpr bool timed = (false || ... || timed_event<E, P>);
  static constexpr bool listed = (false || ... || listed_times<E>);
  static constexpr bool observed = (false || ... || step_observer<E, Y, P>);
  static constexpr bool watched = (false || ... || attempt_observer<E>);
  static constexpr bool bounded = (false || ... || domain_predicate<E, Y, P>);

  static_assert((true && ... &&
                 (located_event<E, Y, P> || timed_event<E, P> || step_observer<E, Y, P> ||
                  domain_predicate<E, Y, P> || attempt_observer<E>)),
                "an event has none of condition(t, y, p), time(p), times, inside(t, y, p), "
                "after_step(t, y, p) and after_attempt(attempt), or not for this state: see "
                "revode/solve/events.hpp?");

  explicit event_set(const event_list<E...>& list)
      : each_(std::apply(
            [](const E&... e) {
              return std::tuple<differentiable_event<E, Y, P>...>(
                  differentiable_event<E, Y, P>(e)...);
            },
            list.each)) {}

  /// f(event) for the event of that number.
  template <class F>
  void visit(int which, F&& f) {
    for_each([&](int i, auto& e) {
      if (i == which) f(e);
    });
  }
  /// f(i, event) for all of them.
  template <class F>
  void for_each(F&& f) {
    std::apply(
        [&](auto&... e) {
          int i = 0;
          (f(i++, e), ...);
          static_cast<void>(i);
        },
        each_);
  }

 private:
  std::tuple<differentiable_event<E, Y, P>...> each_;
};

// What the solver tells events, and asks them, besides when they occur.

/// Does every domain predicate hold there?
template <class Set, class Y, class P>
bool in_domain(Set& events, double t, const Y& y, const P& p) {
  bool all = true;
  if constexpr (Set::bounded)
    alone(y, [&] {
      events.for_each([&all, &y, &p, t](int, const auto& e) {
        if constexpr (domain_predicate<std::remove_cvref_t<decltype(e.event)>, Y, P>)
          all = all && e.event.inside(static_cast<scalar_t<Y>>(t), y, p);
      });
    });
  return Set::bounded ? true_of_all(y, all) : all;
}
/// Tells of an accepted step; does one of them stop the solve?
template <class Set, class Y, class P>
bool tell_step(Set& events, double t, const Y& y, const P& p) {
  bool stop = false;
  if constexpr (Set::observed)
    alone(y, [&] {
      events.for_each([&stop, &y, &p, t](int, const auto& e) {
        if constexpr (step_observer<std::remove_cvref_t<decltype(e.event)>, Y, P>)
          stop = e.event.after_step(t, y, p) || stop;
      });
    });
  return Set::observed ? !true_of_all(y, !stop) : stop;
}
/// Tells of an attempt from t to t_new.
template <class Set, class Outcome>
void tell_attempt(Set& events, double t, double t_new, const Outcome& found) {
  if constexpr (Set::watched) {
    const double error = std::sqrt(found.error_squared);
    const step_attempt a{t, t_new, error, found.error_squared <= 1, found.what};
    events.for_each([&a](int, const auto& e) {
      if constexpr (attempt_observer<std::remove_cvref_t<decltype(e.event)>>)
        e.event.after_attempt(a);
    });
  }
}

}  // namespace revode
