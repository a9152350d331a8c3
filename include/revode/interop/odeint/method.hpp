// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <revode/interop/odeint/control.hpp>
#include <revode/interop/odeint/runner.hpp>
#include <revode/interop/odeint/stepper_kinds.hpp>
#include <revode/solve/options.hpp>

namespace revode::odeint {

/// An odeint stepper as a method of revode:
///
///   namespace library = boost::numeric::odeint;
///   solve(q, odeint::method<library::runge_kutta_dopri5<state>>{}, {.rtol = 1e-8, .atol = 1e-8});
///
/// A step does what the stepper's own out-of-place do_step does, in the same order, whatever type of
/// state it names: q decides that. pull and push are the exact derivative of what was done. An error
/// stepper's estimate drives revode's controller; a controlled stepper brings odeint's norm and step
/// rule, with the tolerances of `options`. Time t + dt is t_new itself.
/// cost    the stepper's calls of the system (without a second one at a step's start where it has
///         first-same-as-last); pull: one VJP for each that reaches the new state, no calls
///         (modified_midpoint, whose number of stages is its object's, calls again)
/// memory  a tape: y and a derivative for each call (modified_midpoint: y)
template <class Stepper>
struct method {
  using facts = one_step<Stepper>;
  using settings_type = typename facts::settings;
  static constexpr const char* name = facts::name;
  static constexpr int order = facts::order;
  static constexpr int embedded_order = facts::embedded_order;
  static constexpr int calls = facts::calls;
  static constexpr bool controlled = !std::is_void_v<typename facts::controller>;
  static constexpr bool first_same_as_last = facts::first_same_as_last;

  [[no_unique_address]] settings_type settings{};

  method() = default;
  /// With what this object was told (modified_midpoint: its number of substeps).
  explicit method(const Stepper& stepper) requires(!controlled)
      : settings(settings_type::of(stepper)) {}
  /// A controlled stepper's tolerances are those of `options`: name its type.
  explicit method(const Stepper&) requires(controlled) = delete;

  template <class Y>
  struct types;
};
template <class Stepper>
method(const Stepper&) -> method<Stepper>;

/// What a carry keeps of its stepper: where it is first-same-as-last, f at the carry's state; and
/// memory for the next step, which is no part of it.
template <class Stepper, class Y, bool FirstSameAsLast>
struct stepper_cache {
  Y k;
  runner<Stepper, Y> work;

  stepper_cache() = default;
  explicit stepper_cache(const Y& like) : k(like) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.k);
  }
  const Y* first() const { return &k; }
  void keep_last() { copy(work.last_slope(), k); }
};
template <class Stepper, class Y>
struct stepper_cache<Stepper, Y, false> {
  runner<Stepper, Y> work;

  stepper_cache() = default;
  explicit stepper_cache(const Y&) {}
  template <class Self, class Visit>
  static void parts(Self&, Visit&&) {}
  static constexpr const Y* first() { return nullptr; }
  static void keep_last() {}
};

template <class Stepper>
template <class Y>
struct method<Stepper>::types : default_types<Y> {
  using cache = stepper_cache<Stepper, Y, first_same_as_last>;
  using tape = stages<Y, calls>;
  struct scratch {
    runner<Stepper, Y> work;
    scratch() = default;
    explicit scratch(const Y&) {}
    template <class Self, class Visit>
    static void parts(Self&, Visit&&) {}
  };
};

template <class Stepper, class System, class Y>
void refresh(const method<Stepper>&, System& sys, double t, carry<method<Stepper>, Y>& c) {
  if constexpr (method<Stepper>::first_same_as_last) sys(t, c.state, c.cache.k);
}

/// One step; what it found stays in `work`.
template <class Stepper, class System, class Y, class Tape>
void run_step(const method<Stepper>& m, System& sys, double t, double t_new,
              const carry<method<Stepper>, Y>& from, Tape& tape, runner<Stepper, Y>& work) {
  copy(from.state, tape.y);
  work.run(m.settings, sys, t, t_new, tape.y, from.cache.first(),
           method<Stepper>::first_same_as_last ? 1 : 0, tape.derivatives());
}

template <class Stepper, class System, class Y, class Tape>
outcome<nothing> attempt(const method<Stepper>& m, System& sys, const tolerance& tol, double t,
                         double t_new, const carry<method<Stepper>, Y>& from, Tape& tape,
                         carry<method<Stepper>, Y>& next) {
  auto& work = next.cache.work;
  run_step(m, sys, t, t_new, from, tape, work);
  copy(work.result(), next.state);
  next.cache.keep_last();
  if constexpr (method<Stepper>::embedded_order > 0 && std::is_floating_point_v<scalar_t<Y>>) {
    if (tol.estimate) {
      if constexpr (method<Stepper>::controlled)
        if (tol.each == nullptr)
          return {controlled_error_squared<typename one_step<Stepper>::controller>(
              tol, t_new - t, tape.y, work.first_slope(), work.error())};
      return {scaled_error_squared(tol, tape.y, next.state, work.error())};
    }
  }
  return {};
}

template <class Stepper, class System, class Y, class Tape>
void replay(const method<Stepper>& m, System& sys, double t, double t_new, nothing,
            carry<method<Stepper>, Y>& c, Tape& tape) {
  run_step(m, sys, t, t_new, c, tape, c.cache.work);
  copy(c.cache.work.result(), c.state);
  c.cache.keep_last();
}

/// The step again from its tape: no calls where the stages were kept.
template <class Stepper, class System, class Y, int Calls>
void run_again(const method<Stepper>& m, System& sys, double t, double t_new,
               const stages<Y, Calls>& tape, runner<Stepper, Y>& work) {
  work.run(m.settings, sys, t, t_new, tape.y, tape.derivatives(), Calls, nullptr);
}

template <class Stepper, class System, class Y, int Calls>
requires(Calls > 0) void resume(const method<Stepper>& m, System& sys, double t, double t_new,
                                const stages<Y, Calls>& tape, carry<method<Stepper>, Y>& c) {
  run_again(m, sys, t, t_new, tape, c.cache.work);
  copy(c.cache.work.result(), c.state);
  c.cache.keep_last();
}

template <class Stepper, class System, class Y, int Calls, class Scratch, class P>
void pull(const method<Stepper>& m, System& sys, double t, double t_new, nothing,
          const stages<Y, Calls>& tape, Scratch& w, const nothing*, Y& state_bar, P& p_bar,
          step_ends<scalar_t<Y>>* ends) {
  run_again(m, sys, t, t_new, tape, w.work);
  w.work.done().pull(sys, t_new, w.work.out(), state_bar, p_bar, ends);
}

template <class Stepper, class System, class Y, int Calls, class Scratch, class P>
void push(const method<Stepper>& m, System& sys, double t, double t_new, nothing,
          const stages<Y, Calls>& tape, Scratch& w, Y& state_dot, const P& p_dot,
          const step_ends<scalar_t<Y>>& ends) {
  run_again(m, sys, t, t_new, tape, w.work);
  w.work.done().push(sys, t_new, w.work.out(), state_dot, p_dot, ends);
}

/// A controlled stepper's own rule for the next step, as a factor.
template <class Stepper, class Controller, class Memory, class Outcome, class Carry>
requires(method<Stepper>::controlled) double propose(const method<Stepper>&, const Controller&,
                                                     Memory&, const Outcome& found, Carry&,
                                                     Carry&) {
  return controlled_factor<typename one_step<Stepper>::controller>(std::sqrt(found.error_squared));
}

}  // namespace revode::odeint
