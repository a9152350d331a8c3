// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solve/options.hpp>
#include <revode/solvers/explicit/hermite_dense.hpp>

namespace revode {

/// The method's state: the user's y, and a second solution that leaps over it.
template <class Y>
struct leapfrog_pair {
  Y y, hat;

  leapfrog_pair() = default;
  REVODE_HD explicit leapfrog_pair(const Y& like) : y(like), hat(like) {}
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    visit(self.hat);
  }
};
template <class Y>
REVODE_HD void fill(leapfrog_pair<Y>& pair, scalar_t<Y> value) {
  fill(pair.y, value);
  fill(pair.hat, value);
}

/// One step: where the field was called, and its values there.
template <class Y>
struct reversible_heun_tape {
  Y y, hat, hat_new, f, f_new;

  reversible_heun_tape() = default;
  REVODE_HD explicit reversible_heun_tape(const Y& like)
      : y(like),
        hat(like),
        hat_new(like),
        f(like),
        f_new(like) {}
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    for (auto* part : {&self.y, &self.hat, &self.hat_new, &self.f, &self.f_new}) visit(*part);
  }
};

template <class Y>
struct reversible_heun_cache {
  Y f;  ///< f(t, hat)
  reversible_heun_cache() = default;
  REVODE_HD explicit reversible_heun_cache(const Y& like) : f(like) {}
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.f);
  }
};

template <class Y>
struct reversible_heun_scratch {
  Y weight, out;
  end_slopes<Y> ends;
  reversible_heun_scratch() = default;
  REVODE_HD explicit reversible_heun_scratch(const Y& like) : weight(like), out(like), ends(like) {}
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.weight);
    visit(self.out);
    visit(self.ends);
  }
};

/// Algebraically reversible, one evaluation of the field a step, ŷ_0 = y_0:
///   ŷ_new = 2y − ŷ + h f(t, ŷ),  y_new = y + h/2 (f(t, ŷ) + f(t_new, ŷ_new)).
/// The estimate is h/2 (f(t_new, ŷ_new) − f(t, ŷ)), the difference to Euler's step. step_back undoes
/// a step up to rounding.
struct reversible_heun {
  static constexpr const char* name = "reversible_heun";
  static constexpr const char* source =
      "Kidger, Foster, Li & Lyons, Efficient and accurate gradients for neural SDEs, NeurIPS 34 "
      "(2021), algorithm 1";
  static constexpr int order = 2, embedded_order = 1, dense_order = 2;
  static constexpr bool hermite = true;

  template <class Y>
  struct types : default_types<Y> {
    using state = leapfrog_pair<Y>;
    using cache = reversible_heun_cache<Y>;
    using tape = reversible_heun_tape<Y>;
    using scratch = reversible_heun_scratch<Y>;
    using seeds = end_seeds<Y>;
  };
};

template <class Y>
REVODE_HD const Y& value(const reversible_heun&, const leapfrog_pair<Y>& state) {
  return state.y;
}
template <class Y>
REVODE_HD void pull_value(const reversible_heun&, const Y& y_bar, leapfrog_pair<Y>& state_bar) {
  add(y_bar, state_bar.y);
}
template <class Y>
REVODE_HD const Y& push_value(const reversible_heun&, const leapfrog_pair<Y>& state_dot) {
  return state_dot.y;
}

template <class System, class Y>
REVODE_HD void refresh(const reversible_heun&, System& sys, double t,
                       carry<reversible_heun, Y>& c) {
  sys(t, c.state.hat, c.cache.f);
}
template <class System, class Y>
REVODE_HD void begin(const reversible_heun& m, System& sys, double t, const Y& y,
                     carry<reversible_heun, Y>& c) {
  copy(y, c.state.y);
  copy(y, c.state.hat);
  refresh(m, sys, t, c);
}
template <class System, class Y, class P, class T>
REVODE_HD void pull_begin(const reversible_heun&, System&, double, const Y&,
                          const leapfrog_pair<Y>& state_bar, Y& y_bar, P&, T&) {
  add(state_bar.y, y_bar);
  add(state_bar.hat, y_bar);
}
template <class System, class Y, class P, class T>
REVODE_HD void push_begin(const reversible_heun&, System&, double, const Y&, const Y& y_dot,
                          const P&, const T&, leapfrog_pair<Y>& state_dot) {
  state_dot.y = y_dot;
  state_dot.hat = y_dot;
}

/// to = y + a (f + g), the order in which the step adds.
template <class Y>
REVODE_HD void add_mean(scalar_t<Y> a, const Y& y, const Y& f, const Y& g, Y& to) {
  for (int i = 0, n = length(y); i < n; ++i)
    to.data()[i] = muladd(a, f.data()[i] + g.data()[i], y.data()[i]);
}

template <class System, class Y>
REVODE_HD void replay(const reversible_heun&, System& sys, double t, double t_new, nothing,
                      carry<reversible_heun, Y>& c, reversible_heun_tape<Y>& tape) {
  using T = scalar_t<Y>;
  const T h = static_cast<T>(t_new - t);
  copy(c.state.y, tape.y);
  copy(c.state.hat, tape.hat);
  copy(c.cache.f, tape.f);
  for (int i = 0, n = length(tape.y); i < n; ++i)
    tape.hat_new.data()[i] = muladd(h, tape.f.data()[i], 2 * tape.y.data()[i] - tape.hat.data()[i]);
  sys(t_new, tape.hat_new, tape.f_new);
  copy(tape.hat_new, c.state.hat);
  copy(tape.f_new, c.cache.f);
  add_mean(h / 2, tape.y, tape.f, tape.f_new, c.state.y);
}

template <class System, class Y>
REVODE_HD outcome<nothing> attempt(const reversible_heun& m, System& sys, const tolerance& tol,
                                   double t, double t_new, const carry<reversible_heun, Y>& from,
                                   reversible_heun_tape<Y>& tape, carry<reversible_heun, Y>& next) {
  copy(from.state.y, next.state.y);
  copy(from.state.hat, next.state.hat);
  copy(from.cache.f, next.cache.f);
  replay(m, sys, t, t_new, nothing{}, next, tape);
  if (!tol.estimate) return {};
  const double h = t_new - t;
  double sum = 0;
  const int n = length(tape.y);
  for (int i = 0; i < n; ++i) {
    const double a = std::abs(static_cast<double>(tape.y.data()[i]));
    const double b = std::abs(static_cast<double>(next.state.y.data()[i]));
    const double error = 0.5 * h * static_cast<double>(tape.f_new.data()[i] - tape.f.data()[i]);
    if (tol.each != nullptr) tol.each->put(i, a > b ? a : b, error);
    const double e = error / (tol.atol + tol.rtol * (a > b ? a : b));
    sum += e * e;
  }
  if (tol.each != nullptr) return {tol.each->squared()};
  return {n > 0 ? sum / n : 0.0};
}

template <class System, class Y>
REVODE_HD void resume(const reversible_heun&, System&, double t, double t_new,
                      const reversible_heun_tape<Y>& tape, carry<reversible_heun, Y>& c) {
  copy(tape.hat_new, c.state.hat);
  copy(tape.f_new, c.cache.f);
  add_mean(static_cast<scalar_t<Y>>(t_new - t) / 2, tape.y, tape.f, tape.f_new, c.state.y);
}
template <class Y>
REVODE_HD void end_of(const reversible_heun&, double t, double t_new,
                      const reversible_heun_tape<Y>& tape, const reversible_heun_scratch<Y>&,
                      Y& y) {
  add_mean(static_cast<scalar_t<Y>>(t_new - t) / 2, tape.y, tape.f, tape.f_new, y);
}

/// The carry at t from the one at t_new: the step's inverse, exact but for rounding.
/// cost    one evaluation of the field
template <class System, class Y>
REVODE_HD void step_back(const reversible_heun&, System& sys, double t, double t_new,
                         carry<reversible_heun, Y>& c, reversible_heun_tape<Y>& tape) {
  const auto h = static_cast<scalar_t<Y>>(t_new - t);
  copy(c.state.hat, tape.hat_new);
  copy(c.cache.f, tape.f_new);
  for (int i = 0, n = length(tape.hat); i < n; ++i)
    tape.hat.data()[i] =
        muladd(-h, tape.f_new.data()[i], 2 * c.state.y.data()[i] - tape.hat_new.data()[i]);
  sys(t, tape.hat, tape.f);
  add_mean(-h / 2, c.state.y, tape.f, tape.f_new, tape.y);
  copy(tape.y, c.state.y);
  copy(tape.hat, c.state.hat);
  copy(tape.f, c.cache.f);
}

/// cost    two field VJPs
template <class System, class Y, class P>
REVODE_HD void pull(const reversible_heun&, System& sys, double t, double t_new, nothing,
                    const reversible_heun_tape<Y>& tape, reversible_heun_scratch<Y>& w,
                    const end_seeds<Y>* seeds, leapfrog_pair<Y>& bar, P& p_bar,
                    step_ends<scalar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  const T h = static_cast<T>(t_new - t);
  if (seeds != nullptr) pull_new_end(sys, t_new, w.ends.y_new, *seeds, bar.y, p_bar, ends);
  T t_bar(0), t_new_bar(0);
  for (int i = 0, n = length(w.weight); i < n; ++i) w.weight.data()[i] = h / 2 * bar.y.data()[i];
  sys.vjp(t_new, tape.hat_new, w.weight, &t_new_bar, bar.hat, p_bar);
  axpy(h, bar.hat, w.weight);
  const T h_bar = (dot(bar.y, tape.f) + dot(bar.y, tape.f_new)) / 2 + dot(bar.hat, tape.f);
  axpy(T(2), bar.hat, bar.y);
  for (int i = 0, n = length(bar.hat); i < n; ++i) bar.hat.data()[i] = -bar.hat.data()[i];
  sys.vjp(t, tape.hat, w.weight, &t_bar, bar.hat, p_bar);
  if (ends != nullptr) {
    ends->t += t_bar - h_bar;
    ends->t_new += t_new_bar + h_bar;
  }
  if (seeds != nullptr) pull_old_end(sys, t, tape.y, *seeds, bar.y, p_bar, ends);
}

/// cost    two field JVPs
template <class System, class Y, class P>
REVODE_HD void push(const reversible_heun&, System& sys, double t, double t_new, nothing,
                    const reversible_heun_tape<Y>& tape, reversible_heun_scratch<Y>& w,
                    leapfrog_pair<Y>& tangent, const P& p_dot, const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  const T h = static_cast<T>(t_new - t), h_dot = ends.t_new - ends.t;
  sys.jvp(t, tape.hat, ends.t, tangent.hat, p_dot, w.out);
  for (int i = 0, n = length(w.out); i < n; ++i) {
    const T step = h * w.out.data()[i] + h_dot * tape.f.data()[i];
    tangent.hat.data()[i] = 2 * tangent.y.data()[i] - tangent.hat.data()[i] + step;
    tangent.y.data()[i] += step / 2;
  }
  sys.jvp(t_new, tape.hat_new, ends.t_new, tangent.hat, p_dot, w.out);
  axpy(h / 2, w.out, tangent.y);
  axpy(h_dot / 2, tape.f_new, tangent.y);
  copy(tangent.y, w.ends.y_new_dot);
}

}  // namespace revode
