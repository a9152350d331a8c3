// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/course/moving_times.hpp>
#include <revode/solve/course/moving_step.hpp>

namespace revode {

/// The steps of a solve over duals, on its grid as it moves along a direction: the outer ends, stops
/// and events move, within every step the field moves with its ends (solve/course/moving_step.hpp).
/// Y and P are over dual<T, 1>. Where times move, the state of the method is y itself; where `Moves` says
/// that none does, the field is asked as it is.
template <class M, class F, class Y, class P, class Course, class Events, bool Moves = true>
class moving_loop : public moving_times<Course, Events, Y, P> {
 public:
  using times = moving_times<Course, Events, Y, P>;
  using typename times::cuts_type;
  using typename times::number;
  using typename times::scalar;
  using field_type = std::conditional_t<Moves, moving_step_field<F, scalar>, F>;
  using system_type = system<field_type, Y, P>;
  using event_set_type = typename cuts_type::set;
  using types = method_types<M, Y>;
  using state_type = typename types::state;
  using record_type = typename types::record;
  using tape_type = step_tape<M, Y>;
  using snapshot_type = snapshot<M, Y>;
  static_assert(!is_multistep_v<M>);

  /// What is given by reference must outlive it but y0 and p; the solve has ended.
  template <class Direction>
  moving_loop(const Y& y0, const P& p, const F& f, const M& m, const Course& course,
              const Events& events, const Direction& along)
      : times(course, events, p, along),
        field_{f},
        sys_(field_.of(), cuts_.parameters()),
        method_(m),
        y0_(y0),
        carry_(make_carry(m, y0)),
        tape_(m, y0),
        scratch_(make_part<typename types::scratch>(m, y0)) {
    if (course_.cut_behind(-1))
      take_cut(0, tape_);
    else
      begin_at(t0_, course_.t0(), y0_);
    if (count() == 0 || cuts_.begins_at_start()) save_start();
  }

  index position() const { return position_; }
  bool finished() const { return position_ == count(); }
  void step(tape_type& tape) {
    tape.t = course_.start(position_);
    tape.t_new = course_.end(position_);
    tape.record = course_.record(position_);
    const bool stood = fresh_ && field_.stands();
    enter(position_);
    if (!(stood && field_.stands())) refresh(method_, sys_, tape.t, carry_);
    replay(method_, sys_, tape.t, tape.t_new, tape.record, carry_, tape.stages);
    save_points(tape);
    if (course_.cut_behind(position_)) take_cut(cuts_.cuts_before(position_), tape);
    ++position_;
    fresh_ = true;
  }
  void run(index to, tape_type& tape) {
    while (position_ < to && !finished()) step(tape);
  }
  void save(std::optional<snapshot_type>& slot) const {
    slot.emplace(snapshot_type{position_, 0, carry_.state, carry_.memo, {}});
  }
  void save_previous(std::optional<snapshot_type>&) const { REVODE_EXPECT(false); }
  void load(const snapshot_type& s) {
    position_ = s.step;
    carry_.state = s.state;
    carry_.memo = s.memo;
    fresh_ = false;
  }
  tape_type& work_tape() { return tape_; }

  /// y(t0), before everything.
  Y start() {
    cuts_.use_parameters(0);
    move_with(t0_);
    return state_at_start(sys_, course_.t0(), y0_);
  }
  /// y(t1), behind everything.
  Y end() {
    Y y = value(method_, carry_.state);
    if (!flows_to_end()) return y;
    const std::size_t k = cuts_.cut_count();
    cuts_.use_parameters(k);
    Y slope = y;
    slope_at(*this, cuts_.start(k - 1), y, slope);
    axpy(left_at_end(), slope, y);
    return y;
  }
  /// The listed save points that were reached.
  const std::vector<Y>& saved() const { return saved_; }

  // What the adjoint of cuts asks for (cut_adjoint.hpp).
  cuts_type& stretches() { return cuts_; }
  system_type& sys() { return sys_; }
  const M& scheme() const { return method_; }
  const Y& y0() const { return y0_; }
  const state_type& state() const { return carry_.state; }
  typename types::scratch& scratch() { return scratch_; }
  /// The field as seen from a time that moves by itself.
  void move_with(const scalar& t) {
    const double at = t.value;
    field_.move(at, at + (std::abs(at) + 1), with_value(t, 0), with_value(t, 0));
  }
  scalar pace() const { return field_.pace(); }
  /// Back over the step of length 0 along f before an event: what its length has of second order.
  void pull_flow(std::size_t e, const Y& y, scalar& t_bar, Y& y_bar, P& p_bar) {
    pull_flow(cuts_.flow(e), cuts_.time_of(e).value, y, y_bar, t_bar, y_bar, p_bar);
  }
  /// Likewise over the one between the last cut and t1.
  void pull_flow_to_end(const Y& y, scalar& t_bar, Y& y_bar, P& p_bar) {
    pull_flow(left_at_end(), course_.t1(), y, y_bar, t_bar, y_bar, p_bar);
  }

  /// Likewise over the one between t0 and the k-th save point there, w that of the latter: wᵀy' at its end.
  scalar pull_point_at_start(std::size_t k, const Y& w, scalar& t_bar, Y& y_bar, P& p_bar) {
    pull_flow(ts_[k] - t0_, course_.t0(), start(), w, t_bar, y_bar, p_bar);
    return along_solution(*this, ts_[k], saved_[k], w);
  }

  /// The states of the k-th cut, from the tape of its step, in which the loop is; notes when they are.
  event_states<Y, P> states_of(std::size_t k, const tape_type& tape) {
    const cut& c = cuts_.cut_at(k);
    cuts_.use_parameters(k);
    event_states<Y, P> s;
    scalar t = t0_;
    s.y.push_back(before_cut(k, tape, t));
    s.p.push_back(cuts_.parameters());
    for (std::size_t e = c.first; e < c.past; ++e) {
      cuts_.happens(c, e, t);
      if (e > c.first || c.step < 0) flow_to(c, e, s);
      t = cuts_.time_of(e);
      s.y.push_back(s.y.back());
      s.p.push_back(s.p.back());
      cuts_.events().visit(cuts_.event(e).which,
                           [&](auto& event) { event.jump(t, s.y.back(), s.p.back()); });
    }
    cuts_.start(k) = with_value(t, c.t);
    return s;
  }
  /// Into step i: its stretch, and the field as it moves there.
  void enter(index i) {
    if constexpr (event_set_type::moves_parameters) cuts_.use_parameters(cuts_.cuts_before(i));
    if constexpr (Moves)
      field_.move(course_.start(i), course_.end(i), with_value(start_of(i), 0),
                  with_value(end_of(i), 0));
    extended_ = false;
  }

 private:
  /// The field of the steps, and how it moves in the one at hand.
  struct moving_field {
    std::conditional_t<Moves, field_type, const F&> f;

    explicit moving_field(const F& plain)
        : f([&plain]() -> decltype(f) {
            if constexpr (Moves)
              return field_type{{plain, 0, 1, scalar(0), scalar(0)}};
            else
              return plain;
          }()) {}
    const field_type& of() const { return f; }
    void move([[maybe_unused]] double t, [[maybe_unused]] double t_new,
              [[maybe_unused]] const scalar& from, [[maybe_unused]] const scalar& to) {
      if constexpr (Moves) f.t = t, f.t_new = t_new, f.from = from, f.to = to;
    }
    bool stands() const {
      if constexpr (Moves) return f.from.d[0] == 0 && f.to.d[0] == 0;
      return true;
    }
    scalar pace() const {
      if constexpr (Moves) return f.pace();
      return scalar(1);
    }
  };

  using times::course_, times::cuts_, times::end_of, times::flows_to_end, times::is_inside,
      times::left_at_end, times::start_of, times::t0_, times::ts_;

  index count() const { return course_.count(); }
  void extend_once(const tape_type& tape) {
    if (!std::exchange(extended_, true))
      extend(method_, sys_, tape.t, tape.t_new, tape.stages, scratch_);
  }
  void begin_at(const scalar& moving, double t, const Y& y) {
    move_with(moving);
    begin(method_, sys_, t, y, carry_);
  }

  /// Those at t0, where no step begins at once.
  void save_start() {
    for (std::size_t k = 0; k < ts_.size() && course_.save_step(k) < 0; ++k) {
      saved_.push_back(start());
      Y slope = saved_.back();
      if (ts_[k].d[0] != t0_.d[0]) slope_at(*this, t0_, saved_[k], slope);
      axpy(ts_[k] - t0_, slope, saved_.back());
    }
  }
  /// Those of the step just taken, the first time.
  void save_points(const tape_type& tape) {
    for (std::size_t k = saved_.size(); k < ts_.size() && course_.save_step(k) <= position_; ++k) {
      const bool first = course_.save_step(k) < 0;
      saved_.push_back(first ? start() : Y(value(method_, carry_.state)));
      if (first) enter(position_);
      if (course_.save_points().every > 0) {
        at_event(tape, saved_.back());
        continue;
      }
      if constexpr (has_dense_output_v<M>) {
        extend_once(tape);
        const moving_place<M, Y> place(this->place_of(position_, ts_[k]));
        if (is_inside(k))
          place.interpolate_at(method_, tape, scratch_, saved_.back());
        else
          place.add_motion(method_, tape, scratch_, saved_.back());
      }
    }
  }
  /// y at the located event inside the step just taken, if there is one.
  void at_event(const tape_type& tape, Y& y) {
    const std::size_t k = cuts_.cuts_before(position_);
    if (!course_.cut_behind(position_) || cuts_.event(cuts_.cut_at(k).first).due >= 0) return;
    scalar t;
    y = before_cut(k, tape, t);
  }
  void take_cut(std::size_t k, const tape_type& tape) {
    const cut& c = cuts_.cut_at(k);
    if (!c.begins) {
      const auto due = static_cast<std::size_t>(cuts_.event(c.first).due);
      cuts_.start(k) = with_value(c.step < 0 ? t0_ : cuts_.known_at(due), c.t);
      cuts_.use_parameters(k);
      cuts_.keep_parameters(k, cuts_.parameters());
      if (c.step < 0) begin_at(t0_, c.t, y0_);
      return;
    }
    const auto states = states_of(k, tape);
    cuts_.keep_parameters(k, states.p.back());
    cuts_.use_parameters(k + 1);
    begin_at(cuts_.start(k), c.t, states.y.back());
  }

  /// y and t before its first event.
  Y before_cut(std::size_t k, const tape_type& tape, scalar& t) {
    const cut& c = cuts_.cut_at(k);
    const cut_event& first = cuts_.event(c.first);
    if (c.step < 0) return start();
    if (first.due >= 0) {
      t = cuts_.known_at(static_cast<std::size_t>(first.due));
      return state_before(*this, c, tape);
    }
    Y y = y0_;
    if constexpr (has_dense_output_v<M>) {
      const scalar from = start_of(c.step), to = end_of(c.step);
      extend_once(tape);
      cuts_.root(k) = root_of(c, tape, from, to - from);
      t = from + cuts_.root(k) * (to - from);
      moving_place<M, Y>(cuts_.root(k)).interpolate_at(method_, tape, scratch_, y);
    }
    return y;
  }
  /// θ with condition(t(θ), y(θ), p) = 0: its value is the solve's.
  scalar root_of(const cut& c, const tape_type& tape, const scalar& from, const scalar& length) {
    scalar theta(c.theta), still(0), moving(0);
    Y y = y0_;
    const auto condition = [&](const scalar& t, const P& p) {
      scalar g(0);
      cuts_.events().visit(cuts_.event(c.first).which, [&](auto& event) {
        if constexpr (std::remove_cvref_t<decltype(event)>::located) g = event.condition(t, y, p);
      });
      return g;
    };
    moving_place<M, Y>(theta).interpolate_at(method_, tape, scratch_, y);
    still = condition(from + theta * length, cuts_.parameters());
    theta.d[0] = 1;
    P p = cuts_.parameters();
    hold(y);
    hold(p);
    moving_place<M, Y>(theta).add_motion(method_, tape, scratch_, y);
    moving = condition(scalar(from.value) + theta * scalar(length.value), p);
    theta.d[0] = moving.d[0] != 0 ? -still.d[0] / moving.d[0] : number(0);
    return theta;
  }
  /// x without its tangent.
  template <class X>
  static void hold(X& x) {
    for (int i = 0, n = length(x); i < n; ++i) x.data()[i].d[0] = 0;
  }
  /// Event e of a cut from where the one before it is.
  void flow_to(const cut& c, std::size_t e, event_states<Y, P>& s) {
    scalar& by = cuts_.flow(e);
    by = scalar(0);
    const scalar t = cuts_.time_of(e);
    const cut_flow<moving_loop, Y, P> flow(*this, c, e, s);
    if (!flow.located) {
      by.d[0] = cuts_.known_at(static_cast<std::size_t>(cuts_.event(e).due)).d[0] - t.d[0];
    } else if (flow.free) {
      cuts_.events().visit(cuts_.event(e).which, [&](auto& event) {
        if constexpr (std::remove_cvref_t<decltype(event)>::located)
          by.d[0] = -event.condition(t, s.y.back(), s.p.back()).d[0] / flow.rate.value;
      });
    }
    axpy(by, flow.slope, s.y.back());
    cuts_.happens(c, e, t + by);
  }
  void pull_flow(const scalar& by, double t, const Y& y, const Y& behind, scalar& t_bar, Y& y_bar,
                 P& p_bar) {
    if (by.d[0] == 0) return;
    Y w = zero_like(y);
    axpy(by, behind, w);
    move_with(scalar(static_cast<number>(t)));
    pull_slope(sys_, t, y, w, t_bar, y_bar, p_bar);
  }

  moving_field field_;
  system_type sys_;
  M method_;
  Y y0_;
  carry<M, Y> carry_;
  tape_type tape_;
  [[no_unique_address]] typename types::scratch scratch_;
  std::vector<Y> saved_;
  index position_ = 0;
  bool extended_ = false;
  bool fresh_ = true;  // the cache is the carry's, of the field as it is
};

}  // namespace revode
