// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta_step.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_control.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_step.hpp>
#include <revode/solvers/switching/switching_types.hpp>

namespace revode {

/// Calls `act` with the method of a step, and with what chooses its part of what both have.
template <class A, class B, class Do>
decltype(auto) with_either(bool stiffly, const switching<A, B>& m, Do&& act) {
  return stiffly ? act(
                       m.stiff, [](auto& of) -> auto& { return of.b; })
                 : act(
                       m.nonstiff, [](auto& of) -> auto& { return of.a; });
}

template <class A, class B, class System, class Y>
void refresh(const switching<A, B>& m, System& sys, double t, carry<switching<A, B>, Y>& c) {
  c.cache.stiffly = c.memo.stiffly;
  with_either(c.memo.stiffly, m, [&](const auto& method, auto part) {
    copy(c.state, part(c.cache).state);
    refresh(method, sys, t, part(c.cache));
  });
}

template <class A, class B, class System, class Y>
void begin(const switching<A, B>& m, System& sys, double t, const Y& y,
           carry<switching<A, B>, Y>& c) {
  copy(y, c.state);
  c.memo = {.stiffly = revode::length(y) <= m.begins_stiffly_to};
  refresh(m, sys, t, c);
}

/// What an accepted step has seen. An implicit one that could have been four times as long says nothing of
/// calm: its length is not yet that of the tolerance.
template <class A, class B, class System, class Y, class Tape>
stiffness_seen look_for_stiffness(System& sys, const tolerance& tol, double t, double t_new,
                                  double error_squared, const carry<switching<A, B>, Y>& from,
                                  Tape& tape, const Y& y_new) {
  const switching_memo& memo = from.memo;
  if (!memo.looks() || (memo.stiffly && error_squared < 1e-3)) return stiffness_seen::nothing;
  const double h = t_new - t;
  const double z = memo.stiffly
                       ? stiffness_at(sys, tol, t_new, h, y_new, tape.direction, tape.product)
                       : stiffness_of_step(tol, h, tape.a, y_new);
  if (!(z - z == 0)) return stiffness_seen::nothing;
  const double limit = switching<A, B>::extent * (memo.stiffly ? 0.5 : 0.9);
  return z > limit ? stiffness_seen::stiff : stiffness_seen::calm;
}

/// The memo behind a step; the method that takes over begins.
template <class A, class B, class System, class Y>
void take(const switching<A, B>& m, System& sys, double t_new, const switching_record& record,
          carry<switching<A, B>, Y>& c) {
  c.memo.take(record);
  if (c.memo.stiffly != record.stiffly) refresh(m, sys, t_new, c);
}

/// The carry that the step's method starts from, made in `place` where it is not the one at work.
template <class A, class B, class System, class Y>
const auto& start_of_step(const switching<A, B>& m, System& sys, double t, bool stiffly,
                          const carry<switching<A, B>, Y>& from, carry<switching<A, B>, Y>& place) {
  if (from.cache.stiffly == stiffly) return from.cache;
  copy(from.state, place.state);
  place.memo = {.stiffly = stiffly};
  refresh(m, sys, t, place);
  return std::as_const(place.cache);
}

template <class A, class B, class System, class Y, class Tape>
outcome<switching_record> attempt(const switching<A, B>& m, System& sys, const tolerance& tol,
                                  double t, double t_new, const carry<switching<A, B>, Y>& from,
                                  Tape& tape, carry<switching<A, B>, Y>& next) {
  const bool stiffly = from.memo.stiffly || !tol.estimate;
  outcome<switching_record> found{.record = {stiffly}};
  const auto& start = start_of_step(m, sys, t, stiffly, from, next);
  with_either(stiffly, m, [&](const auto& method, auto part) {
    const auto own = attempt(method, sys, tol, t, t_new, part(start), part(tape), part(next.cache));
    found.error_squared = own.error_squared;
    found.what = own.what;
    copy(part(next.cache).state, next.state);
  });
  tape.stiffly = next.cache.stiffly = stiffly;
  next.memo = from.memo;
  if (!(found.error_squared <= 1) || found.what != status::success) return found;
  if (tol.estimate)
    found.record.seen =
        look_for_stiffness(sys, tol, t, t_new, found.error_squared, from, tape, next.state);
  take(m, sys, t_new, found.record, next);
  return found;
}

template <class A, class B, class System, class Y, class Tape>
void replay(const switching<A, B>& m, System& sys, double t, double t_new,
            const switching_record& record, carry<switching<A, B>, Y>& c, Tape& tape) {
  start_of_step(m, sys, t, record.stiffly, c, c);
  with_either(record.stiffly, m, [&](const auto& method, auto part) {
    replay(method, sys, t, t_new, nothing{}, part(c.cache), part(tape));
    copy(part(c.cache).state, c.state);
  });
  tape.stiffly = record.stiffly;
  take(m, sys, t_new, record, c);
}

/// Each method's own rule.
template <class A, class B, class Controller, class Memory, class Outcome, class Y>
double propose(const switching<A, B>& m, const Controller& controller, Memory& memory,
               const Outcome& found, carry<switching<A, B>, Y>& from,
               carry<switching<A, B>, Y>& to) {
  return with_either(found.record.stiffly, m, [&](const auto& method, auto part) {
    return propose(method, controller, memory, found, part(from.cache), part(to.cache));
  });
}

}  // namespace revode
