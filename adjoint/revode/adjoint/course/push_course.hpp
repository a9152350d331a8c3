// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include <revode/adjoint/course/cut_adjoint.hpp>
#include <revode/solve/course/ends.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// All numbers of a derivative that failed.
template <class Y>
void spoil_tangents(const solution<Y>& s, Y& y_dot, std::vector<Y>& ys_dot,
                    std::vector<double>& events_dot) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  fill(y_dot, static_cast<scalar_t<Y>>(nan));
  ys_dot.assign(s.ys.size(), y_dot);
  events_dot.assign(s.events.size(), nan);
}

/// The tangents of a solve along directions of its inputs, on their way with it: through its steps, save
/// points, cuts and the times that these move with, as pull_course takes cotangents back. O(1) memory.
/// cost    one JVP per stage, step and direction on top of the solve
template <class M, class F, class Y, class P, class Events = no_events>
class push_course {
  static_assert(state_in_one_place<Y>::there);

 public:
  using scalar = scalar_t<Y>;
  using loop_type = stepper<M, F, Y, P, Events>;

  /// A direction, and what has been carried along it.
  struct direction {
    tangents<Y, P> along;
    typename method_types<M, Y>::state state_dot;
    P p_dot;
    double start_dot;  // of the time at which the stretch at hand began
    Y y_dot;
    std::vector<Y> ys_dot{};
    std::vector<double> known_dot{}, events_dot{};
    revode::status ended = revode::status::success;
  };

  /// The directions are those in [first, last).
  template <class Field, class Iterator>
  push_course(const problem<Field, Y, P>& q, const M& m, const options& o, Iterator first,
              Iterator last, const Events& events = {})
      : q_t0_(q.t0),
        loop_(q, m, o, {}, events, method_types<M, Y>::kept_calls) {
    const bool cut_at_start = cuts().cut_count() > 0;
    for (; first != last; ++first) {
      ways_.push_back({*first, loop_.state(), first->p, first->t0, first->y0});
      direction& d = ways_.back();
      move_known_times(d);
      const bool begins = cuts().begins_at_start();
      Y y_dot = d.along.y0;
      if (begins || o.save.t0) {
        const Y start_dot = push_start(d);
        if (o.save.t0) d.ys_dot.push_back(start_dot);
        if (begins) push_points_at_start(d, y_dot = start_dot);
      }
      if (is_multistep_v<M> && !begins) move_along(q.t0, q.y0, -d.along.t0, y_dot);
      const auto t_dot = static_cast<scalar>(is_multistep_v<M> ? 0 : d.along.t0);
      if (cut_at_start)
        push_cut_at_start(d, y_dot);
      else
        push_begin(m, loop_.sys(), q.t0, q.y0, y_dot, d.along.p, t_dot, d.state_dot);
    }
    if (cut_at_start) loop_.stretches().use_parameters(++cuts_pushed_);
  }

  /// The solution; its derivatives are in ways().
  solution<Y> run() {
    const bool begun = cuts().begins_at_start();  // and the points at t0 are pushed
    while (!loop_.finished()) {
      const index i = loop_.position();
      const std::size_t saved = loop_.saved();
      loop_.step(loop_.work_tape());
      if (loop_.position() > i) push_step(i, i == 0 && !begun ? 0 : saved);
    }
    solution<Y> s = std::move(loop_.result());
    for (direction& d : ways_) finish(d, s);
    return s;
  }
  std::vector<direction>& ways() { return ways_; }

 private:
  const auto& cuts() const { return loop_.stretches(); }

  void finish(direction& d, const solution<Y>& s) {
    if (d.ended == status::success) push_end(d, s);
    bool finite = all_finite(d.y_dot) && all_finite(d.events_dot);
    for (const Y& y_dot : d.ys_dot) finite = finite && all_finite(y_dot);
    if (d.ended == status::success && !finite) d.ended = status::non_finite_gradient;
    if (d.ended != status::success) spoil_tangents(s, d.y_dot, d.ys_dot, d.events_dot);
  }
  void push_end(direction& d, const solution<Y>& s) {
    d.y_dot = push_value(loop_.scheme(), d.state_dot);
    if (loop_.count() == 0 && cuts_pushed_ == 0)
      push_no_step(d, s.status == status::success);
    else if (is_multistep_v<M> && s.status == status::success)
      move_along(s.t, s.y, d.along.t1, d.y_dot);
    else if (cuts_pushed_ > 0 && cuts().cut_at(cuts_pushed_ - 1).step + 1 == loop_.count() &&
             (is_multistep_v<M> || s.status == status::success))
      move_along(s.t, s.y, is_multistep_v<M> ? d.start_dot : d.along.t1 - d.start_dot, d.y_dot);
    if (loop_.save_points().t1 && is_complete(s.status)) d.ys_dot.push_back(d.y_dot);
  }

  /// How the ends of step i move; behind `cuts_pushed_` cuts.
  step_ends<scalar> ends_along(const direction& d, index i, double t_new) const {
    if (is_multistep_v<M>) return {};
    const auto [from, to] =
        ends_of_step(cuts(), cuts_pushed_, loop_.equal_steps(), i, t_new, loop_.t1());
    const auto moved = [&d](const moving_end& end) {
      return static_cast<scalar>(end.of(d.along.t0, d.along.t1, d.start_dot, d.known_dot, 0.0));
    };
    return {moved(from), moved(to)};
  }

  void push_step(index i, std::size_t first_saved) {
    const threads_of<Y> working(loop_.threads());
    loop_.sys().read(loop_.work_tape().calls);
    const bool is_cut = cuts_pushed_ < cuts().cut_count();
    loop_.stretches().use_parameters(cuts_pushed_);
    for (direction& d : ways_) {
      if (d.ended != status::success) continue;
      push_step(d, i, first_saved, is_cut);
      if (i % 16 == 0 && !has_finite_parts(d.state_dot))
        report(loop_.sys(), status::non_finite_gradient);
      d.ended = std::exchange(loop_.sys().counts.trouble, status::success);
    }
    if (is_cut) ++cuts_pushed_;
    loop_.stretches().use_parameters(cuts_pushed_);
  }

  void push_step(direction& d, index i, std::size_t first_saved, bool is_cut) {
    const auto& tape = loop_.work_tape();
    const auto ends = ends_along(d, i, tape.t_new);
    const auto& m = loop_.scheme();
    auto& w = loop_.scratch();
    const std::size_t saved = loop_.saved();
    auto before = d.state_dot;
    push(m, loop_.sys(), tape.t, tape.t_new, tape.record, tape.stages, w, d.state_dot, d.p_dot,
         ends);
    if constexpr (has_dense_output_v<M>) {
      if (first_saved < saved || (is_cut && cuts().cut_at(cuts_pushed_).theta >= 0)) {
        extend(m, loop_.sys(), tape.t, tape.t_new, tape.stages, w);
        push_extend(m, loop_.sys(), tape.t, tape.t_new, tape.stages, w, before, d.p_dot, ends);
      }
      for (std::size_t k = first_saved; k < saved; ++k) push_save_point(d, k, before, ends);
    }
    if (is_cut) push_cut(d, before, ends, first_saved < saved);
  }

  /// The tangent of dense output at θ, whose time moves by t_dot.
  template <class State>
  Y push_dense(double theta, double t_dot, const State& before, const step_ends<scalar>& ends) {
    const auto& tape = loop_.work_tape();
    const double moved = (t_dot - (1 - theta) * static_cast<double>(ends.t) -
                          theta * static_cast<double>(ends.t_new)) /
                         (tape.t_new - tape.t);
    Y out = loop_.y0();
    push_interpolate(loop_.scheme(), tape.t, tape.t_new, tape.stages, loop_.scratch(), theta,
                     static_cast<scalar>(moved), ends, before, out);
    return out;
  }

  template <class State>
  void push_save_point(direction& d, std::size_t k, const State& before,
                       const step_ends<scalar>& ends) {
    const auto& tape = loop_.work_tape();
    const double t = loop_.save_time(k);
    if (loop_.save_points().every > 0) {
      if (t == tape.t_new) d.ys_dot.push_back(push_value(loop_.scheme(), d.state_dot));
      return;
    }
    const double ts_dot = d.along.ts.empty() ? 0.0 : d.along.ts[k];
    d.ys_dot.push_back(push_dense((t - tape.t) / (tape.t_new - tape.t), ts_dot, before, ends));
  }

  /// From behind the step to behind the cut, see pull_course::pull_cut.
  template <class State>
  [[gnu::noinline, gnu::cold]] void push_cut(direction& d, const State& before,
                                             const step_ends<scalar>& ends, bool saved) {
    const cut& c = cuts().cut_at(cuts_pushed_);
    const cut_event& first = cuts().event(c.first);
    if (!c.begins) {
      d.start_dot = d.known_dot[static_cast<std::size_t>(first.due)];
      return;
    }
    const cut_states<loop_type, Y, P> states(loop_, cuts_pushed_, loop_.work_tape());
    Y y_dot = push_value(loop_.scheme(), d.state_dot);
    double t_dot = 0;
    if (first.due >= 0) {
      t_dot = d.known_dot[static_cast<std::size_t>(first.due)];
      if (is_multistep_v<M>) move_along(c.end, states.y.front(), t_dot, y_dot);
    } else if constexpr (has_dense_output_v<M>) {
      t_dot = push_root(d, c, first.which, states, before, ends);
      y_dot = push_dense(c.theta, t_dot, before, ends);
      if (saved && loop_.save_points().every > 0 && c.theta < 1) d.ys_dot.push_back(y_dot);
    }
    restart(d, c, states, t_dot, y_dot);
  }

  /// dt* = −(∂g/∂y dy + ∂g/∂p dp)/(dg/dt), dy at the time held still
  template <class State>
  [[gnu::noinline, gnu::cold]] double push_root(const direction& d, const cut& c, int which,
                                                const cut_states<loop_type, Y, P>& states,
                                                const State& before,
                                                const step_ends<scalar>& ends) {
    const auto& tape = loop_.work_tape();
    const double t = loop_.stretches().time_of(c, c.first);
    const auto g = gradient_of_condition(loop_.stretches(), which, t, states.y[0], states.p[0]);
    interpolation_bar<scalar> bar;
    pull_interpolate(loop_.scheme(), tape.t, tape.t_new, tape.stages, loop_.scratch(), c.theta,
                     g.of_y, static_cast<typename loop_type::types::seeds*>(nullptr), bar);
    const double rate = g.of_t + static_cast<double>(bar.theta) / (tape.t_new - tape.t);
    const Y still = push_dense(c.theta, 0, before, ends);
    const auto change = dot(g.of_y, still) + dot(g.of_p, d.p_dot);
    return rate != 0 ? -static_cast<double>(change) / rate : 0.0;
  }

  [[gnu::noinline, gnu::cold]] void restart(direction& d, const cut& c,
                                            const cut_states<loop_type, Y, P>& states, double t_dot,
                                            Y& y_dot) {
    d.start_dot =
        push_chain<loop_type>(loop_, c, states, t_dot, y_dot, d.p_dot, d.known_dot, d.events_dot);
    loop_.stretches().use_parameters(cuts_pushed_ + 1);
    if (is_multistep_v<M>) move_along(c.t, states.y.back(), -d.start_dot, y_dot);
    push_begin(loop_.scheme(), loop_.sys(), c.t, states.y.back(), y_dot, d.p_dot,
               static_cast<scalar>(is_multistep_v<M> ? 0 : d.start_dot), d.state_dot);
    loop_.stretches().use_parameters(cuts_pushed_);
  }
  [[gnu::noinline, gnu::cold]] void push_cut_at_start(direction& d, Y& y_dot) {
    const cut& c = cuts().cut_at(0);
    if (c.begins)
      restart(d, c, cut_states<loop_type, Y, P>(loop_, 0, loop_.work_tape()), d.along.t0, y_dot);
    else
      push_begin(loop_.scheme(), loop_.sys(), q_t0_, loop_.y0(), y_dot, d.p_dot,
                 static_cast<scalar>(is_multistep_v<M> ? 0 : d.start_dot), d.state_dot);
  }

  [[gnu::noinline, gnu::cold]] void move_known_times(direction& d) {
    auto& stretches = loop_.stretches();
    stretches.use_parameters(0);
    for (std::size_t k = 0; k < stretches.known_count(); ++k) {
      const known_time& at = stretches.known(k);
      double moved = 0;
      if (at.which < 0 && !d.along.stops.empty())
        moved = d.along.stops[at.number + (at.which == -2 ? loop_.stops() : 0)];
      stretches.events().visit(at.which, [&](auto& event) {
        if constexpr (!listed_times<std::remove_cvref_t<decltype(event.event)>>)
          moved = event.push_time(stretches.parameters(), d.along.p);
        else if (!d.along.times.empty())
          moved = d.along.times[static_cast<std::size_t>(at.which)][at.number];
      });
      d.known_dot.push_back(moved);
    }
    stretches.use_parameters(stretches.stretch());
  }

  /// How the state at t0 moves with it; a mass matrix makes it of y0.
  Y push_start(const direction& d) {
    Y y_dot = d.along.y0;
    if constexpr (has_mass_v<F>) {
      loop_.stretches().use_parameters(0);
      push_consistent(loop_.sys(), q_t0_, loop_.y0(), d.along.y0, d.along.p,
                      static_cast<scalar>(d.along.t0), y_dot);
    }
    return y_dot;
  }
  /// Those listed at t0, where no step begins at once.
  void push_points_at_start(direction& d, const Y& start_dot) {
    loop_.stretches().use_parameters(0);
    for (std::size_t k = 0; k < loop_.saved(); ++k) {
      const double ts_dot = d.along.ts.empty() ? 0.0 : d.along.ts[k];
      d.ys_dot.push_back(start_dot);
      move_along(q_t0_, loop_.y0(), ts_dot - d.along.t0, d.ys_dot.back());
    }
  }
  /// y_dot += y' t_dot at (t, y)
  void move_along(double t, const Y& y, double t_dot, Y& y_dot) {
    if (t_dot == 0) return;
    Y slope = y;
    slope_of(loop_.sys(), t, y, slope);
    axpy(static_cast<scalar>(t_dot), slope, y_dot);
  }

  /// No step, because t0 == t1 (moving an end makes one) or because none succeeded.
  void push_no_step(direction& d, bool complete) {
    d.y_dot = push_start(d);
    if (!complete) return d.ys_dot.resize(d.ys_dot.size() + loop_.saved(), d.y_dot);
    push_points_at_start(d, d.y_dot);
    move_along(q_t0_, loop_.y0(), d.along.t1 - d.along.t0, d.y_dot);
  }

  double q_t0_;
  loop_type loop_;
  std::vector<direction> ways_;
  std::size_t cuts_pushed_ = 0;
};

}  // namespace revode
