// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta.hpp>
#include <revode/solvers/rosenbrock.hpp>
#include <revode/solvers/switching/switching_step.hpp>

namespace revode {

// The derivative of a step is that of the method that made it, and so is its dense output.

template <class A, class B, class System, class Tape, class Scratch, class Seeds, class Y, class P,
          class Ends>
void pull(const switching<A, B>& m, System& sys, double t, double t_new, const switching_record& r,
          const Tape& tape, Scratch& w, const Seeds* seeds, Y& state_bar, P& p_bar, Ends* ends) {
  with_either(r.stiffly, m, [&](const auto& method, auto part) {
    pull(method, sys, t, t_new, nothing{}, part(tape), part(w),
         seeds != nullptr ? &part(*seeds) : nullptr, state_bar, p_bar, ends);
  });
}
template <class A, class B, class System, class Tape, class Scratch, class Y, class P, class Ends>
void push(const switching<A, B>& m, System& sys, double t, double t_new, const switching_record& r,
          const Tape& tape, Scratch& w, Y& y_dot, const P& p_dot, const Ends& ends) {
  with_either(r.stiffly, m, [&](const auto& method, auto part) {
    push(method, sys, t, t_new, nothing{}, part(tape), part(w), y_dot, p_dot, ends);
  });
}

template <class A, class B, class System, class Tape, class Scratch>
void extend(const switching<A, B>& m, System& sys, double t, double t_new, const Tape& tape,
            Scratch& w) {
  with_either(tape.stiffly, m, [&](const auto& method, auto part) {
    extend(method, sys, t, t_new, part(tape), part(w));
  });
}
template <class A, class B, class System, class Tape, class Scratch, class Y, class P, class Ends>
void push_extend(const switching<A, B>& m, System& sys, double t, double t_new, const Tape& tape,
                 Scratch& w, const Y& y_dot, const P& p_dot, const Ends& ends) {
  with_either(tape.stiffly, m, [&](const auto& method, auto part) {
    push_extend(method, sys, t, t_new, part(tape), part(w), y_dot, p_dot, ends);
  });
}
template <class A, class B, class Tape, class Scratch, class Y>
void interpolate(const switching<A, B>& m, double t, double t_new, const Tape& tape,
                 const Scratch& w, double theta, Y& y) {
  with_either(tape.stiffly, m, [&](const auto& method, auto part) {
    interpolate(method, t, t_new, part(tape), part(w), theta, y);
  });
}
template <class A, class B, class Tape, class Scratch, class Y, class Seeds, class Bar>
void pull_interpolate(const switching<A, B>& m, double t, double t_new, const Tape& tape,
                      const Scratch& w, double theta, const Y& y_bar, Seeds* seeds, Bar& bar) {
  with_either(tape.stiffly, m, [&](const auto& method, auto part) {
    pull_interpolate(method, t, t_new, part(tape), part(w), theta, y_bar,
                     seeds != nullptr ? &part(*seeds) : nullptr, bar);
  });
}
template <class A, class B, class Tape, class Scratch, class T, class Ends, class Y>
void push_interpolate(const switching<A, B>& m, double t, double t_new, const Tape& tape,
                      const Scratch& w, double theta, T theta_dot, const Ends& ends, const Y& y_dot,
                      Y& out) {
  with_either(tape.stiffly, m, [&](const auto& method, auto part) {
    push_interpolate(method, t, t_new, part(tape), part(w), theta, theta_dot, ends, y_dot, out);
  });
}

}  // namespace revode
