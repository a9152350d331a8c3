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
/// it attempts it until it is accepted (and keeps its end and record in the log, if asked to);
/// whenever it comes by again it replays it, bit for bit, without norm, test or controller.
/// Refers to the problem's field and parameters, which must outlive it.
template <class M, class F, class Y, class P>
class stepper {
 public:
  using types = method_types<M, Y>;
  using state_type = typename types::state;
  using tape_type = typename types::tape;
  using record_type = typename types::record;
  using snapshot_type = snapshot<M, Y>;
  using system_type = system<F, Y, P>;

  template <class Field>
  stepper(const problem<Field, Y, P>& q, const M& m, const options& o, bool keep_log)
      : sys_(q.f, q.p),
        method_(m),
        options_(o),
        y0_(q.y0),
        t1_(q.t1),
        direction_(q.t1 < q.t0 ? -1 : 1),
        log_(q.t0, q.t1, o.fixed_step > 0 ? fixed_step_count(q.t0, q.t1, o.fixed_step) : 0),
        keep_log_(keep_log),
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
    save(slot, position_, t_, carries_[current_]);
  }

  /// The carry that the step just accepted started from: the other one, until the next trial.
  void save_previous(std::optional<snapshot_type>& slot) const {
    REVODE_EXPECT(!ended_);
    save(slot, position_ - 1, log_.time(position_ - 1), carries_[1 - current_]);
  }

  void load(const snapshot_type& s) {
    auto& c = carries_[current_];
    position_ = s.step;
    t_ = s.t;
    c.state = s.state;
    c.memo = s.memo;
    refresh(method_, sys_, t_, c);
  }

  /// Back to x_0, with the grid and the records known.
  void restart() {
    position_ = 0;
    t_ = log_.time(0);
    begin(method_, sys_, t_, y0_, carries_[current_]);
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
    return result_;
  }

  // What an adjoint needs to see.
  system_type& sys() { return sys_; }
  const M& scheme() const { return method_; }
  typename types::scratch& scratch() { return scratch_; }
  const typename types::scratch& scratch() const { return scratch_; }
  const step_log<record_type>& log() const { return log_; }
  const Y& y0() const { return y0_; }
  double t1() const { return t1_; }
  const state_type& state() const { return carries_[current_].state; }
  index count() const { return count_; }
  const save_at& save_points() const { return options_.save; }
  /// The step in which the k-th listed save point lies; −1 for one at t0.
  index save_step(std::size_t k) const { return save_steps_[k]; }
  const record_type& last_record() const { return last_record_; }
  std::size_t saved() const { return save_steps_.size(); }
  revode::status status() const { return result_.status; }

 private:
  using carry_type = carry<M, Y>;

  static void save(std::optional<snapshot_type>& slot, index step, double t, const carry_type& c) {
    if (!slot) {
      slot.emplace(snapshot_type{step, t, c.state, c.memo});
    } else {  // member by member: a slot that is used again allocates nothing
      slot->step = step;
      slot->t = t;
      slot->state = c.state;
      slot->memo = c.memo;
    }
  }

  void start() {
    result_.stats.equal_bits = !fuses_products();
    tolerance_ = {options_.rtol, options_.atol};
    if (options_.save.t0) keep_point(t_ = log_.time(0), y0_);
    t_ = log_.time(0);
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
    return options_.max_step > 0 && std::abs(h) > options_.max_step ? direction_ * options_.max_step
                                                                    : h;
  }

  /// The end of the next attempt: t + h, stretched by up to 1 % so that no sliver is left at t1.
  double next_time() const {
    const double left = t1_ - t_;
    return direction_ * (left - 1.01 * h_) <= 0 ? t1_ : t_ + h_;
  }

  bool too_short(double h) const {
    const double eps = std::numeric_limits<double>::epsilon();
    return std::abs(h) < 4 * eps * std::fmax(std::abs(t_), 1e-10 * std::abs(t1_ - log_.time(0)));
  }

  void adaptive_step(tape_type& tape) {
    for (;;) {
      if (attempts_ == options_.max_steps) return end(status::max_steps);
      const double t_new = next_time();
      if (t_new == t_) return end(status::step_underflow);
      auto found = attempt(method_, sys_, tolerance_, t_, t_new, carries_[current_], tape,
                           carries_[1 - current_]);
      ++attempts_;
      // An infinite element has an infinite scale, hence a scaled error of 0.
      const bool overflow =
          found.error_squared <= 1 && !all_finite(value(method_, carries_[1 - current_].state));
      if (overflow || found.what != status::success)
        found.error_squared = std::numeric_limits<double>::infinity();
      const double h = t_new - t_;
      h_ = bounded(h * propose(method_, options_.controller, memory_, found, carries_[current_],
                               carries_[1 - current_]));
      if (found.error_squared <= 1) return accept(t_new, found.record, tape);
      ++result_.stats.rejected;
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
    if (attempts_ == options_.max_steps) return end(status::max_steps);
    const double t_new = log_.time(position_ + 1);
    const auto found = attempt(method_, sys_, {.estimate = false}, t_, t_new, carries_[current_],
                               tape, carries_[1 - current_]);
    ++attempts_;
    if (found.what != status::success) return end(found.what);
    if (!all_finite(value(method_, carries_[1 - current_].state)))
      return end(status::non_finite_state);
    accept(t_new, found.record, tape);
  }

#if !defined(__CUDACC__)
  [[gnu::flatten]]  // small states then stay in registers from step to step
#endif
  void replay_until(index to, tape_type& tape) {
    if constexpr (std::is_trivially_copyable_v<carry_type>) {
      carry_type c = carries_[current_];
      replay_until(to, tape, c);
      carries_[current_] = c;
    } else {
      replay_until(to, tape, carries_[current_]);
    }
  }

  void replay_until(index to, tape_type& tape, carry_type& c) {
    double t = t_;
    for (index i = position_; i < to; ++i) {
      const double t_new = log_.time(i + 1);
      replay(method_, sys_, t, t_new, log_.record(i), c, tape);
      t = t_new;
    }
    position_ = to;
    t_ = t;
  }

  void accept(double t_new, const record_type& record, const tape_type& tape) {
    if (keep_log_) log_.keep(position_, t_new, record);
    last_record_ = record;
    if (next_save_ < options_.save.ts.size()) save_inside(t_new, tape);
    current_ = 1 - current_;
    t_ = t_new;
    ++position_;
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
  void save_inside(double t_new, const tape_type& tape) {
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
  double t1_, direction_;
  step_log<record_type> log_;
  bool keep_log_;
  carry_type carries_[2];
  tape_type tape_;
  [[no_unique_address]] typename types::scratch scratch_;
  solution<Y> result_;
  [[no_unique_address]] record_type last_record_{};
  controller_memory memory_{};
  double t_ = 0, h_ = 0;
  int current_ = 0;
  index position_ = 0, attempts_ = 0, count_ = 0;
  bool ended_ = false;
  std::size_t next_save_ = 0;
  std::vector<index> save_steps_;
};

}  // namespace revode
