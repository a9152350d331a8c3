// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/cut_adjoint.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// A solution and its derivative in one direction.
template <class Y>
struct pushed_solution : solution<Y> {
  Y y_dot;
  std::vector<Y> ys_dot{};
  std::vector<double> events_dot{};  ///< of the times in solution::events
};

/// Forward mode: the derivative of the computed solution along a direction of its inputs, carried
/// along with the solve in O(1) memory. The same grid semantics as the discrete adjoint.
/// cost    one JVP per stage and step on top of the solve
template <class M, class F, class Y, class P, class Events = no_events>
class forward_mode {
 public:
  using scalar = scalar_t<Y>;
  using loop_type = stepper<M, F, Y, P, Events>;

  template <class Field>
  forward_mode(const problem<Field, Y, P>& q, const M& m, const options& o,
               const tangents<Y, P>& along, const Events& events = {})
      : q_t0_(q.t0),
        loop_(q, m, o, {}, events),
        along_(along),
        state_dot_(loop_.state()),
        p_dot_(along.p),
        start_dot_(along.t0) {
    move_known_times();
    Y y_dot = along.y0;
    if (is_multistep_v<M>) move_along(q.t0, q.y0, -along.t0, y_dot);
    const auto t_dot = static_cast<scalar>(is_multistep_v<M> ? 0 : along.t0);
    if (cuts().cut_count() > 0)
      push_cut_at_start(y_dot);
    else
      push_begin(m, loop_.sys(), q.t0, q.y0, y_dot, along.p, t_dot, state_dot_);
  }

  pushed_solution<Y> run() {
    if (loop_.save_points().t0) ys_dot_.push_back(along_.y0);
    const std::size_t at_start = loop_.saved();
    while (!loop_.finished()) {
      const index i = loop_.position();
      const std::size_t saved = loop_.saved();
      loop_.step(loop_.work_tape());
      if (loop_.position() > i) push_step(i, i == 0 ? 0 : saved);
    }
    pushed_solution<Y> s;
    static_cast<solution<Y>&>(s) = std::move(loop_.result());
    s.y_dot = push_value(loop_.scheme(), state_dot_);
    if (loop_.count() == 0 && cuts_pushed_ == 0)
      push_no_step(at_start, s.status == status::success, s.y_dot);
    else if (is_multistep_v<M> && s.t == loop_.t1())
      move_along(s.t, s.y, along_.t1, s.y_dot);
    else if (cuts_pushed_ > 0 && cuts().cut_at(cuts_pushed_ - 1).step + 1 == loop_.count() &&
             s.status == status::success)
      move_along(s.t, s.y, along_.t1 - start_dot_, s.y_dot);
    if (loop_.save_points().t1 && is_complete(s.status)) ys_dot_.push_back(s.y_dot);
    s.ys_dot = std::move(ys_dot_);
    s.events_dot = std::move(events_dot_);
    return s;
  }

 private:
  const auto& cuts() const { return loop_.stretches(); }

  /// How the ends of step i move; behind `cuts_pushed_` cuts.
  step_ends<scalar> moving_ends(index i, double t_new) const {
    if (is_multistep_v<M>) return {};
    const auto& stretches = loop_.stretches();
    const cut* before = cuts_pushed_ > 0 ? &stretches.cut_at(cuts_pushed_ - 1) : nullptr;
    const std::size_t due = before != nullptr ? before->due : 0;
    const index n = loop_.log().equal_steps();
    const index k = i - (before != nullptr ? before->extra : 0);
    const auto on_grid = [&](index at) {
      const double share = static_cast<double>(at) / static_cast<double>(n);
      return (1 - share) * along_.t0 + share * along_.t1;
    };
    double from = 0, to = 0;
    if (i == 0 || (before != nullptr && before->step == i - 1))
      from = start_dot_;
    else if (n > 0)
      from = on_grid(k);
    if (due < stretches.known_count() && stretches.known(due).end == t_new)
      to = known_dot_[due];
    else if (n > 0)
      to = on_grid(k + 1);
    else if (t_new == loop_.t1())
      to = along_.t1;
    return {static_cast<scalar>(from), static_cast<scalar>(to)};
  }

  void push_step(index i, std::size_t first_saved) {
    const auto& tape = loop_.work_tape();
    const auto ends = moving_ends(i, tape.t_new);
    const auto& m = loop_.scheme();
    auto& w = loop_.scratch();
    const std::size_t saved = loop_.saved();
    const bool is_cut = cuts_pushed_ < cuts().cut_count();
    loop_.stretches().use_parameters(cuts_pushed_);
    auto before = state_dot_;
    push(m, loop_.sys(), tape.t, tape.t_new, tape.record, tape.stages, w, state_dot_, p_dot_, ends);
    if constexpr (has_dense_output_v<M>) {
      if (first_saved < saved || (is_cut && cuts().cut_at(cuts_pushed_).theta >= 0)) {
        extend(m, loop_.sys(), tape.t, tape.t_new, tape.stages, w);
        push_extend(m, loop_.sys(), tape.t, tape.t_new, tape.stages, w, before, p_dot_, ends);
      }
      for (std::size_t k = first_saved; k < saved; ++k) push_save_point(k, before, ends);
    }
    if (is_cut) push_cut(before, ends, first_saved < saved);
    loop_.stretches().use_parameters(cuts_pushed_);
  }

  /// The tangent of dense output at θ, whose time moves by t_dot.
  template <class State>
  Y push_dense(double theta, double t_dot, const State& before, const step_ends<scalar>& ends) {
    const auto& tape = loop_.work_tape();
    const double moved = (t_dot - (1 - theta) * static_cast<double>(ends.t) -
                          theta * static_cast<double>(ends.t_new)) /
                         (tape.t_new - tape.t);
    Y out = along_.y0;
    push_interpolate(loop_.scheme(), tape.t, tape.t_new, tape.stages, loop_.scratch(), theta,
                     static_cast<scalar>(moved), ends, before, out);
    return out;
  }

  template <class State>
  void push_save_point(std::size_t k, const State& before, const step_ends<scalar>& ends) {
    const auto& tape = loop_.work_tape();
    const double t = loop_.save_time(k);
    if (loop_.save_points().every > 0) {
      if (t == tape.t_new) ys_dot_.push_back(push_value(loop_.scheme(), state_dot_));
      return;
    }
    const double ts_dot = along_.ts.empty() ? 0.0 : along_.ts[k];
    ys_dot_.push_back(push_dense((t - tape.t) / (tape.t_new - tape.t), ts_dot, before, ends));
  }

  /// From behind the step to behind the cut, see differentiable_stepper::pull_cut.
  template <class State>
  [[gnu::noinline, gnu::cold]] void push_cut(const State& before, const step_ends<scalar>& ends,
                                             bool saved) {
    const cut& c = cuts().cut_at(cuts_pushed_);
    const cut_event& first = cuts().event(c.first);
    if (!c.begins) {
      start_dot_ = known_dot_[static_cast<std::size_t>(first.due)];
      ++cuts_pushed_;
      return;
    }
    const cut_states<loop_type, Y, P> states(loop_, cuts_pushed_, loop_.work_tape());
    Y y_dot = push_value(loop_.scheme(), state_dot_);
    double t_dot = 0;
    if (first.due >= 0) {
      t_dot = known_dot_[static_cast<std::size_t>(first.due)];
    } else if constexpr (has_dense_output_v<M>) {
      t_dot = push_root(c, first.which, states, before, ends);
      y_dot = push_dense(c.theta, t_dot, before, ends);
      if (saved && loop_.save_points().every > 0 && c.theta < 1) ys_dot_.push_back(y_dot);
    }
    restart(c, states, t_dot, y_dot);
  }

  /// dt* = −(∂g/∂y dy + ∂g/∂p dp)/(dg/dt), dy at the time held still
  template <class State>
  [[gnu::noinline, gnu::cold]] double push_root(const cut& c, int which,
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
    const auto change = dot(g.of_y, still) + dot(g.of_p, p_dot_);
    return rate != 0 ? -static_cast<double>(change) / rate : 0.0;
  }

  [[gnu::noinline, gnu::cold]] void restart(const cut& c, const cut_states<loop_type, Y, P>& states,
                                            double t_dot, Y& y_dot) {
    start_dot_ =
        push_chain<loop_type>(loop_, c, states, t_dot, y_dot, p_dot_, known_dot_, events_dot_);
    loop_.stretches().use_parameters(++cuts_pushed_);
    push_begin(loop_.scheme(), loop_.sys(), c.t, states.y.back(), y_dot, p_dot_,
               static_cast<scalar>(is_multistep_v<M> ? 0 : start_dot_), state_dot_);
  }
  [[gnu::noinline, gnu::cold]] void push_cut_at_start(Y& y_dot) {
    const cut& c = cuts().cut_at(0);
    if (!c.begins) {
      ++cuts_pushed_;
      push_begin(loop_.scheme(), loop_.sys(), q_t0_, loop_.y0(), y_dot, p_dot_,
                 static_cast<scalar>(start_dot_), state_dot_);
      return;
    }
    restart(c, cut_states<loop_type, Y, P>(loop_, 0, loop_.work_tape()), along_.t0, y_dot);
  }

  [[gnu::noinline, gnu::cold]] void move_known_times() {
    auto& stretches = loop_.stretches();
    for (std::size_t k = 0; k < stretches.known_count(); ++k) {
      const known_time& at = stretches.known(k);
      double moved = 0;
      if (at.which < 0 && !along_.stops.empty())
        moved = along_.stops[at.number + (at.which == -2 ? loop_.stops() : 0)];
      stretches.use_parameters(0);
      stretches.events().visit(at.which, [&](auto& event) {
        moved = event.push_time(stretches.parameters(), along_.p);
      });
      known_dot_.push_back(moved);
    }
    stretches.use_parameters(stretches.stretch());
  }

  /// y_dot += f(t, y) t_dot
  void move_along(double t, const Y& y, double t_dot, Y& y_dot) {
    if (t_dot == 0) return;
    Y slope = y;
    loop_.sys()(t, y, slope);
    axpy(static_cast<scalar>(t_dot), slope, y_dot);
  }

  /// No step, because t0 == t1 (moving an end makes one) or because none succeeded.
  void push_no_step(std::size_t saved, bool complete, Y& y_dot) {
    y_dot = along_.y0;
    ys_dot_.resize(ys_dot_.size() + saved, along_.y0);
    if (!complete) return;
    for (std::size_t k = 0; k < saved; ++k) {
      const double ts_dot = along_.ts.empty() ? 0.0 : along_.ts[k];
      move_along(q_t0_, loop_.y0(), ts_dot - along_.t0,
                 *(ys_dot_.end() - static_cast<long>(saved - k)));
    }
    move_along(q_t0_, loop_.y0(), along_.t1 - along_.t0, y_dot);
  }

  double q_t0_;
  loop_type loop_;
  tangents<Y, P> along_;
  typename method_types<M, Y>::state state_dot_;
  P p_dot_;
  double start_dot_;  // of the time at which the stretch at hand began
  std::vector<double> known_dot_, events_dot_;
  std::size_t cuts_pushed_ = 0;
  std::vector<Y> ys_dot_;
};

/// Throws for a direction that is not one of this problem's.
template <class F, class Y, class P>
void check(const problem<F, Y, P>& q, const options& o, const tangents<Y, P>& along) {
  if (length(along.y0) != length(q.y0))
    throw std::invalid_argument("a tangent of " + std::to_string(length(along.y0)) +
                                " elements for a state of " + std::to_string(length(q.y0)) +
                                " (they have the same shape) resize it?");
  if (length(along.p) != length(q.p))
    throw std::invalid_argument("a tangent of " + std::to_string(length(along.p)) +
                                " elements for " + std::to_string(length(q.p)) +
                                " parameters (they have the same shape) resize it?");
  if (!along.ts.empty() && along.ts.size() != o.save.ts.size())
    throw std::invalid_argument(std::to_string(along.ts.size()) + " tangents for " +
                                std::to_string(o.save.ts.size()) +
                                " listed save times (one belongs to each) give as many, or none?");
  const std::size_t stops = o.stops.size() + o.discontinuities.size();
  if (!along.stops.empty() && along.stops.size() != stops)
    throw std::invalid_argument(std::to_string(along.stops.size()) + " tangents for " +
                                std::to_string(stops) +
                                " stops and discontinuities (one belongs to each) give as many, or "
                                "none?");
}

/// Integrates q together with its derivative along a direction:
///   auto s = solve(q, tsit5{}, {}, tangents{.y0 = v, .p = u});    // s.y, s.y_dot, s.ys_dot
/// errors  std::invalid_argument for misuse, tangents of another size included
template <method M, class F, class Y, class P>
pushed_solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                         const tangents<Y, P>& along) {
  validate(q, m, o);
  validate_cuts<M, system<std::remove_cvref_t<F>, Y, P>, Y>(m, o, false);
  check(q, o, along);
  return forward_mode<M, std::remove_cvref_t<F>, Y, P>(q, m, o, along).run();
}

/// The same with events: s.events_dot is the derivative of their times.
template <method M, class F, class Y, class P, class... E>
pushed_solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                         const event_list<E...>& events, const tangents<Y, P>& along) {
  validate(q, m, o, events);
  validate_cuts<M, system<std::remove_cvref_t<F>, Y, P>, Y>(m, o, true);
  check(q, o, along);
  return forward_mode<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(q, m, o, along, events)
      .run();
}

}  // namespace revode
