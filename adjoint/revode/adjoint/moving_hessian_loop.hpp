// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <revode/adjoint/moving_loop.hpp>

namespace revode {

/// What a loss says over duals: see cotangents.
template <class Y>
struct moving_cotangents {
  Y y;
  std::vector<Y> ys{};
  std::vector<scalar_t<Y>> events{};
};

/// The reverse pass of a moving loop: differentiable_stepper's, of which every number is a dual, so
/// that what comes out has the derivative of the gradient. Within a step times are those of its field
/// and run `pace` times slower than they do outside.
template <class M, class F, class Y, class P, class Solve, class Events>
class moving_hessian_loop : public moving_loop<M, F, Y, P, Solve, Events> {
 public:
  using base = moving_loop<M, F, Y, P, Solve, Events>;
  using typename base::number;
  using typename base::scalar;
  using typename base::tape_type;

  /// What the loss gets.
  struct pulled {
    Y y0;
    P p;
    scalar t0{0}, t1{0};
    std::vector<scalar> ts{}, stops{}, events{};
    std::vector<std::vector<scalar>> times{};
    revode::status ended = revode::status::success;
  };

  template <class... Arguments>
  moving_hessian_loop(const save_at& points, const Y& y0, const P& p, Arguments&&... arguments)
      : base(y0, p, std::forward<Arguments>(arguments)...),
        points_(points),
        state_bar_(zero_like(y0)),
        seeds_(make_like<seeds_type>(y0)),
        g_{zero_like(y0), zero_like(p)} {}

  /// Starts a reverse pass, of which there is one; w must outlive it.
  void seed(const moving_cotangents<Y>& w) {
    weights_ = &w;
    events_left_ = w.events.empty() ? nullptr : w.events.data() + w.events.size();
    next_save_ = w.ys.empty() ? 0 : ts_.size();
    cuts_left_ = cuts_.cut_count();
    known_bar_.assign(cuts_.known_count(), scalar(0));
    g_.ts.assign(points_.ts.size(), scalar(0));
    add(w.y, state_bar_);
    if (!w.ys.empty() && points_.t1) add(w.ys.back(), state_bar_);
    if (this->flows_to_end()) pull_end();
    bool finite = all_finite(w.y) && all_finite(w.events);
    for (const Y& y : w.ys) finite = finite && all_finite(y);
    if (!finite) report(sys_, status::non_finite_gradient);
  }

  void pull_step(index i, const tape_type& tape) {
    step_ends<scalar> ends;
    seeded_ = false;
    this->enter(i);
    const bool starts = this->cut_behind(i - 1), is_cut = this->cut_behind(i);
    if (is_cut) pull_cut(tape, ends);
    this->enter(i);
    const scalar pace = field_.pace();
    if (next_save_ > 0) pull_save_points(i, tape, pace, ends);
    const bool moves = this->equal() || is_cut || starts || i == 0 || i + 1 == this->count();
    pull(method_, sys_, tape.t, tape.t_new, tape.record, tape.stages, scratch_,
         seeded_ ? &seeds_ : nullptr, state_bar_, g_.p, moves ? &ends : nullptr);
    if (moves) move_grid(i, ends.t / pace, ends.t_new / pace);
    if (i % 16 == 0 && !(all_finite(state_bar_) && all_finite(g_.p)))
      report(sys_, status::non_finite_gradient);
  }
  bool pulled_in_vain(index) const { return sys_.counts.trouble != status::success; }

  /// Ends it: the cotangents of the inputs.
  pulled& finish() {
    g_.ended = sys_.counts.trouble;
    if (g_.ended == status::success) pull_start();
    give_known_times(cuts_, solve_.stops(), solve_.discontinuities(), known_bar_, g_);
    return g_;
  }

 private:
  using base::cuts_, base::field_, base::method_, base::scratch_, base::solve_, base::sys_,
      base::t1_, base::ts_;
  using typename base::types;
  using seeds_type = typename types::seeds;

  /// Back over the start of the method to the inputs.
  void pull_start() {
    if (cuts_left_ > 0 && cuts_.cut_at(0).step < 0 && cuts_.cut_at(0).begins)
      pull_restart(0, this->tape_, g_.y0);
    else
      add(state_bar_, g_.y0);
    g_.t0 += std::exchange(start_bar_, scalar(0));
    if (!weights_->ys.empty()) {
      if (points_.t0) add(weights_->ys.front(), g_.y0);
      for (std::size_t k = 0; k < ts_.size() && solve_.save_step(k) < 0; ++k) add(weight(k), g_.y0);
    }
  }

  const Y& weight(std::size_t k) const { return weights_->ys[k + (points_.t0 ? 1 : 0)]; }

  /// As moving_place::pull_at for a time that stands still, into the step's seeds; returns
  /// y_barᵀ dy/dt, of the step's own time.
  scalar pull_dense(const tape_type& tape, const scalar& theta, const Y& y_bar, bool whole,
                    step_ends<scalar>& ends) {
    this->extend_once(tape);
    const bool seeding = whole || theta.d[0] != 0;
    if (seeding && !std::exchange(seeded_, true)) seeds_.clear();
    const scalar h(static_cast<number>(tape.t_new - tape.t));
    const auto bar = moving_place<M, Y>(theta).pull_at(method_, tape, scratch_, y_bar,
                                                       seeding ? &seeds_ : nullptr, whole);
    ends.t += (theta - 1) * bar.theta / h - bar.h;
    ends.t_new += bar.h - theta * bar.theta / h;
    return bar.theta / h;
  }
  /// y_barᵀ dy/dt alone.
  scalar rate_of(const tape_type& tape, const scalar& theta, const Y& y_bar) {
    this->extend_once(tape);
    seeds_type* const none = nullptr;
    const scalar h(static_cast<number>(tape.t_new - tape.t));
    return moving_place<M, Y>(theta).pull_at(method_, tape, scratch_, y_bar, none, false).theta / h;
  }

  void pull_save_points(index i, const tape_type& tape, const scalar& pace,
                        step_ends<scalar>& ends) {
    while (next_save_ > 0 && (solve_.save_step(next_save_ - 1) == i || i == 0)) {
      const std::size_t k = --next_save_;
      if (this->at_end(k, tape)) add(weight(k), state_bar_);
      if constexpr (has_dense_output_v<M>) {
        const scalar theta = this->place_of(i, ts_[k]);
        g_.ts[k] = pull_dense(tape, theta, weight(k), this->is_inside(k, tape), ends) / pace;
      }
    }
  }

  void pull_cut(const tape_type& tape, step_ends<scalar>& ends) {
    const std::size_t k = cuts_left_ - 1;
    const cut& c = cuts_.cut_at(k);
    const cut_event& first = cuts_.event(c.first);
    if (c.begins) {
      Y y_bar = zero_like(state_bar_);
      const Y before = pull_restart(k, tape, y_bar);
      fill(state_bar_, scalar(0));
      if (first.due >= 0) {
        add(y_bar, state_bar_);
      } else if constexpr (has_dense_output_v<M>) {
        this->enter(c.step);
        pull_root(k, tape, before, y_bar, ends);
      }
    }
    if (first.due >= 0) known_bar_[static_cast<std::size_t>(first.due)] += start_bar_;
    start_bar_ = scalar(0);
    --cuts_left_;
  }
  /// The start behind the k-th cut and its events, all but the time of the first.
  Y pull_restart(std::size_t k, const tape_type& tape, Y& y_bar) {
    const cut& c = cuts_.cut_at(k);
    const auto states = this->states_of(k, tape);
    cuts_.use_parameters(k + 1);
    this->move_with(cuts_.start(k));
    pull_begin(method_, sys_, c.t, states.y.back(), state_bar_, y_bar, g_.p, start_bar_);
    start_bar_ =
        pull_chain<base>(*this, c, states, events_left_, start_bar_, y_bar, g_.p, known_bar_);
    cuts_.use_parameters(k);
    return states.y.front();
  }
  void pull_root(std::size_t k, const tape_type& tape, const Y& y, Y& y_bar,
                 step_ends<scalar>& ends) {
    const cut& c = cuts_.cut_at(k);
    const scalar pace = field_.pace(), theta = cuts_.root(k);
    const auto g = gradient_of_condition(cuts_, cuts_.event(c.first).which, cuts_.time_of(c.first),
                                         y, cuts_.parameters());
    const scalar rate = g.of_t + rate_of(tape, theta, g.of_y) / pace;
    const scalar moved = start_bar_ + rate_of(tape, theta, y_bar) / pace;
    const scalar by_root = rate.value != 0 ? -moved / rate : scalar(0);
    axpy(by_root, g.of_y, y_bar);
    axpy(by_root, g.of_p, g_.p);
    pull_dense(tape, theta, y_bar, true, ends);
  }

  /// t1 lies behind the last cut by a step of length 0.
  void pull_end() {
    cuts_.use_parameters(cuts_left_);
    const Y y = this->end();
    Y slope = y;
    slope_at(*this, t1_, y, slope);
    const scalar along = dot(slope, state_bar_);
    g_.t1 += along;
    start_bar_ -= along;
    base::pull_flow(this->left_at_end(), solve_.t1(), y, start_bar_, state_bar_, g_.p);
  }

  /// See differentiable_stepper::move_grid.
  void move_grid(index i, const scalar& a, const scalar& b) {
    const auto on_grid = [&](index at, const scalar& bar) {
      const auto s = static_cast<number>(this->share(at, this->last_cut(i)));
      g_.t0 += bar * (1 - s);
      g_.t1 += bar * s;
    };
    if (this->cut_behind(i - 1))
      start_bar_ += a;
    else if (this->equal())
      on_grid(i, a);
    else if (i == 0)
      g_.t0 += a;
    std::size_t due = 0;
    if (this->ends_known(i, due))
      known_bar_[due] += b;
    else if (this->equal())
      on_grid(i + 1, b);
    else if (this->step_at(i).t_new == solve_.t1())
      g_.t1 += b;
  }

  const save_at& points_;
  Y state_bar_;
  [[no_unique_address]] seeds_type seeds_;
  pulled g_;
  const moving_cotangents<Y>* weights_ = nullptr;
  const scalar* events_left_ = nullptr;
  std::vector<scalar> known_bar_;
  scalar start_bar_{0};  // of the time at which the step behind a cut begins
  std::size_t next_save_ = 0, cuts_left_ = 0;
  bool seeded_ = false;
};

}  // namespace revode
