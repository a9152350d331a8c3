// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

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
        state_bar_(this->state()),
        y_bar_(q.y0),
        p_bar_(q.p),
        seeds_(make_like<seeds_type>(q.y0)) {}

  /// Sets all cotangents: those of the solution as given, those of its inputs 0.
  void seed(const cotangents<Y>& w) {
    weights_ = &w;
    fill(state_bar_, scalar(0));
    fill(y_bar_, scalar(0));
    fill(p_bar_, scalar(0));
    t0_bar_ = t1_bar_ = start_bar_ = 0;
    event_weights_ = w.events.empty() ? nullptr : w.events.data() + w.events.size();
    known_bar_.assign(this->stretches().known_count(), 0.0);
    const std::size_t listed = this->saved();
    ts_bar_.assign(listed, 0.0);
    next_save_ = w.ys.empty() ? 0 : listed;
    uncut(this->stretches().cut_count());
    if (w.y) pull_value(this->scheme(), *w.y, state_bar_);
    if (!w.ys.empty() && this->save_points().t1)
      pull_value(this->scheme(), w.ys.back(), state_bar_);
    if (is_multistep_v<M> && this->count() > 0)
      t1_bar_ = along_solution(this->t1(), value(this->scheme(), this->state()),
                               push_value(this->scheme(), state_bar_));
    else if (last_cut_ == this->count() - 1 && this->status() == status::success)
      seed_cut_at_end();
  }

  [[gnu::noinline]] void pull_step(index i, const tape_type& tape) {
    if (i >= quiet_from_ && i < quiet_to_)
      pull(this->scheme(), this->sys(), tape.t, tape.t_new, tape.record, tape.stages,
           this->scratch(), no_seeds, state_bar_, p_bar_, no_ends);
    else
      pull_any_step(i, tape);
  }

  /// Ends the reverse pass: the cotangents of the inputs.
  gradient<Y, P> finish() {
    const double t0 = this->t0();
    if (last_cut_ == -1 && this->stretches().cut_at(0).begins) {
      pull_cut_at_start();
    } else if (this->count() == 0) {
      copy(push_value(this->scheme(), state_bar_), y_bar_);
      t1_bar_ = along_solution(t0, this->y0(), y_bar_);  // moving an end makes a step
      t0_bar_ = -t1_bar_;
      for (std::size_t k = 0; k < this->saved() && !weights_->ys.empty(); ++k) {
        ts_bar_[k] = along_solution(t0, this->y0(), weight(k));
        t0_bar_ -= ts_bar_[k];
      }
    } else {
      scalar t_bar(0);
      pull_begin(this->scheme(), this->sys(), t0, this->y0(), state_bar_, y_bar_, p_bar_, t_bar);
      if (is_multistep_v<M>)
        t0_bar_ = -along_solution(t0, this->y0(), y_bar_);
      else
        t0_bar_ += static_cast<double>(t_bar);
    }
    t0_bar_ += std::exchange(start_bar_, 0.0);  // of a cut at t0
    if (!weights_->ys.empty()) {
      const auto& points = this->save_points();
      if (points.t0) add(weights_->ys.front(), y_bar_);
      for (std::size_t k = 0; k < this->saved() && this->save_step(k) < 0; ++k)
        add(weight(k), y_bar_);
    }
    gradient<Y, P> g{.y0 = y_bar_, .p = p_bar_, .t0 = t0_bar_, .t1 = t1_bar_, .ts = ts_bar_};
    g.ts.resize(this->save_points().every > 0 ? 0 : this->save_points().ts.size());
    give_known_times(this->stretches(), this->stops(), this->discontinuities(), known_bar_, g);
    return g;
  }

  /// Bytes of x_n at rest.
  index snapshot_bytes() const {
    return footprint(typename base::snapshot_type{0, this->t0(), this->state(), this->memo()});
  }
  index work_bytes() const {
    return 2 * footprint(this->state()) + footprint(this->work_tape()) + footprint(seeds_) +
           footprint(state_bar_) + footprint(y_bar_) + footprint(p_bar_) +
           footprint(this->scratch()) + static_cast<index>(ts_bar_.size() * sizeof(double));
  }

 private:
  using seeds_type = typename base::types::seeds;
  static constexpr const seeds_type* no_seeds = nullptr;
  static constexpr step_ends<scalar>* no_ends = nullptr;

  /// A step with save points, a cut behind it, or ends that move.
  void pull_any_step(index i, const tape_type& tape) {
    step_ends<scalar> ends;
    seeded_ = extended_ = false;
    const bool is_cut = i == last_cut_;
    if (is_cut) pull_cut(tape, ends);
    if constexpr (base::event_set_type::moves_parameters)
      this->stretches().use_parameters(cuts_left_);
    if (next_save_ > 0) pull_save_points(i, tape, ends);
    const bool moves = !is_multistep_v<M> && (this->log().equal_steps() > 0 || is_cut || i == 0 ||
                                              i + 1 == this->count() || i - 1 == last_cut_);
    pull(this->scheme(), this->sys(), tape.t, tape.t_new, tape.record, tape.stages, this->scratch(),
         seeded_ ? &seeds_ : no_seeds, state_bar_, p_bar_, moves ? &ends : no_ends);
    if (moves) move_grid(i, tape, ends);
  }

  const Y& weight(std::size_t k) const {
    return weights_->ys[k + (this->save_points().t0 ? 1 : 0)];
  }

  /// The seeds of the step at hand.
  seeds_type* seeds() {
    if (!std::exchange(seeded_, true)) seeds_.clear();
    return &seeds_;
  }
  void extend_once(const tape_type& tape) {
    if (!std::exchange(extended_, true))
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
    while (next_save_ > 0 && (this->save_step(next_save_ - 1) == i || i == 0)) {
      const std::size_t k = --next_save_;
      const double ts = this->save_time(k);
      const bool at_end = t_new < t ? ts <= t_new : ts >= t_new;
      if (at_end) pull_value(this->scheme(), weight(k), state_bar_);
      if (this->save_points().every > 0) continue;
      if constexpr (has_dense_output_v<M>) {
        const double theta = (ts - t) / (t_new - t);
        const bool inside = !at_end && this->save_step(k) >= 0;
        ts_bar_[k] = pull_dense(tape, theta, weight(k), inside, ends);
      }
    }
  }

  /// The cuts from the k-th on have been pulled.
  void uncut(std::size_t k) {
    cuts_left_ = k;
    const auto& cuts = this->stretches();
    last_cut_ = k > 0 ? cuts.cut_at(k - 1).step : -2;
    const bool quiet = this->log().equal_steps() == 0 && next_save_ == 0 &&
                       !base::event_set_type::moves_parameters;
    quiet_from_ = std::max<index>(1, last_cut_ + 2);
    quiet_to_ = !quiet ? 0 : k < cuts.cut_count() ? cuts.cut_at(k).step : this->count() - 1;
  }

  /// Behind the cut after this step the next one began: back to the end of the step, or to a point
  /// of its dense output.
  [[gnu::noinline, gnu::cold]] void pull_cut(const tape_type& tape, step_ends<scalar>& ends) {
    const std::size_t k = cuts_left_ - 1;
    const cut& c = this->stretches().cut_at(k);
    if (!c.begins) {
      known_bar_[static_cast<std::size_t>(this->stretches().event(c.first).due)] +=
          std::exchange(start_bar_, 0.0);
      return uncut(k);
    }
    Y at_root = y_bar_;
    Y y_bar = pull_restart(k, tape, at_root);
    fill(state_bar_, scalar(0));
    const cut_event& first = this->stretches().event(c.first);
    if (first.due >= 0) {
      known_bar_[static_cast<std::size_t>(first.due)] += start_bar_;
      pull_value(this->scheme(), y_bar, state_bar_);
    } else if constexpr (has_dense_output_v<M>) {
      pull_root(c, first.which, tape, at_root, y_bar, ends);
    }
    start_bar_ = 0;
    uncut(k);
  }

  /// The start of the method behind a cut and its events, all but the time of the first; `before`
  /// becomes the state before that.
  [[gnu::noinline, gnu::cold]] Y pull_restart(std::size_t k, const tape_type& tape, Y& before) {
    auto& stretches = this->stretches();
    const cut& c = stretches.cut_at(k);
    const cut_states<base, Y, P> states(*this, k, tape);
    stretches.use_parameters(k + 1);
    Y y_bar = zero_like(y_bar_);
    scalar t_bar(0);
    pull_begin(this->scheme(), this->sys(), c.t, states.y.back(), state_bar_, y_bar, p_bar_, t_bar);
    start_bar_ += static_cast<double>(t_bar);
    start_bar_ =
        pull_chain<base>(*this, c, states, event_weights_, start_bar_, y_bar, p_bar_, known_bar_);
    before = states.y.front();
    stretches.use_parameters(k);
    return y_bar;
  }

  /// The time of a located event is the root of its condition on the dense output of this step.
  [[gnu::noinline, gnu::cold]] void pull_root(const cut& c, int which, const tape_type& tape,
                                              const Y& y, Y& y_bar, step_ends<scalar>& ends) {
    const double t = this->stretches().time_of(c, c.first);
    if (this->save_points().every > 0 && next_save_ > 0 && c.theta < 1 &&
        this->save_step(next_save_ - 1) == c.step)
      add(weight(--next_save_), y_bar);
    const auto g =
        gradient_of_condition(this->stretches(), which, t, y, this->stretches().parameters());
    step_ends<scalar> unused;
    const double rate = g.of_t + pull_dense(tape, c.theta, g.of_y, false, unused);
    const double moved = start_bar_ + pull_dense(tape, c.theta, y_bar, false, unused);
    const double by_root = rate != 0 ? -moved / rate : 0.0;
    axpy(static_cast<scalar>(by_root), g.of_y, y_bar);
    axpy(static_cast<scalar_t<P>>(by_root), g.of_p, p_bar_);
    pull_dense(tape, c.theta, y_bar, true, ends);
  }

  [[gnu::noinline, gnu::cold]] void pull_cut_at_start() {
    Y first = y_bar_;
    add(pull_restart(0, this->work_tape(), first), y_bar_);
  }

  /// t1 lies behind the last cut by a step of length 0.
  [[gnu::noinline, gnu::cold]] void seed_cut_at_end() {
    this->stretches().use_parameters(cuts_left_);
    const double along = along_solution(this->t1(), value(this->scheme(), this->state()),
                                        push_value(this->scheme(), state_bar_));
    t1_bar_ += along;
    start_bar_ -= along;
  }

  /// Step i's ends move with t0 and t1: all of them on an equidistant grid, else only the outer; and
  /// with the cuts.
  void move_grid(index i, const tape_type& tape, const step_ends<scalar>& ends) {
    const double a = static_cast<double>(ends.t), b = static_cast<double>(ends.t_new);
    const auto& stretches = this->stretches();
    const index n = this->log().equal_steps();
    const index first = i - (cuts_left_ > 0 ? stretches.cut_at(cuts_left_ - 1).extra : 0);
    const auto share = [n](index k) { return static_cast<double>(k) / static_cast<double>(n); };
    if (i - 1 == last_cut_) {
      start_bar_ += a;
    } else if (n > 0) {
      t0_bar_ += a * (1 - share(first));
      t1_bar_ += a * share(first);
    } else if (i == 0) {
      t0_bar_ += a;
    }
    const std::size_t due = cuts_left_ > 0 ? stretches.cut_at(cuts_left_ - 1).due : 0;
    if (due < stretches.known_count() && stretches.known(due).end == tape.t_new) {
      known_bar_[due] += b;
    } else if (n > 0) {
      t0_bar_ += b * (1 - share(first + 1));
      t1_bar_ += b * share(first + 1);
    } else if (tape.t_new == this->t1()) {
      t1_bar_ += b;
    }
  }

  /// wᵀf(t, y)
  double along_solution(double t, const Y& y, const Y& w) {
    Y slope = y;
    this->sys()(t, y, slope);
    return static_cast<double>(dot(slope, w));
  }

  state_type state_bar_;
  Y y_bar_;
  P p_bar_;
  [[no_unique_address]] seeds_type seeds_;
  const cotangents<Y>* weights_ = nullptr;
  std::vector<double> ts_bar_;
  std::size_t next_save_ = 0;
  double t0_bar_ = 0, t1_bar_ = 0;
  double start_bar_ = 0;                   // of the time at which the step behind a cut begins
  std::vector<double> known_bar_;          // of stops and timed events
  const double* event_weights_ = nullptr;  // past those of cuts not pulled yet; null: none
  std::size_t cuts_left_ = 0;
  index last_cut_ = -2;                  // the step before the last cut not pulled yet
  index quiet_from_ = 0, quiet_to_ = 0;  // steps between that are nothing but steps
  bool seeded_ = false, extended_ = false;
};

}  // namespace revode
