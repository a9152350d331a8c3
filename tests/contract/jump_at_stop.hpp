// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode::contract {

/// y1' = y2 cos t, y2' = −p1 sin y1 − p2 y2 + t
struct driven_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = y[1] * cos(t);
    dy[1] = -(p[0] * sin(y[0])) - p[1] * y[1] + t;
  }
};

inline constexpr double jump_matrix[2][2] = {{0.5, 0.25}, {-0.75, 1.5}};

/// y ↦ R y + r, for values and for tangents.
template <class Y, class T>
void jump(Y& y, const T& r0, const T& r1) {
  const Y b = y;
  y[0] = jump_matrix[0][0] * b[0] + jump_matrix[0][1] * b[1] + r0;
  y[1] = jump_matrix[1][0] * b[0] + jump_matrix[1][1] * b[1] + r1;
}
template <class Y>
void pull_jump(Y& y_bar) {
  const Y b = y_bar;
  for (int k = 0; k < 2; ++k) y_bar[k] = jump_matrix[0][k] * b[0] + jump_matrix[1][k] * b[1];
}

/// tsit5 for a problem whose state jumps by y ↦ R y + (p3, p4) at t = stop. An attempt across the
/// stop is rejected with the part of it that lies before; the step that begins there begins with the
/// jump, and no stage serves across it. A save point at the stop sees the state before.
struct jumping_tsit5 {
  static constexpr const char* name = "tsit5 with a jump";
  static constexpr int order = 5, embedded_order = 4, dense_order = 4;
  double stop = 1.1;

  struct decision {
    double before_stop = 1;
  };
  template <class Y>
  struct scratch {
    rk_scratch<tsit5, Y> of_step;
    Y y_dot;  // the tangent that a step starts from
  };
  template <class Y>
  struct types : method_types<tsit5, Y> {
    using record = decision;
    using scratch = jumping_tsit5::scratch<Y>;
  };

  static bool before(double a, double b) {
    return b - a > 8 * std::numeric_limits<double>::epsilon() * std::abs(b);
  }
  bool at_stop(double t) const { return !before(t, stop) && !before(stop, t); }
};

template <class Y>
using jumping_carry = carry<jumping_tsit5, Y>;

template <class System, class Y>
carry<tsit5, Y> start_of_step(const jumping_tsit5& m, System& sys, double t,
                              const jumping_carry<Y>& from) {
  carry<tsit5, Y> c{from.state, {}, from.cache};
  if (m.at_stop(t)) {
    jump(c.state, sys.p[2], sys.p[3]);
    refresh(tsit5{}, sys, t, c);
  }
  return c;
}

template <class System, class Y>
void refresh(const jumping_tsit5&, System& sys, double t, jumping_carry<Y>& c) {
  sys(t, c.state, c.cache.k);
}

template <class System, class Y>
outcome<jumping_tsit5::decision> attempt(const jumping_tsit5& m, System& sys, const tolerance& tol,
                                         double t, double t_new, const jumping_carry<Y>& from,
                                         rk_tape<tsit5, Y>& tape, jumping_carry<Y>& next) {
  if (m.before(t, m.stop) && m.before(m.stop, t_new))
    return {HUGE_VAL, status::success, {(m.stop - t) / (t_new - t)}};
  carry<tsit5, Y> start = start_of_step(m, sys, t, from), end = start;
  const auto found = attempt(tsit5{}, sys, tol, t, t_new, start, tape, end);
  next = {end.state, {}, end.cache};
  return {found.error_squared, found.what, {}};
}

template <class Controller, class Memory, class Carry>
double propose(const jumping_tsit5&, const Controller& controller, Memory& memory,
               const outcome<jumping_tsit5::decision>& found, Carry&, Carry&) {
  if (found.record.before_stop < 1) return found.record.before_stop;
  return propose_factor(controller, memory, found.error_squared, 5);
}

template <class System, class Y>
void replay(const jumping_tsit5& m, System& sys, double t, double t_new, jumping_tsit5::decision,
            jumping_carry<Y>& c, rk_tape<tsit5, Y>& tape) {
  carry<tsit5, Y> step = start_of_step(m, sys, t, c);
  replay(tsit5{}, sys, t, t_new, nothing{}, step, tape);
  c = {step.state, {}, step.cache};
}

template <class System, class Y>
void resume(const jumping_tsit5&, System& sys, double t, double t_new,
            const rk_tape<tsit5, Y>& tape, jumping_carry<Y>& c) {
  carry<tsit5, Y> end{c.state, {}, c.cache};
  resume(tsit5{}, sys, t, t_new, tape, end);
  c = {end.state, {}, end.cache};
}

template <class System, class Y, class P>
void pull(const jumping_tsit5& m, System& sys, double t, double t_new, jumping_tsit5::decision,
          const rk_tape<tsit5, Y>& tape, jumping_tsit5::scratch<Y>& w,
          const typename method_types<tsit5, Y>::seeds* seeds, Y& y_bar, P& p_bar,
          step_ends<scalar_t<Y>>* ends) {
  pull(tsit5{}, sys, t, t_new, nothing{}, tape, w.of_step, seeds, y_bar, p_bar, ends);
  if (!m.at_stop(t)) return;
  p_bar[2] += y_bar[0];
  p_bar[3] += y_bar[1];
  pull_jump(y_bar);
}

template <class System, class Y, class P>
void push(const jumping_tsit5& m, System& sys, double t, double t_new, jumping_tsit5::decision,
          const rk_tape<tsit5, Y>& tape, jumping_tsit5::scratch<Y>& w, Y& y_dot, const P& p_dot,
          const step_ends<scalar_t<Y>>& ends) {
  if (m.at_stop(t)) jump(y_dot, p_dot[2], p_dot[3]);
  w.y_dot = y_dot;
  push(tsit5{}, sys, t, t_new, nothing{}, tape, w.of_step, y_dot, p_dot, ends);
}

template <class Y>
void interpolate(const jumping_tsit5&, double t, double t_new, const rk_tape<tsit5, Y>& tape,
                 const jumping_tsit5::scratch<Y>& w, double theta, Y& y) {
  interpolate(tsit5{}, t, t_new, tape, w.of_step, theta, y);
}
template <class Y>
void pull_interpolate(const jumping_tsit5&, double t, double t_new, const rk_tape<tsit5, Y>& tape,
                      const jumping_tsit5::scratch<Y>& w, double theta, const Y& y_bar,
                      rk_seeds<tsit5, Y>* seeds, interpolation_bar<scalar_t<Y>>& bar) {
  pull_interpolate(tsit5{}, t, t_new, tape, w.of_step, theta, y_bar, seeds, bar);
}
template <class Y>
void push_interpolate(const jumping_tsit5&, double t, double t_new, const rk_tape<tsit5, Y>& tape,
                      const jumping_tsit5::scratch<Y>& w, double theta, scalar_t<Y> theta_dot,
                      const step_ends<scalar_t<Y>>& ends, const Y&, Y& out) {
  push_interpolate(tsit5{}, t, t_new, tape, w.of_step, theta, theta_dot, ends, w.y_dot, out);
}

}  // namespace revode::contract
