// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include <revode/concepts.hpp>
#include <revode/problem.hpp>
#include <revode/solve/event_search.hpp>
#include <revode/solve/solution.hpp>
#include <revode/solve/step_log.hpp>
#include <revode/solve/stretches.hpp>
#include <revode/solve/system.hpp>

namespace revode {

/// What a solve in progress consists of: the working carry and the one beside it, the log, the
/// stretches between cuts, the solution so far; and its exchange with snapshots.
template <class M, class F, class Y, class P, class Events>
class solve_state {
 public:
  using types = method_types<M, Y>;
  static_assert([] {
    if constexpr (types::asks_jacobian && !has_parts_v<F, Y, P>)
      return field_with_jacobian<derivatives<F, Y, P>::has_jacobian>::there;
    return true;
  }());
  using state_type = typename types::state;
  using tape_type = step_tape<M, Y>;
  using record_type = typename types::record;
  using scratch_type = typename types::scratch;
  using snapshot_type = snapshot<M, Y>;
  using system_type = system<F, Y, P>;
  using stretches_type = revode::stretches<Events, Y, P>;
  using event_set_type = typename stretches_type::set;

  /// log_bytes  the most that the log may take (0: replays are the controller's); none: no replays
  template <class Field>
  solve_state(const problem<Field, Y, P>& q, const M& m, const options& o,
              std::optional<index> log_bytes = {}, const Events& events = {})
      : stretches_(o, events, q.p, q.t0, q.t1),
        sys_(q.f, stretches_.parameters()),
        method_(m),
        options_(o),
        components_(norm_of(o, q.f), o.rtol, o.atol, length(q.y0)),
        tolerance_{o.rtol, o.atol, true, components_.get()},
        y0_(q.y0),
        t0_(q.t0),
        t1_(q.t1),
        direction_(q.t1 < q.t0 ? -1 : 1),
        log_(q.t0, q.t1, o.fixed_step > 0 ? fixed_step_count(q.t0, q.t1, o.fixed_step) : 0,
             o.step_rounding, log_bytes.value_or(0), &options_.grid),
        reversible_(log_bytes),
        remembers_(log_bytes.value_or(unbounded) != unbounded),
        carries_{make_carry<M>(q.y0), make_carry<M>(q.y0)},
        tape_(make_like<tape_type>(q.y0)),
        scratch_(first_scratch(q.y0)),
        search_(q.y0),
        result_{.t = q.t0, .y = q.y0} {
    const std::size_t saved = o.save.ts.size() + (o.save.t0 ? 1 : 0) + (o.save.t1 ? 1 : 0);
    result_.ts.reserve(saved);
    result_.ys.reserve(saved);
    save_steps_.reserve(saved);
  }
  solve_state(const solve_state&) = delete;
  solve_state& operator=(const solve_state&) = delete;

  /// Takes memory for what the log and the solution say of events, see cut_list::reserve.
  void expect_events(index located) {
    stretches_.reserve(located);
    if constexpr (event_set_type::count > 0)
      result_.events.reserve(stretches_.known_count() + static_cast<std::size_t>(located));
  }

  index position() const { return position_; }
  double time() const { return t_; }
  bool finished() const { return ended_ && position_ == count_; }

  void save(std::optional<snapshot_type>& slot) const {
    save(slot, position_, t_, carries_[current_], control());
  }

  /// The carry that the step just accepted started from: the other one, until the next trial.
  void save_previous(std::optional<snapshot_type>& slot) const {
    REVODE_EXPECT(!ended_);
    save(slot, position_ - 1, t_before_, carries_[1 - current_], control_before_);
  }

  tape_type& work_tape() { return tape_; }
  const tape_type& work_tape() const { return tape_; }

  /// The save points so far; what is in ys may be taken away.
  solution<Y>& so_far() { return result_; }
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
    if constexpr (requires { sys_.jacobian_source(); }) s.jacobian_source = sys_.jacobian_source();
    return result_;
  }

  // What an adjoint needs to see.
  system_type& sys() { return sys_; }
  const M& scheme() const { return method_; }
  /// Unless it is flat, made when it is first asked for: a solve without save points inside steps and
  /// without events never does.
  scratch_type& scratch() const {
    if constexpr (flat_scratch) {
      return scratch_;
    } else {
      if (!scratch_) scratch_.emplace(make_like<scratch_type>(y0_));
      return *scratch_;
    }
  }
  const step_log<record_type>& log() const { return log_; }
  index equal_steps() const { return log_.equal_steps(); }
  const Y& y0() const { return y0_; }
  double t0() const { return t0_; }
  double t1() const { return t1_; }
  /// Attempts that were repeated and rejected again.
  index rejected_again() const { return rejected_again_; }
  const state_type& state() const { return carries_[current_].state; }
  const typename types::memo& memo() const { return carries_[current_].memo; }
  index count() const { return count_; }
  const save_at& save_points() const { return options_.save; }
  stretches_type& stretches() { return stretches_; }
  const stretches_type& stretches() const { return stretches_; }
  std::size_t stops() const { return options_.stops.size(); }
  std::size_t discontinuities() const { return options_.discontinuities.size(); }
  /// The k-th save point between t0's and t1's.
  double save_time(std::size_t k) const { return result_.ts[k + (options_.save.t0 ? 1 : 0)]; }
  /// The step in which it lies; −1 for one at t0.
  index save_step(std::size_t k) const { return save_steps_[k]; }
  std::size_t saved() const { return save_steps_.size(); }
  revode::status status() const { return result_.status; }

 protected:
  using carry_type = carry<M, Y>;
  static constexpr bool flat_scratch = std::is_trivially_copyable_v<scratch_type>;
  using lazy_scratch = std::conditional_t<flat_scratch, scratch_type, std::optional<scratch_type>>;
  static lazy_scratch first_scratch([[maybe_unused]] const Y& like) {
    if constexpr (flat_scratch)
      return make_like<scratch_type>(like);
    else
      return {};
  }

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

  static error_norm norm_of(const options& o, const F& f) {
    error_norm norm = o.norm;
    if constexpr (says_complex_pairs<F>) norm.pairs = true;
    if constexpr (requires { f.paired(); }) norm.paired = f.paired();
    return norm;
  }

  void end(revode::status s) {
    ended_ = true;
    count_ = position_;
    result_.status = s;
    if (is_complete(s) && options_.save.t1)
      keep_point(t_, value(method_, carries_[current_].state));
  }

  void keep_point(double t, const Y& y) {
    result_.ts.push_back(t);
    result_.ys.push_back(y);
  }

  stretches_type stretches_;
  system_type sys_;
  M method_;
  options options_;
  component_tolerances components_;
  tolerance tolerance_;
  Y y0_;
  double t0_, t1_, direction_;
  step_log<record_type> log_;
  bool reversible_;
  bool remembers_;  // the controller's state before each attempt: the log may end anywhere
  carry_type carries_[2];
  tape_type tape_;
  [[no_unique_address]] mutable lazy_scratch scratch_;
  [[no_unique_address]] std::conditional_t<(event_set_type::located > 0),
                                           event_search<Events, Y, P>, no_search>
      search_;
  solution<Y> result_;
  controller_memory memory_{};
  [[no_unique_address]] control_type control_before_{}, control_after_log_{};
  std::optional<typename types::memo> memo_after_log_;  // set where the log ends before the solve
  double t_ = 0, t_before_ = 0, h_ = 0;
  double t_event_ = -HUGE_VAL;  // of the last cut
  int current_ = 0, stuck_ = 0;
  index position_ = 0, attempts_ = 0, count_ = 0, rejected_again_ = 0;
  bool ended_ = false, saving_ = false, bounds_ = false;
  std::size_t next_save_ = 0;
  std::vector<index> save_steps_;
};

}  // namespace revode
