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
  c.memo = {};
  if (length(y) <= m.begins_stiffly_to)
    c.memo.stiffly = fastest_at(sys, tolerance{.rtol = 0, .atol = 1}, t, y, c.cache.a.state,
                                c.cache.b.state, c.state)
                         .oscillates;
  copy(y, c.state);
  refresh(m, sys, t, c);
}

/// Implicit steps: is |h λ| beyond what explicit ones could do at less cost? A step that could have been four
/// times as long says nothing of calm: its length is not yet that of the tolerance.
template <class A, class B, class System, class Y, class Tape>
stiffness_seen look_implicitly(const switching<A, B>& m, System& sys, const tolerance& tol,
                               double t, double t_new, double error_squared, Tape& tape,
                               const Y& y_new) {
  const fastest_part at =
      fastest_at(sys, tol, t_new, y_new, tape.products[0], tape.products[1], tape.products[2]);
  const double z = std::abs(t_new - t) * at.rate;
  if (!(z - z == 0)) return stiffness_seen::nothing;
  const double steps = at.oscillates ? 0.5 : 0.45 * m.cost_of_step(length(y_new));
  if (z > m.extent * steps) return stiffness_seen::stiff;
  return error_squared < 1e-3 ? stiffness_seen::nothing : stiffness_seen::calm;
}

/// What an accepted step has seen.
template <class A, class B, class System, class Y, class Tape>
stiffness_seen look_for_stiffness(const switching<A, B>& m, System& sys, const tolerance& tol,
                                  double t, double t_new, double error_squared,
                                  const switching_memo& memo, Tape& tape, const Y& y_new) {
  if (!memo.looks()) return stiffness_seen::nothing;
  if (memo.stiffly) return look_implicitly(m, sys, tol, t, t_new, error_squared, tape, y_new);
  const double z = stiffness_of_step(tol, t_new - t, tape.a, y_new);
  if (!(z - z == 0)) return stiffness_seen::nothing;
  return z > 0.9 * m.extent ? stiffness_seen::stiff : stiffness_seen::calm;
}

/// The memo behind a step; the method that takes over begins.
template <class A, class B, class System, class Y>
void take(const switching<A, B>& m, System& sys, double t_new, const switching_record& record,
          carry<switching<A, B>, Y>& c) {
  c.memo.take(record, m.until_stiff(length(c.state)));
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
        look_for_stiffness(m, sys, tol, t, t_new, found.error_squared, from.memo, tape, next.state);
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
