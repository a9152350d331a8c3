// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <revode/concepts.hpp>
#include <revode/problem.hpp>
#include <revode/solve/first_step.hpp>
#include <revode/solve/solution.hpp>
#include <revode/solve/step_log.hpp>
#include <revode/solve/system.hpp>

namespace revode {

/// One solve in progress: the loop whose body is an accepted step. The first time it passes a step
/// it attempts it until it is accepted; whenever it comes by again it replays it, bit for bit: a step
/// that the log knows without norm, test or controller, any other by its attempts, the rejected ones
/// included, from the controller's state in the snapshot.
/// Refers to the problem's field and parameters, which must outlive it.
template <class M, class F, class Y, class P>
class stepper {
 public:
  using types = method_types<M, Y>;
  using state_type = typename types::state;
  using tape_type = step_tape<M, Y>;
  using record_type = typename types::record;
  using snapshot_type = snapshot<M, Y>;
  using system_type = system<F, Y, P>;

  /// log_bytes  the most that the log may take (0: replays are the controller's); none: no replays
  template <class Field>
  stepper(const problem<Field, Y, P>& q, const M& m, const options& o,
          std::optional<index> log_bytes = {})
      : sys_(q.f, q.p),
        method_(m),
        options_(o),
        y0_(q.y0),
        t0_(q.t0),
        t1_(q.t1),
        direction_(q.t1 < q.t0 ? -1 : 1),
        log_(q.t0, q.t1, o.fixed_step > 0 ? fixed_step_count(q.t0, q.t1, o.fixed_step) : 0,
             o.step_rounding, log_bytes.value_or(0)),
        reversible_(log_bytes),
        remembers_(log_bytes.value_or(unbounded) != unbounded),
        carries_{make_carry<M>(q.y0), make_carry<M>(q.y0)},
        tape_(make_like<tape_type>(q.y0)),
        scratch_(make_like<typename types::scratch>(q.y0)),
        result_{.t = q.t0, .y = q.y0} {
    const std::size_t saved = o.save.ts.size() + (o.save.t0 ? 1 : 0) + (o.save.t1 ? 1 : 0);
    result_.ts.reserve(saved);
    result_.ys.reserve(saved);
    save_steps_.reserve(saved);
    start();
  }

  index position() const { return position_; }
  double time() const { return t_; }
  bool finished() const { return ended_ && position_ == count_; }

  void step(tape_type& tape) {
    if (ended_)
      replay_until(position_ + 1, tape);
    else if (log_.equal_steps() > 0)
      fixed_step(tape);
    else
      adaptive_step(tape);
  }

  void run(index to, tape_type& tape) {
    if (ended_) return replay_until(to < count_ ? to : count_, tape);
    while (position_ < to && !finished()) step(tape);
  }

  void save(std::optional<snapshot_type>& slot) const {
    save(slot, position_, t_, carries_[current_], control());
  }

  /// The carry that the step just accepted started from: the other one, until the next trial.
  void save_previous(std::optional<snapshot_type>& slot) const {
    REVODE_EXPECT(!ended_);
    save(slot, position_ - 1, t_before_, carries_[1 - current_], control_before_);
  }

  void load(const snapshot_type& s) {
    auto& c = carries_[current_];
    position_ = s.step;
    t_ = s.t;
    c.state = s.state;
    c.memo = s.memo;
    control(s.control);
    refresh(method_, sys_, t_, c);
  }

  /// The carry after step i, whose tape this is, without a call of the field. Only where step i + 1
  /// is the log's or the last: a tape does not have the controller's state.
  void resume(index i, const tape_type& tape) requires has_resume_v<M, system_type, Y> {
    auto& c = carries_[current_];
    position_ = i + 1;
    t_ = tape.t_new;
    resume_carry(method_, sys_, tape.t, t_, tape.stages, c);
    if (position_ == log_.known()) leave_log();
  }

  /// Back to x_0, with the steps known.
  void restart() {
    position_ = 0;
    t_ = t0_;
    begin(method_, sys_, t_, y0_, carries_[current_]);
    if (log_.known() == 0) leave_log();
  }

  tape_type& work_tape() { return tape_; }
  const tape_type& work_tape() const { return tape_; }

  /// The solution so far; y is brought up to date by this call.
  solution<Y>& result() {
    result_.t = t_;
    result_.y = value(method_, carries_[current_].state);
    auto& s = result_.stats;
    s.field_evaluations = sys_.counts.field_evaluations;
    s.jacobian_evaluations = sys_.counts.jacobian_evaluations;
    s.factorizations = sys_.counts.factorizations;
    s.linear_solves = sys_.counts.linear_solves;
    s.newton_iterations = sys_.counts.newton_iterations;
    return result_;
  }

  // What an adjoint needs to see.
  system_type& sys() { return sys_; }
  const M& scheme() const { return method_; }
  typename types::scratch& scratch() { return scratch_; }
  const typename types::scratch& scratch() const { return scratch_; }
  const step_log<record_type>& log() const { return log_; }
  const Y& y0() const { return y0_; }
  double t0() const { return t0_; }
  double t1() const { return t1_; }
  /// Attempts that were repeated and rejected again.
  index rejected_again() const { return rejected_again_; }
  const state_type& state() const { return carries_[current_].state; }
  const typename types::memo& memo() const { return carries_[current_].memo; }
  index count() const { return count_; }
  const save_at& save_points() const { return options_.save; }
  /// The step in which the k-th listed save point lies; −1 for one at t0.
  index save_step(std::size_t k) const { return save_steps_[k]; }
  std::size_t saved() const { return save_steps_.size(); }
  revode::status status() const { return result_.status; }

 private:
  using carry_type = carry<M, Y>;

  using control_type = decltype(snapshot_type::control);

  static void save(std::optional<snapshot_type>& slot, index step, double t, const carry_type& c,
                   const control_type& control) {
    if (!slot) {
      slot.emplace(snapshot_type{step, t, c.state, c.memo, control});
    } else {  // member by member: a slot that is used again allocates nothing
      slot->step = step;
      slot->t = t;
      slot->state = c.state;
      slot->memo = c.memo;
      slot->control = control;
    }
  }

  /// What decides the next attempt.
  control_type control() const {
    if constexpr (has_estimate_v<M>)
      return {h_, memory_.rejected ? -memory_.previous : memory_.previous, memory_.before};
    else
      return {};
  }
  void control(const control_type& c) {
    if constexpr (has_estimate_v<M>) {
      h_ = c.h;
      memory_ = {std::abs(c.previous), c.before, std::signbit(c.previous)};
    }
  }
  /// The first step that the log does not know: attempts need what a logged replay leaves out.
  void leave_log() {
    if (!memo_after_log_) return;
    control(control_after_log_);
    carries_[current_].memo = *memo_after_log_;
  }

  void start() {
    result_.stats.equal_bits = !fuses_products();
    tolerance_ = {options_.rtol, options_.atol};
    t_ = t0_;
    if (options_.save.t0) keep_point(t_, y0_);
    begin(method_, sys_, t_, y0_, carries_[0]);
    save_reached(t_, true);
    if (t_ == t1_) return end(status::success);
    if (log_.equal_steps() > 0) return;
    h_ = options_.first_step != 0
             ? options_.first_step
             : revode::first_step(sys_, t_, t1_, y0_, tolerance_, estimate_order<M>());
    if (std::isnan(h_)) return end(status::non_finite_field);
    h_ = bounded(h_);
  }

  double bounded(double h) const {
    if (options_.max_step > 0 && std::abs(h) > options_.max_step)
      h = direction_ * options_.max_step;
    return options_.step_rounding == rounding::none ? h : round_step(options_.step_rounding, h);
  }

  /// The end of the next attempt: t + h, stretched by up to 1 % so that no sliver is left at t1.
  double next_time() const {
    const double left = t1_ - t_;
    return direction_ * (left - 1.01 * h_) <= 0 ? t1_ : t_ + h_;
  }

  bool too_short(double h) const {
    const double eps = std::numeric_limits<double>::epsilon();
    return std::abs(h) < 4 * eps * std::fmax(std::abs(t_), 1e-10 * std::abs(t1_ - t0_));
  }

  void adaptive_step(tape_type& tape) {
    for (;;) {
      if (attempts_ == options_.max_steps && !ended_) return end(status::max_steps);
      const double t_new = next_time();
      if (t_new == t_) return end(status::step_underflow);
      if (remembers_) control_before_ = control();
      auto found = attempt(method_, sys_, tolerance_, t_, t_new, carries_[current_], tape.stages,
                           carries_[1 - current_]);
      if (!ended_) ++attempts_;
      // An infinite element has an infinite scale, hence a scaled error of 0.
      const bool overflow =
          found.error_squared <= 1 && !all_finite(value(method_, carries_[1 - current_].state));
      if (overflow || found.what != status::success)
        found.error_squared = std::numeric_limits<double>::infinity();
      const double tried = h_;
      // A rounded step is t_new − t only to rounding: keeping its length keeps it exactly.
      const bool exact = options_.step_rounding != rounding::none && t_new != t1_;
      const double h = exact ? h_ : t_new - t_;
      h_ = bounded(h * propose(method_, options_.controller, memory_, found, carries_[current_],
                               carries_[1 - current_]));
      if (found.error_squared <= 1) return accept(t_new, tried, found.record, tape);
      ++(ended_ ? rejected_again_ : result_.stats.rejected);
      if (too_short(h_)) {
        const bool finite = found.error_squared - found.error_squared == 0;
        return end(found.what != status::success ? found.what
                   : overflow                    ? status::non_finite_state
                   : finite                      ? status::step_underflow
                                                 : status::non_finite_field);
      }
    }
  }

  void fixed_step(tape_type& tape) {
    if (attempts_ == options_.max_steps && !ended_) return end(status::max_steps);
    const double t_new = log_.equal_end(position_);
    const auto found = attempt(method_, sys_, {.estimate = false}, t_, t_new, carries_[current_],
                               tape.stages, carries_[1 - current_]);
    if (!ended_) ++attempts_;
    if (found.what != status::success) return end(found.what);
    if (!all_finite(value(method_, carries_[1 - current_].state)))
      return end(status::non_finite_state);
    accept(t_new, 0, found.record, tape);
  }

  void replay_until(index to, tape_type& tape) {
    const index known = to < log_.known() ? to : log_.known();
    if (position_ < known) {
      replay_logged(known, tape);
      if (known == log_.known()) leave_log();
    }
    while (position_ < to) {
      if (log_.equal_steps() > 0)
        fixed_step(tape);
      else
        adaptive_step(tape);
    }
  }

#if !defined(__CUDACC__)
  [[gnu::flatten, gnu::aligned(64)]]  // small states then stay in registers from step to step
#endif
  void
  replay_logged(index to, tape_type& tape) {
    if constexpr (std::is_trivially_copyable_v<carry_type>) {
      carry_type c = carries_[current_];
      replay_logged(to, tape, c);
      carries_[current_] = c;
    } else {
      replay_logged(to, tape, carries_[current_]);
    }
  }

  void replay_logged(index to, tape_type& tape, carry_type& c) {
    double t = t_, t_new = t_;
    const auto again = [&](index i, auto& stages) __attribute__((always_inline)) {
      t = t_new;
      t_new = log_.end(i, t);
      replay(method_, sys_, t, t_new, log_.record(i), c, stages);
    };
    if constexpr (std::is_trivially_copyable_v<tape_type>) {
      decltype(tape.stages) unread;  // only the last step's tape is: the others never reach memory
      for (index i = position_; i + 1 < to; ++i) again(i, unread);
    } else {
      for (index i = position_; i + 1 < to; ++i) again(i, tape.stages);
    }
    again(to - 1, tape.stages);
    tape.t = t;
    tape.t_new = t_ = t_new;
    tape.record = log_.record(to - 1);
    position_ = to;
  }

  /// Takes over what the attempt of length h, or up to t1, has found.
  void accept(double t_new, double h, const record_type& record, tape_type& tape) {
    tape.t = t_;
    tape.t_new = t_new;
    tape.record = record;
    if (!ended_) {
      if (reversible_ && !memo_after_log_ && !log_.keep(position_, t_new, h, record)) {
        control_after_log_ = control_before_;
        memo_after_log_ = carries_[current_].memo;
      }
      if (next_save_ < options_.save.ts.size()) save_inside(t_new, tape.stages);
    }
    current_ = 1 - current_;
    t_before_ = t_;
    t_ = t_new;
    ++position_;
    if (ended_) return;
    ++result_.stats.accepted;
    if (next_save_ < options_.save.ts.size()) save_reached(t_new, false);
    if (t_ == t1_) end(status::success);
  }

  void end(revode::status s) {
    ended_ = true;
    count_ = position_;
    result_.status = s;
    if (s == status::success && options_.save.t1)
      keep_point(t_, value(method_, carries_[current_].state));
  }

  /// Save points strictly inside the step that ends at t_new: dense output.
  void save_inside(double t_new, const typename types::tape& tape) {
    if constexpr (has_dense_output_v<M>) {
      bool extended = false;
      for (; next_save_ < options_.save.ts.size(); ++next_save_) {
        const double t = options_.save.ts[next_save_];
        if (direction_ * (t_new - t) <= 0) return;
        if (!std::exchange(extended, true)) extend(method_, sys_, t_, t_new, tape, scratch_);
        keep_point(t, y0_);
        interpolate(method_, t_, t_new, tape, scratch_, (t - t_) / (t_new - t_), result_.ys.back());
        save_steps_.push_back(position_);
      }
    }
  }

  /// Save points exactly at the time reached.
  void save_reached(double t, bool at_start) {
    for (; next_save_ < options_.save.ts.size() && options_.save.ts[next_save_] == t;
         ++next_save_) {
      keep_point(t, value(method_, carries_[current_].state));
      save_steps_.push_back(at_start ? -1 : position_ - 1);
    }
  }

  void keep_point(double t, const Y& y) {
    result_.ts.push_back(t);
    result_.ys.push_back(y);
  }

  system_type sys_;
  M method_;
  options options_;
  tolerance tolerance_{};
  Y y0_;
  double t0_, t1_, direction_;
  step_log<record_type> log_;
  bool reversible_;
  bool remembers_;  // the controller's state before each attempt: the log may end anywhere
  carry_type carries_[2];
  tape_type tape_;
  [[no_unique_address]] typename types::scratch scratch_;
  solution<Y> result_;
  controller_memory memory_{};
  [[no_unique_address]] control_type control_before_{}, control_after_log_{};
  std::optional<typename types::memo> memo_after_log_;  // set where the log ends before the solve
  double t_ = 0, t_before_ = 0, h_ = 0;
  int current_ = 0;
  index position_ = 0, attempts_ = 0, count_ = 0, rejected_again_ = 0;
  bool ended_ = false;
  std::size_t next_save_ = 0;
  std::vector<index> save_steps_;
};

}  // namespace revode
