// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include <revode/adjoint/course/carried_cotangents.hpp>
#include <revode/adjoint/course/cut_adjoint.hpp>
#include <revode/adjoint/course/pull_start.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/solve/course/ends.hpp>

namespace revode {

/// The cotangents of one loss on their way back along the course of a solve: through its steps, save
/// points, cuts and the times that these move with, to the inputs. `Loop` is what retraces the course: the
/// stepper itself, of whose times double is the type, or a moving_loop, whose times are duals like its
/// states, so that what comes out has the derivative of the gradient.
template <class M, class Y, class P, class Loop>
class pull_course {
 public:
  using tape_type = typename Loop::tape_type;
  using scalar = scalar_t<Y>;
  using time = event_time_t<scalar>;
  using time_bar = time_bar_t<Y, time>;
  using ends_bar = step_ends<time_bar_t<Y>>;  // by a step's own time

  pull_course(Loop& loop, const typename Loop::state_type& state_like, const Y& y_like,
              const P& p_like)
      : loop_(&loop),
        now_(loop.scheme(), state_like, y_like, p_like) {}

  /// Sets all cotangents: those of the solution as given, those of its inputs 0.
  void seed(const cotangents<Y>& w) {
    if (!all_finite(w)) report(loop_->sys(), status::non_finite_gradient);
    now_.begin(w, course().saved(), cuts().known_count());
    uncut(cuts().cut_count());
    const bool saved_end = !w.ys.empty() && course().save_points().t1;
    if (w.y) pull_value(loop_->scheme(), *w.y, now_.state);
    if (saved_end) pull_value(loop_->scheme(), w.ys.back(), now_.state);
    if (course().status() != status::success) return;
    if (is_multistep_v<M> && course().count() > 0)
      now_.t1 = along_solution(*loop_, at_t1(), end(), push_value(loop_->scheme(), now_.state));
    else if (now_.last_cut == course().count() - 1)
      seed_cut_at_end();
  }

  [[gnu::noinline]] void pull_step(index i, const tape_type& tape) {
    if (i >= now_.quiet_from && i < now_.quiet_to) {
      pull(loop_->scheme(), loop_->sys(), tape.t, tape.t_new, tape.record, tape.stages,
           loop_->scratch(), no_seeds, now_.state, now_.p, no_ends);
    } else {
      bool extended = false;
      pull_any_step(i, tape, gather(i, tape, extended));
    }
  }

  /// The first half of pull_step, a cut behind the step and its save points. `extended`: it has dense output.
  ends_bar gather(index i, const tape_type& tape, bool& extended) {
    ends_bar ends;
    now_.seeded = false;
    extended_ = &extended;
    enter(i);
    if (i == now_.last_cut) pull_cut(tape, ends);
    if constexpr (Loop::event_set_type::moves_parameters) cuts().use_parameters(now_.cuts_left);
    enter(i);
    if (now_.next_save > 0) pull_save_points(i, tape, ends);
    return ends;
  }
  /// The second, the step itself.
  void pull_any_step(index i, const tape_type& tape, ends_bar ends) {
    const index equal = course().equal_steps();
    const bool cut_behind = now_.pulled_cut == i;
    const bool moves = !is_multistep_v<M> && (equal > 0 || cut_behind || i == 0 ||
                                              i + 1 == course().count() || i - 1 == now_.last_cut);
    pull(loop_->scheme(), loop_->sys(), tape.t, tape.t_new, tape.record, tape.stages,
         loop_->scratch(), now_.seeded ? &now_.seeds : no_seeds, now_.state, now_.p,
         moves ? &ends : no_ends);
    if (!moves) return;
    const auto [from, to] =
        ends_of_step(course().stretches(), now_.cuts_left, equal, i, tape.t_new, course().t1());
    from.give(outside(ends.t), now_.t0, now_.t1, now_.start, now_.known);
    to.give(outside(ends.t_new), now_.t0, now_.t1, now_.start, now_.known);
  }

  /// Looks every 16 steps whether the cotangents are finite: by numbers of steps, so that a reverse
  /// pass ends where it does whatever the schedule.
  bool pulled_in_vain(index i) {
    if (!is_spread_v<Y> && i % 16 == 0) look_at_cotangents();
    return failed();
  }

  /// Ends the reverse pass: the cotangents of the inputs, and what was reported on the way.
  gradient<Y, P> finish() {
    if (!failed()) pull_start();
    gradient<Y, P> g{.y0 = now_.y, .p = now_.p};
    g.status = loop_->sys().counts.trouble;
    pull_known_times(cuts(), now_.known, g.p);
    if constexpr (is_spread_v<Y>)
      give_times(cuts(), course(),
                 whole<Y>::close(carried_times<time_bar>{now_.t0, now_.t1, now_.ts, now_.known}, g),
                 g);
    else
      give_times(cuts(), course(), now_, g);
    return g;
  }

  index bytes() const { return now_.bytes(); }

 private:
  friend struct kept_parts;
  using seeds_type = typename method_types<M, Y>::seeds;
  static constexpr const seeds_type* no_seeds = nullptr;
  static constexpr ends_bar* no_ends = nullptr;
  static constexpr bool times_move = differentiable<time>;
  // What the times of the loop are: numbers, or duals that move with its inputs.
  const auto& course() const {
    if constexpr (requires { loop_->course(); })
      return loop_->course();
    else
      return *loop_;
  }
  void enter(index i) {
    if constexpr (times_move) loop_->enter(i);
  }
  /// A cotangent by a step's own time as one by times outside.
  template <class Bar>
  time_bar outside(const Bar& bar) const {
    if constexpr (times_move)
      return bar / loop_->pace();
    else
      return static_cast<time_bar>(bar);
  }
  time at_t0() const {
    if constexpr (times_move)
      return loop_->at_t0();
    else
      return course().t0();
  }
  time at_t1() const {
    if constexpr (times_move)
      return loop_->at_t1();
    else
      return course().t1();
  }
  /// θ of the k-th save point in step i; of the k-th cut.
  time place(index i, std::size_t k, const tape_type& tape) const {
    if constexpr (times_move)
      return loop_->place_of(i, loop_->save_time(k));
    else
      return (course().save_time(k) - tape.t) / (tape.t_new - tape.t);
  }
  time root(const cut& c, std::size_t k) {
    if constexpr (times_move)
      return cuts().root(k);
    else
      return c.theta;
  }
  static bool moves(const time& theta) {
    if constexpr (times_move) return theta.d[0] != 0;
    return false;
  }
  /// y(t1), behind everything.
  Y end() {
    if constexpr (times_move)
      return loop_->end();
    else
      return value(loop_->scheme(), loop_->state());
  }
  auto states_of(std::size_t k, const tape_type& tape) {
    if constexpr (times_move)
      return loop_->states_of(k, tape);
    else
      return cut_states<Loop, Y, P>(*loop_, k, tape);
  }

  auto& cuts() { return loop_->stretches(); }
  /// Ranks that hold a spread state go through all of a pass together, and are told how it ended behind it.
  bool failed() const { return !is_spread_v<Y> && loop_->sys().counts.trouble != status::success; }
  [[gnu::noinline]] void look_at_cotangents() {
    if (!(has_finite_parts(now_.state) && all_finite(now_.p)))
      report(loop_->sys(), status::non_finite_gradient);
  }

  /// Back over the start of the method to the inputs.
  void pull_start() {
    const auto along = [this](const Y& w) {
      return along_solution(*loop_, at_t0(), loop_->y0(), w);
    };
    std::optional<Y> bar;  // of the state before a cut at t0
    if (cuts().begins_at_start()) {
      bool extended = false;
      extended_ = &extended;
      Y first = now_.y;
      bar = pull_restart(0, loop_->work_tape(), first);
      fill(now_.state, scalar(0));
    }
    if constexpr (times_move) loop_->move_with(at_t0());
    if constexpr (is_massive_v<std::remove_cvref_t<decltype(loop_->sys())>>)
      pull_massive_start(*loop_, course(), bar, along, now_);
    else
      pull_plain_start(*loop_, course(), bar, along, now_);
    now_.t0 += std::exchange(now_.start, time_bar(0));  // of a cut at t0
  }
  const Y& weight(std::size_t k) const { return now_.weight(course(), k); }

  /// The seeds of the step at hand.
  seeds_type* seeds() {
    if (!std::exchange(now_.seeded, true)) now_.seeds.clear();
    return &now_.seeds;
  }
  void extend_once(const tape_type& tape) {
    if (!std::exchange(*extended_, true))
      extend(loop_->scheme(), loop_->sys(), tape.t, tape.t_new, tape.stages, loop_->scratch());
  }
  /// Takes y_bar of dense output at θ to the seeds (unless `whole` is false, and θ stands still) and to
  /// the ends of the step. Returns y_barᵀ dy/dt, by the step's own time.
  time_bar pull_point(const tape_type& tape, const time& theta, const Y& y_bar, bool whole,
                      ends_bar& ends) {
    extend_once(tape);
    return pull_dense(loop_->scheme(), tape.t, tape.t_new, tape.stages, loop_->scratch(), theta,
                      y_bar, whole || moves(theta) ? seeds() : nullptr, whole, ends);
  }
  /// The save points of step i (and, in step 0, those at t0): their cotangents become seeds or
  /// reach the new state, and their times' derivative is that of the interpolant.
  void pull_save_points(index i, const tape_type& tape, ends_bar& ends) {
    while (now_.next_save > 0 && (course().save_step(now_.next_save - 1) == i || i == 0)) {
      const std::size_t k = --now_.next_save;
      const double ts = course().save_time(k);
      const bool at_end = tape.t_new < tape.t ? ts <= tape.t_new : ts >= tape.t_new;
      if (at_end) pull_value(loop_->scheme(), weight(k), now_.state);
      if (course().save_points().every > 0) continue;
      if (course().save_step(k) < 0 && cuts().begins_at_start()) continue;  // pull_start.hpp
      if constexpr (has_dense_output_v<M>) {
        const bool inside = !at_end && course().save_step(k) >= 0;
        now_.ts[k] = outside(pull_point(tape, place(i, k, tape), weight(k), inside, ends));
      }
    }
  }

  /// The cuts from the k-th on have been pulled.
  void uncut(std::size_t k) {
    now_.cuts_left = k;
    now_.last_cut = k > 0 ? cuts().cut_at(k - 1).step : -2;
    const bool quiet = !times_move && course().equal_steps() == 0 && now_.next_save == 0 &&
                       !Loop::event_set_type::moves_parameters;
    now_.quiet_from = std::max<index>(1, now_.last_cut + 2);
    now_.quiet_to = !quiet                   ? 0
                    : k < cuts().cut_count() ? cuts().cut_at(k).step
                                             : course().count() - 1;
  }

  /// Behind the cut after this step the next one began: back to the end of the step, or to a point
  /// of its dense output.
  [[gnu::noinline, gnu::cold]] void pull_cut(const tape_type& tape, ends_bar& ends) {
    const std::size_t k = now_.cuts_left - 1;
    const cut& c = cuts().cut_at(k);
    now_.pulled_cut = c.step;
    const cut_event& first = cuts().event(c.first);
    if (c.begins) {
      Y at_root = now_.y;
      Y y_bar = pull_restart(k, tape, at_root);
      fill(now_.state, scalar(0));
      if (is_multistep_v<M> && first.due >= 0)
        now_.start += along_solution(*loop_, time(c.end), at_root, y_bar);
      if (first.due >= 0)
        pull_value(loop_->scheme(), y_bar, now_.state);
      else if constexpr (has_dense_output_v<M>)
        pull_root(c, k, tape, at_root, y_bar, ends);
    }
    if (first.due >= 0) now_.known[static_cast<std::size_t>(first.due)] += now_.start;
    now_.start = time_bar(0);
    uncut(k);
  }

  /// The start of the method behind a cut and its events, all but the time of the first; `before`
  /// becomes the state before that.
  [[gnu::noinline, gnu::cold]] Y pull_restart(std::size_t k, const tape_type& tape, Y& before) {
    const cut& c = cuts().cut_at(k);
    const auto states = states_of(k, tape);
    cuts().use_parameters(k + 1);
    if constexpr (times_move) loop_->move_with(cuts().start(k));
    Y y_bar = zero_like(now_.y);
    time_bar_t<Y> t_bar(0);
    pull_begin(loop_->scheme(), loop_->sys(), c.t, states.y.back(), now_.state, y_bar, now_.p,
               t_bar);
    if (is_multistep_v<M> && goes_on_behind(c, course()))  // its steps stand still
      now_.start -= along_solution(*loop_, time(c.t), states.y.back(), y_bar);
    else
      now_.start += static_cast<time_bar>(t_bar);
    now_.start = pull_chain<Loop>(*loop_, c, states, now_.event_weights, now_.start, y_bar, now_.p,
                                  now_.known);
    before = states.y.front();
    cuts().use_parameters(k);
    return y_bar;
  }

  /// The time of a located event is the root of its condition on the dense output of this step.
  [[gnu::noinline, gnu::cold]] void pull_root(const cut& c, std::size_t k, const tape_type& tape,
                                              const Y& y, Y& y_bar, ends_bar& ends) {
    if (course().save_points().every > 0 && now_.next_save > 0 && c.theta < 1 &&
        course().save_step(now_.next_save - 1) == c.step)
      add(weight(--now_.next_save), y_bar);
    enter(c.step);
    const time theta = root(c, k);
    const auto g = gradient_of_condition(cuts(), cuts().event(c.first).which,
                                         cuts().time_of(c, c.first), y, cuts().parameters());
    extend_once(tape);
    const auto [rate, moved] = rates_at_root(*loop_, tape, theta, g, y_bar, now_.start);
    const time by_root = value_of(rate) != 0 ? -moved / rate : time(0);
    axpy(static_cast<scalar>(by_root), g.of_y, y_bar);
    axpy(static_cast<scalar_t<P>>(by_root), g.of_p, now_.p);
    pull_point(tape, theta, y_bar, true, ends);
  }

  /// t1 lies behind the last cut by a step of length 0.
  [[gnu::noinline, gnu::cold]] void seed_cut_at_end() {
    cuts().use_parameters(now_.cuts_left);
    const Y y = end();
    const time_bar along =
        along_solution(*loop_, at_t1(), y, push_value(loop_->scheme(), now_.state));
    now_.t1 += along;
    now_.start -= along;
    if constexpr (times_move && std::is_same_v<typename Loop::state_type, Y>)
      loop_->pull_flow_to_end(y, now_.start, now_.state, now_.p);
  }

  Loop* loop_;
  bool* extended_ = nullptr;
  carried_cotangents<M, Y, P> now_;
};

}  // namespace revode
