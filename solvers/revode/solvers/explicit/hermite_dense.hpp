// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/concepts.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// A method whose dense output is the cubic through values and slopes at both ends of the step says
/// so, keeps y_n as `y` in its tape, an end_slopes as `ends` in its scratch, and has
///   end_of(m, t, t_new, tape, w, y_new)   the new state, from the tape alone, bit for bit.
template <class M>
concept hermite_method = requires {
  requires M::hermite;
};

/// Both ends of a step and, in forward mode, their tangents.
template <class Y>
struct end_slopes {
  Y y_new, f, f_new;
  Y y_new_dot, f_dot, f_new_dot;

  end_slopes() = default;
  REVODE_HD explicit end_slopes(const Y& y)
      : y_new(y),
        f(y),
        f_new(y),
        y_new_dot(y),
        f_dot(y),
        f_new_dot(y) {}
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    for (auto* part :
         {&self.y_new, &self.f, &self.f_new, &self.y_new_dot, &self.f_dot, &self.f_new_dot})
      visit(*part);
  }
};

/// Cotangents of the values and slopes at both ends.
template <class Y>
struct end_seeds {
  Y y, y_new, f, f_new;

  end_seeds() = default;
  REVODE_HD explicit end_seeds(const Y& like) : y(like), y_new(like), f(like), f_new(like) {}
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    for (auto* part : {&self.y, &self.y_new, &self.f, &self.f_new}) visit(*part);
  }
  REVODE_HD void clear() {
    for (auto* part : {&y, &y_new, &f, &f_new}) fill(*part, scalar_t<Y>(0));
  }
};

/// The values at the new end and the slopes, which a method may have elsewhere.
template <class Tape, class Scratch>
REVODE_HD const auto& slopes_of(const Tape&, const Scratch& w) {
  return w.ends;
}

/// y(θ) = y + s (y₁ − y) + h (a f + b f₁), s = θ²(3 − 2θ), a = θ(1 − θ)², b = −θ²(1 − θ), and their
/// derivatives by θ.
template <class T>
struct hermite_weights {
  T s, a, b, s_slope, a_slope, b_slope;
  REVODE_HD explicit hermite_weights(double theta) {
    const double x = theta;
    s = static_cast<T>(x * x * (3 - 2 * x));
    a = static_cast<T>(x * (1 - x) * (1 - x));
    b = static_cast<T>(-x * x * (1 - x));
    s_slope = static_cast<T>(6 * x * (1 - x));
    a_slope = static_cast<T>((1 - x) * (1 - 3 * x));
    b_slope = static_cast<T>(x * (3 * x - 2));
  }
};

/// cost    two evaluations of the field a step with a save point inside
template <hermite_method M, class System, class Tape, class Scratch>
REVODE_HD void extend(const M& m, System& sys, double t, double t_new, const Tape& tape,
                      Scratch& w) {
  end_of(m, t, t_new, tape, w, w.ends.y_new);
  sys(t, tape.y, w.ends.f);
  sys(t_new, w.ends.y_new, w.ends.f_new);
}

template <hermite_method M, class Tape, class Scratch, class Y>
REVODE_HD void interpolate(const M&, double t, double t_new, const Tape& tape, const Scratch& w,
                           double theta, Y& y) {
  using T = scalar_t<Y>;
  const hermite_weights<T> c(theta);
  const T h = static_cast<T>(t_new - t);
  const auto& ends = slopes_of(tape, w);
  for (int i = 0, n = length(y); i < n; ++i) {
    const T from = tape.y.data()[i];
    const T slopes = muladd(c.a, ends.f.data()[i], c.b * ends.f_new.data()[i]);
    y.data()[i] = muladd(c.s, ends.y_new.data()[i] - from, muladd(h, slopes, from));
  }
}

/// out = dy/dθ of dense output.
template <hermite_method M, class Tape, class Scratch, class Y>
REVODE_HD void interpolate_rate(const M&, double t, double t_new, const Tape& tape,
                                const Scratch& w, double theta, Y& out) {
  using T = scalar_t<Y>;
  const hermite_weights<T> c(theta);
  const T h = static_cast<T>(t_new - t);
  const auto& ends = slopes_of(tape, w);
  for (int i = 0, n = length(out); i < n; ++i) {
    const T slopes = muladd(c.a_slope, ends.f.data()[i], c.b_slope * ends.f_new.data()[i]);
    out.data()[i] = muladd(c.s_slope, ends.y_new.data()[i] - tape.y.data()[i], h * slopes);
  }
}

template <hermite_method M, class Tape, class Scratch, class Y>
REVODE_HD void pull_interpolate(const M&, double t, double t_new, const Tape& tape,
                                const Scratch& w, double theta, const Y& y_bar, end_seeds<Y>* seeds,
                                interpolation_bar<time_bar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  const hermite_weights<T> c(theta);
  const T h = static_cast<T>(t_new - t);
  const auto& ends = slopes_of(tape, w);
  const auto of_f = dot(y_bar, ends.f), of_f_new = dot(y_bar, ends.f_new);
  const auto across = dot(y_bar, ends.y_new) - dot(y_bar, tape.y);
  bar.theta += c.s_slope * across + h * (c.a_slope * of_f + c.b_slope * of_f_new);
  bar.h += c.a * of_f + c.b * of_f_new;
  if (seeds == nullptr) return;
  axpy(1 - c.s, y_bar, seeds->y);
  axpy(c.s, y_bar, seeds->y_new);
  axpy(h * c.a, y_bar, seeds->f);
  axpy(h * c.b, y_bar, seeds->f_new);
}

/// The seeds' share of the cotangent of the new state, before the step is pulled.
template <class System, class Y, class P>
REVODE_HD void pull_new_end(System& sys, double t_new, const Y& y_new, const end_seeds<Y>& seeds,
                            Y& y_bar, P& p_bar, step_ends<time_bar_t<Y>>* ends) {
  time_bar_t<Y> t_bar(0);
  add(seeds.y_new, y_bar);
  sys.vjp(t_new, y_new, seeds.f_new, &t_bar, y_bar, p_bar);
  if (ends != nullptr) ends->t_new += t_bar;
}

/// Their share of the cotangent of the old state, afterwards.
template <class System, class Y, class P>
REVODE_HD void pull_old_end(System& sys, double t, const Y& y, const end_seeds<Y>& seeds, Y& y_bar,
                            P& p_bar, step_ends<time_bar_t<Y>>* ends) {
  time_bar_t<Y> t_bar(0);
  add(seeds.y, y_bar);
  sys.vjp(t, y, seeds.f, &t_bar, y_bar, p_bar);
  if (ends != nullptr) ends->t += t_bar;
}

/// w.ends.y_new_dot is the tangent that push made.
template <hermite_method M, class System, class Tape, class Scratch, class State, class P,
          class Ends>
REVODE_HD void push_extend(const M& m, System& sys, double t, double t_new, const Tape& tape,
                           Scratch& w, const State& state_dot, const P& p_dot, const Ends& ends) {
  sys.jvp(t, tape.y, ends.t, push_value(m, state_dot), p_dot, w.ends.f_dot);
  sys.jvp(t_new, w.ends.y_new, ends.t_new, w.ends.y_new_dot, p_dot, w.ends.f_new_dot);
}

template <hermite_method M, class Tape, class Scratch, class State, class Y>
REVODE_HD void push_interpolate(const M& m, double t, double t_new, const Tape& tape,
                                const Scratch& w, double theta, scalar_t<Y> theta_dot,
                                const step_ends<scalar_t<Y>>& ends, const State& state_dot,
                                Y& out) {
  using T = scalar_t<Y>;
  const Y& y_dot = push_value(m, state_dot);
  const hermite_weights<T> c(theta);
  const T h = static_cast<T>(t_new - t), h_dot = ends.t_new - ends.t;
  const auto& at = slopes_of(tape, w);
  for (int i = 0, n = length(y_dot); i < n; ++i) {
    const T f = at.f.data()[i], f_new = at.f_new.data()[i];
    const T across = at.y_new.data()[i] - tape.y.data()[i];
    T sum = muladd(c.s, w.ends.y_new_dot.data()[i] - y_dot.data()[i], y_dot.data()[i]);
    sum += h * (c.a * w.ends.f_dot.data()[i] + c.b * w.ends.f_new_dot.data()[i]);
    sum += h_dot * (c.a * f + c.b * f_new);
    sum += theta_dot * (c.s_slope * across + h * (c.a_slope * f + c.b_slope * f_new));
    out.data()[i] = sum;
  }
}

}  // namespace revode
