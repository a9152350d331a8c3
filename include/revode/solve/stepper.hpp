// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <revode/solve/stepping/attempts.hpp>
#include <revode/solve/stepping/march.hpp>
#include <revode/solve/stepping/point_keeper.hpp>
#include <revode/solve/stepping/solve_cuts.hpp>

namespace revode {

/// One solve in progress: the loop whose body is an accepted step. The first time it passes a step
/// it attempts it until it is accepted; whenever it comes by again it replays it, bit for bit: a step
/// that the log knows without norm, test or controller, any other by its attempts, the rejected ones
/// included, from the controller's state in the snapshot.
/// Behind a cut (a stop, events) the next step begins at another time, from another state: the cut is
/// found once, and repeated by its log. The step before a cut stays whole.
/// Its parts: where it is (march), how far it tries to go (attempts), where it is cut (solve_cuts), what
/// it keeps of it (point_keeper), and the log by which it goes there again.
/// Refers to the problem's field and parameters, which must outlive it.
template <class M, class F, class Y, class P, class Events = no_events>
class stepper {
 public:
  using types = method_types<M, Y>;
  using state_type = typename types::state;
  using record_type = typename types::record;
  using march_type = march<M, F, Y, P>;
  using tape_type = typename march_type::tape_type;
  using snapshot_type = typename march_type::snapshot_type;
  using system_type = system<F, Y, P>;
  using stretches_type = revode::stretches<Events, Y, P>;
  using event_set_type = typename stretches_type::set;

  /// log_bytes: at most, of the log (0: the controller replays; none: nothing does); tapes: of calls
  template <class Field>
  stepper(const problem<Field, Y, P>& q, const M& m, const options& o,
          std::optional<index> log_bytes = {}, const Events& events = {}, index tapes = 0)
      : options_(o),
        t0_(q.t0),
        t1_(q.t1),
        cuts_(o, events, q.p, q.y0, q.t0, q.t1),
        march_(q.f, cuts_.stretches.parameters(), m, q.y0, q.t0, tapes),
        attempts_(options_, q.f, q.y0, q.t0, q.t1),
        log_(q.t0, q.t1, o.fixed_step > 0 ? fixed_step_count(q.t0, q.t1, o.fixed_step) : 0,
             o.step_rounding, log_bytes.value_or(0), &options_.grid),
        reversible_(log_bytes),
        remembers_(log_bytes.value_or(unbounded) != unbounded),
        tape_(m, q.y0),
        result_{.t = q.t0, .y = q.y0},
        points_(options_.save, q.t1 < q.t0 ? -1 : 1, result_) {
    start();
  }
  stepper(const stepper&) = delete;
  stepper& operator=(const stepper&) = delete;

  /// Takes memory for what the log and the solution say of events, see cut_list::reserve.
  void expect_events(index located) {
    stretches().reserve(located);
    if constexpr (event_set_type::count > 0)
      result_.events.reserve(stretches().known_count() + static_cast<std::size_t>(located));
  }
  /// From now on the state before each cut is put there, in order.
  void keep_before_cuts(std::vector<Y>& before) { cuts_.keep_before(before); }

  void step(tape_type& tape) {
    const threads_of<Y> working(options_.threads);
    if (ended_)
      replay_until(march_.position + 1, tape);
    else
      attempt_step(tape);
  }
  void run(index to, tape_type& tape) {
    const threads_of<Y> working(options_.threads);
    if (ended_) return replay_until(to < count_ ? to : count_, tape);
    while (march_.position < to && !finished()) step(tape);
  }

  void save(std::optional<snapshot_type>& slot) const { march_.save(slot, attempts_.control()); }
  /// The carry that the step just accepted started from: the other one, until the next trial.
  void save_previous(std::optional<snapshot_type>& slot) const {
    REVODE_EXPECT(!ended_);
    march_.save_previous(slot, control_before_);
  }
  void load(const snapshot_type& s) {
    march_.load(s);
    tape_.calls = {};  // it is not read again
    attempts_.control(s.control);
    if (stretches().cut_count() > 0) stretches().enter(stretches().cuts_before(march_.position));
    march_.refresh_cache();
  }
  /// The carry after step i, whose tape this is, without a call of the field. Only where step i + 1
  /// is the log's or the last: a tape does not have the controller's state.
  void resume(index i, const tape_type& tape) requires has_resume_v<M, system_type, Y> {
    if (stretches().cut_count() > 0) stretches().enter(stretches().cuts_before(i));
    march_.resume(i, tape);
    if (march_.position == stretches().cut_after()) cuts_.repeat(march_, tape);
    if (march_.position == log_.known()) leave_log();
  }
  /// Back to x_0, with the steps known.
  void restart() {
    march_.position = 0;
    march_.t = t0_;
    tape_.calls = {};
    stretches().enter(0);
    march_.begin_at(t0_, y0());
    if (stretches().cut_after() == 0) cuts_.repeat(march_, tape_);
    if (log_.known() == 0) leave_log();
  }
  /// Goes on from another state, where the method begins afresh.
  void begin_again(const Y& y) {
    if (ended_) return;
    march_.begin_at(march_.t, Y(y));  // it may be the carry's own
    if (const auto why = march_.trouble_of_start(); why != status::success) return end(why);
    attempts_.forget();
    cuts_.forget();
    if (!cuts_.know_sides(march_, false)) end(status::event_not_resolved);
  }

  int threads() const { return options_.threads; }
  index position() const { return march_.position; }
  double time() const { return march_.t; }
  const Y& y() const { return march_.y(); }
  bool finished() const { return ended_ && march_.position == count_; }
  revode::status status() const { return result_.status; }
  index count() const { return count_; }
  /// The length of the next attempt, unless a stop cuts it.
  double length() const { return attempts_.length(); }
  void length(double h) { attempts_.length(h); }

  tape_type& work_tape() { return tape_; }
  const tape_type& work_tape() const { return tape_; }
  system_type& sys() { return march_.sys; }
  const M& scheme() const { return march_.method; }
  auto& scratch() const { return march_.scratch(); }
  auto& scratch_of_dense() const { return march_.scratch_of_dense(); }
  const state_type& state() const { return march_.now().state; }
  auto carries() const { return march_.carries(); }

  const Y& y0() const { return march_.y0; }
  double t0() const { return t0_; }
  double t1() const { return t1_; }
  stretches_type& stretches() { return cuts_.stretches; }
  const stretches_type& stretches() const { return cuts_.stretches; }
  const typename march_type::log_type& log() const { return log_; }
  index equal_steps() const { return log_.equal_steps(); }
  /// Attempts that were repeated and rejected again.
  index rejected_again() const { return rejected_again_; }
  std::size_t stops() const { return options_.stops.size(); }
  std::size_t discontinuities() const { return options_.discontinuities.size(); }
  const save_at& save_points() const { return options_.save; }
  /// The k-th save point between t0's and t1's, and the step in which it lies; −1 for one at t0.
  double save_time(std::size_t k) const { return points_.time(k); }
  index save_step(std::size_t k) const { return points_.step(k); }
  std::size_t saved() const { return points_.count(); }

  /// The save points so far; what is in ys may be taken away.
  solution<Y>& so_far() { return result_; }
  /// The solution so far; y is brought up to date by this call.
  solution<Y>& result() {
    result_.t = march_.t;
    result_.y = march_.y();
    take_counts(result_.stats, march_.sys.counts);
    if constexpr (requires { march_.sys.jacobian_source(); })
      result_.stats.jacobian_source = march_.sys.jacobian_source();
    return result_;
  }

 private:
  friend struct kept_parts;
  void start() {
    result_.stats.equal_bits = keeps_bits();
    if constexpr (has_index_v<F>) march_.sys.mass.judged_by = &attempts_.tolerance();
    march_.begin_at(t0_, y0());
    const auto why = march_.trouble_of_start();
    points_.keep_start(t0_, why == status::success ? march_.y() : y0());
    const bool due = stretches().pending(t0_);
    if (why != status::success || (t0_ == t1_ && !due)) return end(why);
    if (due)
      make_cut(tape_, -1);
    else if (!cuts_.know_sides(march_, false))
      end(status::event_not_resolved);
    if (!ended_ && log_.fixed_steps() == 0 && !attempts_.start(march_, t1_))
      end(status::non_finite_field);
  }

  void end(revode::status s) {
    ended_ = true;
    count_ = march_.position;
    result_.status = s;
    if (is_complete(s)) points_.keep_end(march_.t, march_.y());
  }

  // The first sweep, and whatever the log does not know.

  REVODE_FORCE(gnu::always_inline) void attempt_step(tape_type& tape) {
    if (log_.fixed_steps() > 0)
      fixed_step(tape);
    else
      adaptive_step(tape);
  }
  [[gnu::noinline]] void adaptive_step(tape_type& tape) {
    for (;;) {
      if (attempted_ == options_.max_steps && !ended_) return end(status::max_steps);
      const double t_new = attempts_.next_time(march_.t, stretches().end());
      if (t_new == march_.t) return end(status::step_underflow);
      if (remembers_) control_before_ = attempts_.control();
      const double meant = attempts_.length();
      auto found = march_.try_step(attempts_.tolerance(), t_new, tape);
      if (!ended_) ++attempted_;
      // An infinite element has an infinite scale, hence a scaled error of 0.
      const bool overflow = found.error_squared <= 1 && !is_finite_here(march_.y_tried());
      if (overflow || found.what != status::success)
        found.error_squared = std::numeric_limits<double>::infinity();
      else if (!in_domain(stretches().events(), t_new, march_.y_tried(), march_.sys.p))
        found = {std::numeric_limits<double>::infinity(), status::outside_domain, found.record};
      if (!ended_) tell_attempt(stretches().events(), march_.t, t_new, found);
      const double h = attempts_.adapt(march_.method, found, march_.t, t_new, stretches().end(),
                                       march_.now(), march_.beside());
      if (found.error_squared <= 1) return accept(t_new, meant, found.record, tape);
      ++(ended_ ? rejected_again_ : result_.stats.rejected);
      if (attempts_.ends_here(march_.t, h))
        return end(attempts_.why(found, overflow, march_.sys, march_.t, march_.y()));
    }
  }

  [[gnu::noinline]] void fixed_step(tape_type& tape) {
    if (attempted_ == options_.max_steps && !ended_) return end(status::max_steps);
    const double stop = stretches().end();
    const double next = log_.fixed_end_near(march_.position - stretches().extra(), stop);
    const double t_new = t1_ < t0_ ? std::fmax(stop, next) : std::fmin(stop, next);
    const auto found = march_.try_step({.estimate = false}, t_new, tape);
    if (!ended_) ++attempted_, tell_attempt(stretches().events(), march_.t, t_new, found);
    if (found.what != status::success) return end(found.what);
    if (!is_finite_here(march_.y_tried())) return end(status::non_finite_state);
    if (!in_domain(stretches().events(), t_new, march_.y_tried(), march_.sys.p))
      return end(status::outside_domain);
    accept(t_new, 0, found.record, tape);
  }

  /// Takes over what the attempt of length h, or up to the end of the stretch, has found.
  void accept(double t_new, double h, const record_type& record, tape_type& tape) {
    tape.t = march_.t;
    tape.t_new = t_new;
    tape.record = record;
    if (ended_) {
      march_.take(t_new, tape.calls);
      if (march_.position == stretches().cut_after()) repeat_cut(tape, h);
      return;
    }
    double theta = -1;  // of events in this step
    if (!cuts_.look(march_, tape, theta)) return end(status::event_not_resolved);
    const index i = march_.position;
    if (reversible_ && !memo_after_log_ && !log_.keep(i, t_new, h, record)) {
      control_after_log_ = control_before_;
      memo_after_log_ = march_.now().memo;
    }
    const bool whole = theta < 0 || theta == 1;
    if constexpr (has_dense_output_v<M>)
      if (points_.waits())
        points_.keep_inside(march_, tape, time_in_step(tape.t, tape.t_new, theta), theta, whole, i);
    march_.take(t_new, tape.calls);
    ++result_.stats.accepted;
    if (whole && points_.waits()) points_.keep_reached(t_new, march_.y(), i);
    if (theta >= 0 || t_new == stretches().end()) reach(tape, theta, h);
    if (tell_step(stretches().events(), march_.t, march_.y(), march_.sys.p) && !ended_)
      end(status::stopped_by_callback);
  }

  /// The end of a stretch: t1, a known time, or the event at θ.
  [[gnu::noinline, gnu::cold]] void reach(const tape_type& tape, double theta, double h) {
    const bool pending = stretches().pending(march_.t);
    if (theta < 0 && !pending && march_.t == t1_) return end(status::success);
    attempts_.restore_length(tape.t, tape.t_new, stretches().end(), h);
    if (theta < 0 && !pending)  // it goes on behind a time that was asked for on the way
      return stretches().go_on(aim_of_last(march_.t) != march_.t);
    if (!(theta >= 0 && theta < 1) && pending)
      points_.keep_listed(stretches().next().t, march_.y(), march_.position - 1);
    make_cut(tape, theta);
  }
  void make_cut(const tape_type& tape, double theta) {
    const double at = theta < 0 ? march_.t : time_in_step(tape.t, tape.t_new, theta);
    const auto how = cuts_.make(march_, tape, theta, at, aim_of_last(at), t1_, result_.events);
    if (how) end(*how);
  }
  void repeat_cut(const tape_type& tape, double h) {
    attempts_.restore_length(tape.t, tape.t_new, stretches().end(), h);
    cuts_.repeat(march_, tape);
  }
  /// Where the last step, whose part up to t counts, would have ended on a grid that is given; else t.
  double aim_of_last(double t) const {
    if (log_.fixed_steps() == 0 || march_.position == 0) return t;
    return log_.fixed_end_near(march_.position - 1 - stretches().extra(), t);
  }

  // Replays.

  REVODE_FORCE(gnu::always_inline) void replay_until(index to, tape_type& tape) {
    stretches().use_parameters(stretches().stretch());  // a pull may have used others
    if (to >= stretches().cut_after())
      replay_cuts(to, tape);
    else
      replay_stretch(to, tape);
  }
  [[gnu::noinline]] void replay_cuts(index to, tape_type& tape) {
    for (bool last = false; !last;) {
      last = !(march_.position < to && to >= stretches().cut_after());
      const index at = last ? to : stretches().cut_after(), logged = log_.known();
      replay_stretch(at, tape);
      if (last || at > logged) continue;  // an attempt was accepted, and did the rest
      repeat_cut(tape, 0);
      if (at == logged) leave_log();
    }
  }
  [[gnu::always_inline]] void replay_stretch(index to, tape_type& tape) {
    const index known = to < log_.known() ? to : log_.known();
    if (march_.position < known) {
      march_.replay_logged(log_, stretches(), known, tape);
      if (known == log_.known()) leave_log();
    }
    while (march_.position < to) attempt_step(tape);
  }
  /// The first step that the log does not know: attempts need what a logged replay leaves out.
  void leave_log() {
    if (!memo_after_log_) return;
    attempts_.control(control_after_log_);
    march_.now().memo = *memo_after_log_;
  }

  const options options_;
  double t0_, t1_;
  solve_cuts<M, F, Y, P, Events> cuts_;
  march_type march_;
  attempts<M, Y> attempts_;
  typename march_type::log_type log_;
  bool reversible_;
  bool remembers_;  // the controller's state before each attempt: the log may end anywhere
  tape_type tape_;
  solution<Y> result_;
  point_keeper<Y> points_;
  [[no_unique_address]] typename march_type::control_type control_before_{}, control_after_log_{};
  std::optional<typename types::memo> memo_after_log_;  // set where the log ends before the solve
  index attempted_ = 0, count_ = 0, rejected_again_ = 0;
  bool ended_ = false;
};

}  // namespace revode
