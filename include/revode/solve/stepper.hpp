// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <revode/solve/course/rules.hpp>
#include <revode/solve/first_step.hpp>
#include <revode/solve/solve_cuts.hpp>

namespace revode {

/// One solve in progress: the loop whose body is an accepted step. The first time it passes a step
/// it attempts it until it is accepted; whenever it comes by again it replays it, bit for bit: a step
/// that the log knows without norm, test or controller, any other by its attempts, the rejected ones
/// included, from the controller's state in the snapshot.
/// Behind a cut (a stop, events) the next step begins at another time, from another state: the cut is
/// found once, and repeated by its log. The step before a cut stays whole.
/// Refers to the problem's field and parameters, which must outlive it.
template <class M, class F, class Y, class P, class Events = no_events>
class stepper : public solve_cuts<M, F, Y, P, Events> {
 public:
  using base = solve_cuts<M, F, Y, P, Events>;
  using base::finished;
  using typename base::event_set_type;
  using typename base::record_type;
  using typename base::snapshot_type;
  using typename base::system_type;
  using typename base::tape_type;

  /// log_bytes  the most that the log may take (0: replays are the controller's); none: no replays
  template <class Field>
  stepper(const problem<Field, Y, P>& q, const M& m, const options& o,
          std::optional<index> log_bytes = {}, const Events& events = {})
      : base(q, m, o, log_bytes, events) {
    start();
  }

  void step(tape_type& tape) {
    if (ended_)
      replay_until(position_ + 1, tape);
    else if (log_.fixed_steps() > 0)
      fixed_step(tape);
    else
      adaptive_step(tape);
  }

  void run(index to, tape_type& tape) {
    if (ended_) return replay_until(to < count_ ? to : count_, tape);
    while (position_ < to && !finished()) step(tape);
  }

  void load(const snapshot_type& s) {
    auto& c = carries_[current_];
    position_ = s.step;
    t_ = s.t;
    c.state = s.state;
    c.memo = s.memo;
    control(s.control);
    if (stretches_.cut_count() > 0) stretches_.enter(stretches_.cuts_before(position_));
    refresh(method_, sys_, t_, c);
  }

  /// The carry after step i, whose tape this is, without a call of the field. Only where step i + 1
  /// is the log's or the last: a tape does not have the controller's state.
  void resume(index i, const tape_type& tape) requires has_resume_v<M, system_type, Y> {
    auto& c = carries_[current_];
    position_ = i + 1;
    t_ = tape.t_new;
    if (stretches_.cut_count() > 0) stretches_.enter(stretches_.cuts_before(i));
    resume_carry(method_, sys_, tape.t, t_, tape.stages, c);
    if (position_ == stretches_.cut_after()) repeat_cut(tape, 0);
    if (position_ == log_.known()) leave_log();
  }

  /// Back to x_0, with the steps known.
  void restart() {
    position_ = 0;
    t_ = t0_;
    stretches_.enter(0);
    begin(method_, sys_, t_, y0_, carries_[current_]);
    if (stretches_.cut_after() == 0) repeat_cut(tape_, 0);
    if (log_.known() == 0) leave_log();
  }

 protected:
  using base::attempts_, base::bounds_, base::carries_, base::components_, base::control,
      base::control_after_log_, base::control_before_, base::count_, base::current_,
      base::direction_, base::end, base::ended_, base::h_, base::keep_point, base::know_sides,
      base::leave_log, base::log_, base::look, base::make_cut, base::memo_after_log_, base::memory_,
      base::method_, base::observe, base::options_, base::position_, base::reach,
      base::rejected_again_, base::remembers_, base::repeat_cut, base::result_, base::reversible_,
      base::save_inside, base::save_listed, base::save_reached, base::saving_, base::stretches_,
      base::sys_, base::t0_, base::t1_, base::t_, base::t_before_, base::tape_, base::tolerance_,
      base::watch, base::y0_;
  using typename base::carry_type;

  void start() {
    result_.stats.equal_bits = keeps_bits();
    bounds_ =
        options_.max_step > 0 || options_.min_step > 0 || options_.step_rounding != rounding::none;
    saving_ = !options_.save.ts.empty() || options_.save.every > 0;
    t_ = t0_;
    if (options_.save.t0) keep_point(t_, y0_);
    begin(method_, sys_, t_, y0_, carries_[0]);
    save_listed(t_, -1);
    if (t_ == t1_) return end(status::success);
    if (stretches_.pending(t_))
      make_cut(tape_, -1);
    else if (!know_sides(false))
      return end(status::event_not_resolved);
    if (ended_ || log_.fixed_steps() > 0) return;
    h_ = options_.first_step != 0
             ? options_.first_step
             : revode::first_step(sys_, t_, t1_, value(method_, carries_[0].state), tolerance_,
                                  estimate_order<M>());
    if (std::isnan(h_)) return end(status::non_finite_field);
    h_ = bounded(h_);
  }

  double bounded(double h) const {
    if (!bounds_) return h;
    if (options_.max_step > 0 && std::abs(h) > options_.max_step)
      h = direction_ * options_.max_step;
    if (std::abs(h) < options_.min_step) h = direction_ * options_.min_step;
    return round_step(options_.step_rounding, h);
  }

  /// The end of the next attempt: t + h, stretched by up to 1 % so that no sliver is left at the end
  /// of the stretch, and no further than max_step.
  double next_time() {
    const double end = stretches_.end(), left = end - t_;
    const double t_new = direction_ * (left - 1.01 * h_) <= 0 ? end : t_ + h_;
    return bounds_ ? bounded_time(t_new) : t_new;
  }
  [[gnu::noinline]] double bounded_time(double t_new) {
    const double most = options_.max_step, end = stretches_.end();
    if (!(most > 0) || std::abs(t_new - t_) <= most) return t_new;
    const double nearer = within_max_step(direction_, t_, t_new, end, most);
    if (options_.step_rounding == rounding::none) return nearer;
    // Rounded steps are t + h, whose length the log keeps.
    h_ = t_new == end ? nearer - t_ : std::nextafter(h_, 0.0);
    for (h_ = round_step(options_.step_rounding, h_); std::abs(t_ + h_ - t_) > most;)
      h_ = round_step(options_.step_rounding, std::nextafter(h_, 0.0));
    return t_ + h_;
  }

  /// Is an element of the state 0, and its absolute tolerance too, where the field is finite? Then
  /// errors in it have no scale.
  [[gnu::noinline, gnu::cold]] bool lacks_scale() {
    Y y = value(method_, carries_[current_].state);
    bool lacks = false;
    for (int i = 0, n = length(y); i < n; ++i) {
      const double atol = components_.get() != nullptr ? components_.get()->atol[i] : options_.atol;
      lacks = lacks || (atol == 0 && y.data()[i] == 0);
    }
    if (!lacks) return false;
    Y slope = y;
    sys_(t_, y, slope);
    return all_finite(slope);
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
      else if (!inside(t_new))
        found = {std::numeric_limits<double>::infinity(), status::outside_domain, found.record};
      const double tried = h_;
      // A rounded step is t_new − t only to rounding: keeping its length keeps it exactly.
      const bool exact = options_.step_rounding != rounding::none && t_new != stretches_.end();
      const double h = exact ? h_ : t_new - t_;
      if constexpr (event_set_type::watched) watch(t_new, found);
      h_ = bounded(h * propose(method_, options_.controller, memory_, found, carries_[current_],
                               carries_[1 - current_]));
      if (found.error_squared <= 1) return accept(t_new, tried, found.record, tape);
      ++(ended_ ? rejected_again_ : result_.stats.rejected);
      if (too_short(t_, t1_ - t0_, h_) || std::abs(h) <= options_.min_step) {
        const bool finite = found.error_squared - found.error_squared == 0;
        const status how = found.what != status::success ? found.what
                           : overflow                    ? status::non_finite_state
                           : finite                      ? status::step_underflow
                                                         : status::non_finite_field;
        return end(lacks_scale() ? status::no_error_scale : how);
      }
    }
  }

  void fixed_step(tape_type& tape) {
    if (attempts_ == options_.max_steps && !ended_) return end(status::max_steps);
    const double next = log_.fixed_end(position_ - stretches_.extra());
    const double t_new = direction_ * (stretches_.end() - next) < 0 ? stretches_.end() : next;
    const auto found = attempt(method_, sys_, {.estimate = false}, t_, t_new, carries_[current_],
                               tape.stages, carries_[1 - current_]);
    if (!ended_) ++attempts_;
    if constexpr (event_set_type::watched) watch(t_new, found);
    if (found.what != status::success) return end(found.what);
    if (!all_finite(value(method_, carries_[1 - current_].state)))
      return end(status::non_finite_state);
    if (!inside(t_new)) return end(status::outside_domain);
    accept(t_new, 0, found.record, tape);
  }

  /// Does every domain predicate hold at the end of the attempt?
  bool inside(double t_new) {
    bool all = true;
    if constexpr (event_set_type::bounded) {
      const Y& y = value(method_, carries_[1 - current_].state);
      const P& p = sys_.p;
      const auto t = static_cast<scalar_t<Y>>(t_new);
      stretches_.events().for_each([&all, &y, &p, t](int, const auto& e) {
        if constexpr (domain_predicate<std::remove_cvref_t<decltype(e.event)>, Y, P>)
          all = all && e.event.inside(t, y, p);
      });
    }
    return all;
  }

  void replay_until(index to, tape_type& tape) {
    stretches_.use_parameters(stretches_.stretch());  // a pull may have used others
    if (to >= stretches_.cut_after())
      replay_cuts(to, tape);
    else
      replay_stretch(to, tape);
  }
  [[gnu::noinline]] void replay_cuts(index to, tape_type& tape) {
    while (position_ < to && to >= stretches_.cut_after()) {
      const index at = stretches_.cut_after(), logged = log_.known();
      replay_stretch(at, tape);
      if (at > logged) continue;  // an attempt was accepted, and did the rest
      repeat_cut(tape, 0);
      if (at == logged) leave_log();
    }
    replay_stretch(to, tape);
  }
  [[gnu::always_inline]] void replay_stretch(index to, tape_type& tape) {
    const index known = to < log_.known() ? to : log_.known();
    if (position_ < known) {
      replay_logged(known, tape);
      if (known == log_.known()) leave_log();
    }
    while (position_ < to) {
      if (log_.fixed_steps() > 0)
        fixed_step(tape);
      else
        adaptive_step(tape);
    }
  }

  void replay_logged(index to, tape_type& tape) {
    if constexpr (std::is_trivially_copyable_v<carry_type>)
      replay_in_registers(to, tape);
    else
      replay_logged(to, tape, carries_[current_]);
  }

#if !defined(__CUDACC__)
  [[gnu::flatten, gnu::aligned(64)]]  // small states then stay in registers from step to step
#endif
  void
  replay_in_registers(index to, tape_type& tape) {
    carry_type c = carries_[current_];
    replay_logged(to, tape, c);
    carries_[current_] = c;
  }

  void replay_logged(index to, tape_type& tape, carry_type& c) {
    double t = t_, t_new = t_;
    const index extra = stretches_.extra();
    const auto again = [&](index i, double end, auto& stages) __attribute__((always_inline)) {
      t = t_new;
      t_new = end;
      replay(method_, sys_, t, t_new, log_.record(i), c, stages);
    };
    if constexpr (std::is_trivially_copyable_v<tape_type>) {
      decltype(tape.stages) unread;  // only the last step's tape is: the others never reach memory
      for (index i = position_; i + 1 < to; ++i) again(i, log_.end(i, t_new, extra), unread);
    } else {
      for (index i = position_; i + 1 < to; ++i) again(i, log_.end(i, t_new, extra), tape.stages);
    }
    const bool cut = to == stretches_.cut_after();
    again(to - 1, cut ? stretches_.next_cut().end : log_.end(to - 1, t_new, extra), tape.stages);
    tape.t = t;
    tape.t_new = t_ = t_new;
    tape.record = log_.record(to - 1);
    position_ = to;
  }

  /// Takes over what the attempt of length h, or up to the end of the stretch, has found.
  void accept(double t_new, double h, const record_type& record, tape_type& tape) {
    tape.t = t_;
    tape.t_new = t_new;
    tape.record = record;
    double theta = -1;  // of events in this step
    if (!ended_) {
      if constexpr (event_set_type::located > 0)
        if (!look(tape, theta)) return end(status::event_not_resolved);
      if (reversible_ && !memo_after_log_ && !log_.keep(position_, t_new, h, record)) {
        control_after_log_ = control_before_;
        memo_after_log_ = carries_[current_].memo;
      }
      if (saving_) save_inside(tape, theta);
    }
    current_ = 1 - current_;
    t_before_ = t_;
    t_ = t_new;
    ++position_;
    if (ended_) {
      if (position_ == stretches_.cut_after()) repeat_cut(tape, h);
      return;
    }
    ++result_.stats.accepted;
    if (saving_ && !(theta >= 0 && theta < 1)) save_reached();
    if (theta >= 0 || t_ == stretches_.end()) reach(tape, theta, h);
    if constexpr (event_set_type::observed) observe();
  }
};

}  // namespace revode
