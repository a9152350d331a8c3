// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/adjoint/carried_cotangents.hpp>
#include <revode/adjoint/cut_adjoint.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// A solve that can also be pulled back, step by step: the loop of every discrete adjoint.
template <class M, class F, class Y, class P, class Events = no_events>
class differentiable_stepper : public stepper<M, F, Y, P, Events> {
 public:
  using base = stepper<M, F, Y, P, Events>;
  using typename base::state_type;
  using typename base::tape_type;
  using scalar = scalar_t<Y>;

  template <class Field>
  differentiable_stepper(const problem<Field, Y, P>& q, const M& m, const options& o,
                         index log_bytes, const Events& events = {})
      : base(q, m, o, log_bytes, events),
        now_(this->state(), q.y0, q.p) {}

  /// Sets all cotangents: those of the solution as given, those of its inputs 0.
  void seed(const cotangents<Y>& w) {
    this->sys().counts.trouble = all_finite(w) ? status::success : status::non_finite_gradient;
    now_.weights = &w;
    fill(now_.state, scalar(0));
    fill(now_.y, scalar(0));
    fill(now_.p, scalar(0));
    now_.t0 = now_.t1 = now_.start = 0;
    now_.event_weights = w.events.empty() ? nullptr : w.events.data() + w.events.size();
    now_.known.assign(this->stretches().known_count(), 0.0);
    const std::size_t listed = this->saved();
    now_.ts.assign(listed, 0.0);
    now_.next_save = w.ys.empty() ? 0 : listed;
    uncut(this->stretches().cut_count());
    if (w.y) pull_value(this->scheme(), *w.y, now_.state);
    if (!w.ys.empty() && this->save_points().t1)
      pull_value(this->scheme(), w.ys.back(), now_.state);
    if (is_multistep_v<M> && this->count() > 0)
      now_.t1 = along_solution(this->t1(), value(this->scheme(), this->state()),
                               push_value(this->scheme(), now_.state));
    else if (now_.last_cut == this->count() - 1 && this->status() == status::success)
      seed_cut_at_end();
  }

  [[gnu::noinline]] void pull_step(index i, const tape_type& tape) {
    if (i >= now_.quiet_from && i < now_.quiet_to)
      pull(this->scheme(), this->sys(), tape.t, tape.t_new, tape.record, tape.stages,
           this->scratch(), no_seeds, now_.state, now_.p, no_ends);
    else
      pull_any_step(i, tape);
  }

  /// Looks every 16 steps whether the cotangents are finite: by numbers of steps, so that a reverse
  /// pass ends where it does whatever the schedule.
  bool pulled_in_vain(index i) {
    if (i % 16 == 0) look_at_cotangents();
    return failed();
  }

  /// Ends the reverse pass: the cotangents of the inputs.
  gradient<Y, P> finish() {
    if (!failed()) pull_start();
    gradient<Y, P> g{.y0 = now_.y, .p = now_.p, .t0 = now_.t0, .t1 = now_.t1, .ts = now_.ts};
    g.ts.resize(this->save_points().every > 0 ? 0 : this->save_points().ts.size());
    give_known_times(this->stretches(), this->stops(), this->discontinuities(), now_.known, g);
    settle(this->sys_.counts.trouble, g);
    return g;
  }

  /// Bytes of x_n at rest.
  index snapshot_bytes() const {
    return footprint(typename base::snapshot_type{0, this->t0(), this->state(), this->memo()});
  }
  index work_bytes() const {
    return 2 * footprint(this->state()) + footprint(this->work_tape()) + now_.bytes() +
           footprint(this->scratch());
  }

 private:
  using seeds_type = typename base::types::seeds;
  static constexpr const seeds_type* no_seeds = nullptr;
  static constexpr step_ends<scalar>* no_ends = nullptr;

  bool failed() const { return this->sys_.counts.trouble != status::success; }
  [[gnu::noinline]] void look_at_cotangents() {
    if (!(has_finite_parts(now_.state) && all_finite(now_.p)))
      report(this->sys(), status::non_finite_gradient);
  }

  /// Back over the start of the method to the inputs.
  void pull_start() {
    const double t0 = this->t0();
    if (now_.last_cut == -1 && this->stretches().cut_at(0).begins) {
      pull_cut_at_start();
    } else if (this->count() == 0) {
      copy(push_value(this->scheme(), now_.state), now_.y);
      now_.t1 = along_solution(t0, this->y0(), now_.y);  // moving an end makes a step
      now_.t0 = -now_.t1;
      for (std::size_t k = 0; k < this->saved() && !now_.weights->ys.empty(); ++k) {
        now_.ts[k] = along_solution(t0, this->y0(), weight(k));
        now_.t0 -= now_.ts[k];
      }
    } else {
      scalar t_bar(0);
      pull_begin(this->scheme(), this->sys(), t0, this->y0(), now_.state, now_.y, now_.p, t_bar);
      if (is_multistep_v<M>)
        now_.t0 = -along_solution(t0, this->y0(), now_.y);
      else
        now_.t0 += static_cast<double>(t_bar);
    }
    now_.t0 += std::exchange(now_.start, 0.0);  // of a cut at t0
    if (!now_.weights->ys.empty()) {
      const auto& points = this->save_points();
      if (points.t0) add(now_.weights->ys.front(), now_.y);
      for (std::size_t k = 0; k < this->saved() && this->save_step(k) < 0; ++k)
        add(weight(k), now_.y);
    }
  }

  /// A step with save points, a cut behind it, or ends that move.
  void pull_any_step(index i, const tape_type& tape) {
    step_ends<scalar> ends;
    now_.seeded = now_.extended = false;
    const bool is_cut = i == now_.last_cut;
    if (is_cut) pull_cut(tape, ends);
    if constexpr (base::event_set_type::moves_parameters)
      this->stretches().use_parameters(now_.cuts_left);
    if (now_.next_save > 0) pull_save_points(i, tape, ends);
    const bool moves = !is_multistep_v<M> && (this->log().equal_steps() > 0 || is_cut || i == 0 ||
                                              i + 1 == this->count() || i - 1 == now_.last_cut);
    pull(this->scheme(), this->sys(), tape.t, tape.t_new, tape.record, tape.stages, this->scratch(),
         now_.seeded ? &now_.seeds : no_seeds, now_.state, now_.p, moves ? &ends : no_ends);
    if (moves) move_grid(i, tape, ends);
  }

  const Y& weight(std::size_t k) const {
    return now_.weights->ys[k + (this->save_points().t0 ? 1 : 0)];
  }

  /// The seeds of the step at hand.
  seeds_type* seeds() {
    if (!std::exchange(now_.seeded, true)) now_.seeds.clear();
    return &now_.seeds;
  }
  void extend_once(const tape_type& tape) {
    if (!std::exchange(now_.extended, true))
      extend(this->scheme(), this->sys(), tape.t, tape.t_new, tape.stages, this->scratch());
  }
  /// y_bar of dense output at θ, a time that stands still: to the seeds (unless null), and by the
  /// lengths of the step to `ends`. Returns y_barᵀ dy/dt.
  double pull_dense(const tape_type& tape, double theta, const Y& y_bar, bool seeding,
                    step_ends<scalar>& ends) {
    extend_once(tape);
    interpolation_bar<scalar> bar;
    pull_interpolate(this->scheme(), tape.t, tape.t_new, tape.stages, this->scratch(), theta, y_bar,
                     seeding ? seeds() : nullptr, bar);
    const double theta_bar = static_cast<double>(bar.theta), h = tape.t_new - tape.t;
    const double h_bar = seeding ? static_cast<double>(bar.h) : 0.0;
    ends.t += static_cast<scalar>((theta - 1) * theta_bar / h - h_bar);
    ends.t_new += static_cast<scalar>(-theta * theta_bar / h + h_bar);
    return theta_bar / h;
  }

  /// The save points of step i (and, in step 0, those at t0): their cotangents become seeds or
  /// reach the new state, and their times' derivative is that of the interpolant.
  void pull_save_points(index i, const tape_type& tape, step_ends<scalar>& ends) {
    const double t = tape.t, t_new = tape.t_new;
    while (now_.next_save > 0 && (this->save_step(now_.next_save - 1) == i || i == 0)) {
      const std::size_t k = --now_.next_save;
      const double ts = this->save_time(k);
      const bool at_end = t_new < t ? ts <= t_new : ts >= t_new;
      if (at_end) pull_value(this->scheme(), weight(k), now_.state);
      if (this->save_points().every > 0) continue;
      if constexpr (has_dense_output_v<M>) {
        const double theta = (ts - t) / (t_new - t);
        const bool inside = !at_end && this->save_step(k) >= 0;
        now_.ts[k] = pull_dense(tape, theta, weight(k), inside, ends);
      }
    }
  }

  /// The cuts from the k-th on have been pulled.
  void uncut(std::size_t k) {
    now_.cuts_left = k;
    const auto& cuts = this->stretches();
    now_.last_cut = k > 0 ? cuts.cut_at(k - 1).step : -2;
    const bool quiet = this->log().equal_steps() == 0 && now_.next_save == 0 &&
                       !base::event_set_type::moves_parameters;
    now_.quiet_from = std::max<index>(1, now_.last_cut + 2);
    now_.quiet_to = !quiet ? 0 : k < cuts.cut_count() ? cuts.cut_at(k).step : this->count() - 1;
  }

  /// Behind the cut after this step the next one began: back to the end of the step, or to a point
  /// of its dense output.
  [[gnu::noinline, gnu::cold]] void pull_cut(const tape_type& tape, step_ends<scalar>& ends) {
    const std::size_t k = now_.cuts_left - 1;
    const cut& c = this->stretches().cut_at(k);
    if (!c.begins) {
      now_.known[static_cast<std::size_t>(this->stretches().event(c.first).due)] +=
          std::exchange(now_.start, 0.0);
      return uncut(k);
    }
    Y at_root = now_.y;
    Y y_bar = pull_restart(k, tape, at_root);
    fill(now_.state, scalar(0));
    const cut_event& first = this->stretches().event(c.first);
    if (first.due >= 0) {
      now_.known[static_cast<std::size_t>(first.due)] += now_.start;
      pull_value(this->scheme(), y_bar, now_.state);
    } else if constexpr (has_dense_output_v<M>) {
      pull_root(c, first.which, tape, at_root, y_bar, ends);
    }
    now_.start = 0;
    uncut(k);
  }

  /// The start of the method behind a cut and its events, all but the time of the first; `before`
  /// becomes the state before that.
  [[gnu::noinline, gnu::cold]] Y pull_restart(std::size_t k, const tape_type& tape, Y& before) {
    auto& stretches = this->stretches();
    const cut& c = stretches.cut_at(k);
    const cut_states<base, Y, P> states(*this, k, tape);
    stretches.use_parameters(k + 1);
    Y y_bar = zero_like(now_.y);
    scalar t_bar(0);
    pull_begin(this->scheme(), this->sys(), c.t, states.y.back(), now_.state, y_bar, now_.p, t_bar);
    now_.start += static_cast<double>(t_bar);
    now_.start = pull_chain<base>(*this, c, states, now_.event_weights, now_.start, y_bar, now_.p,
                                  now_.known);
    before = states.y.front();
    stretches.use_parameters(k);
    return y_bar;
  }

  /// The time of a located event is the root of its condition on the dense output of this step.
  [[gnu::noinline, gnu::cold]] void pull_root(const cut& c, int which, const tape_type& tape,
                                              const Y& y, Y& y_bar, step_ends<scalar>& ends) {
    const double t = this->stretches().time_of(c, c.first);
    if (this->save_points().every > 0 && now_.next_save > 0 && c.theta < 1 &&
        this->save_step(now_.next_save - 1) == c.step)
      add(weight(--now_.next_save), y_bar);
    const auto g =
        gradient_of_condition(this->stretches(), which, t, y, this->stretches().parameters());
    step_ends<scalar> unused;
    const double rate = g.of_t + pull_dense(tape, c.theta, g.of_y, false, unused);
    const double moved = now_.start + pull_dense(tape, c.theta, y_bar, false, unused);
    const double by_root = rate != 0 ? -moved / rate : 0.0;
    axpy(static_cast<scalar>(by_root), g.of_y, y_bar);
    axpy(static_cast<scalar_t<P>>(by_root), g.of_p, now_.p);
    pull_dense(tape, c.theta, y_bar, true, ends);
  }

  [[gnu::noinline, gnu::cold]] void pull_cut_at_start() {
    Y first = now_.y;
    add(pull_restart(0, this->work_tape(), first), now_.y);
  }

  /// t1 lies behind the last cut by a step of length 0.
  [[gnu::noinline, gnu::cold]] void seed_cut_at_end() {
    this->stretches().use_parameters(now_.cuts_left);
    const double along = along_solution(this->t1(), value(this->scheme(), this->state()),
                                        push_value(this->scheme(), now_.state));
    now_.t1 += along;
    now_.start -= along;
  }

  /// Step i's ends move with t0 and t1: all of them on an equidistant grid, else only the outer; and
  /// with the cuts.
  void move_grid(index i, const tape_type& tape, const step_ends<scalar>& ends) {
    const double a = static_cast<double>(ends.t), b = static_cast<double>(ends.t_new);
    const auto& stretches = this->stretches();
    const index n = this->log().equal_steps();
    const index first = i - (now_.cuts_left > 0 ? stretches.cut_at(now_.cuts_left - 1).extra : 0);
    const auto share = [n](index k) { return static_cast<double>(k) / static_cast<double>(n); };
    if (i - 1 == now_.last_cut) {
      now_.start += a;
    } else if (n > 0) {
      now_.t0 += a * (1 - share(first));
      now_.t1 += a * share(first);
    } else if (i == 0) {
      now_.t0 += a;
    }
    const std::size_t due = now_.cuts_left > 0 ? stretches.cut_at(now_.cuts_left - 1).due : 0;
    if (due < stretches.known_count() && stretches.known(due).end == tape.t_new) {
      now_.known[due] += b;
    } else if (n > 0) {
      now_.t0 += b * (1 - share(first + 1));
      now_.t1 += b * share(first + 1);
    } else if (tape.t_new == this->t1()) {
      now_.t1 += b;
    }
  }

  /// wᵀf(t, y)
  double along_solution(double t, const Y& y, const Y& w) {
    Y slope = y;
    this->sys()(t, y, slope);
    return static_cast<double>(dot(slope, w));
  }

  carried_cotangents<M, Y, P> now_;
};

}  // namespace revode
