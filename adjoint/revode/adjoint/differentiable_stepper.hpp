// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/adjoint/gradient.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// A solve that can also be pulled back, step by step: the loop of every discrete adjoint.
template <class M, class F, class Y, class P>
class differentiable_stepper : public stepper<M, F, Y, P> {
 public:
  using base = stepper<M, F, Y, P>;
  using typename base::state_type;
  using typename base::tape_type;
  using scalar = scalar_t<Y>;

  template <class Field>
  differentiable_stepper(const problem<Field, Y, P>& q, const M& m, const options& o,
                         index log_bytes)
      : base(q, m, o, log_bytes),
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
    t0_bar_ = t1_bar_ = 0;
    const std::size_t listed = this->saved();
    ts_bar_.assign(listed, 0.0);
    next_save_ = listed;
    if (w.y) pull_value(this->scheme(), *w.y, state_bar_);
    if (!w.ys.empty() && this->save_points().t1)
      pull_value(this->scheme(), w.ys.back(), state_bar_);
    if (is_multistep_v<M> && this->count() > 0)
      t1_bar_ = along_solution(this->t1(), value(this->scheme(), this->state()),
                               push_value(this->scheme(), state_bar_));
  }

  void pull_step(index i, const tape_type& tape) {
    const double t = tape.t, t_new = tape.t_new;
    step_ends<scalar> ends;
    const seeds_type* seeds = nullptr;
    if constexpr (has_dense_output_v<M>) seeds = pull_save_points(i, t, t_new, tape.stages, ends);
    const bool moves =
        !is_multistep_v<M> && (this->log().equal_steps() > 0 || i == 0 || i + 1 == this->count());
    pull(this->scheme(), this->sys(), t, t_new, tape.record, tape.stages, this->scratch(), seeds,
         state_bar_, p_bar_, moves ? &ends : nullptr);
    if (moves) move_grid(i, ends);
  }

  /// Ends the reverse pass: the cotangents of the inputs.
  gradient<Y, P> finish() {
    const double t0 = this->t0();
    if (this->count() == 0) {
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
    if (!weights_->ys.empty()) {
      const auto& points = this->save_points();
      if (points.t0) add(weights_->ys.front(), y_bar_);
      for (std::size_t k = 0; k < this->saved() && this->save_step(k) < 0; ++k)
        add(weight(k), y_bar_);
    }
    return {.y0 = y_bar_, .p = p_bar_, .t0 = t0_bar_, .t1 = t1_bar_, .ts = ts_bar_};
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

  const Y& weight(std::size_t k) const {
    return weights_->ys[k + (this->save_points().t0 ? 1 : 0)];
  }

  /// The save points of step i (and, in step 0, those at t0): their cotangents become seeds or
  /// reach the new state, and their times' derivative is that of the interpolant.
  const seeds_type* pull_save_points(index i, double t, double t_new,
                                     const typename base::types::tape& tape,
                                     step_ends<scalar>& ends) {
    const seeds_type* seeded = nullptr;
    bool extended = false;
    while (next_save_ > 0 && !weights_->ys.empty() &&
           (this->save_step(next_save_ - 1) == i || i == 0)) {
      const std::size_t k = --next_save_;
      const double ts = this->save_points().ts[k], h = t_new - t;
      if (!std::exchange(extended, true))
        extend(this->scheme(), this->sys(), t, t_new, tape, this->scratch());
      const bool inside = ts != t && ts != t_new;
      if (inside && seeded == nullptr) {
        seeds_.clear();
        seeded = &seeds_;
      }
      const double theta = (ts - t) / h;
      interpolation_bar<scalar> bar;
      pull_interpolate(this->scheme(), t, t_new, tape, this->scratch(), theta, weight(k),
                       inside ? &seeds_ : nullptr, bar);
      if (ts == t_new) pull_value(this->scheme(), weight(k), state_bar_);
      const double theta_bar = static_cast<double>(bar.theta);
      const double h_bar = inside ? static_cast<double>(bar.h) : 0.0;
      ts_bar_[k] = theta_bar / h;
      ends.t += static_cast<scalar>((theta - 1) * theta_bar / h - h_bar);
      ends.t_new += static_cast<scalar>(-theta * theta_bar / h + h_bar);
    }
    return seeded;
  }

  /// Step i's ends move with t0 and t1: all of them on an equidistant grid, else only the outer.
  void move_grid(index i, const step_ends<scalar>& ends) {
    const double a = static_cast<double>(ends.t), b = static_cast<double>(ends.t_new);
    if (const index n = this->log().equal_steps(); n > 0) {
      const double from = static_cast<double>(i) / static_cast<double>(n);
      const double to = static_cast<double>(i + 1) / static_cast<double>(n);
      t0_bar_ += a * (1 - from) + b * (1 - to);
      t1_bar_ += a * from + b * to;
    } else {
      if (i == 0) t0_bar_ += a;
      if (i + 1 == this->count()) t1_bar_ += b;
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
};

}  // namespace revode
