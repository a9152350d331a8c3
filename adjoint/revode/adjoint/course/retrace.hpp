// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <revode/adjoint/course/cut_adjoint.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/solve/course/course.hpp>
#include <revode/solve/course/stretches.hpp>
#include <revode/solve/system.hpp>

namespace revode {

/// The steps of a course again, over any scalar, its times standing still.
template <class M, class F, class Y, class P, class Course, class Events = no_events>
class retrace {
 public:
  using types = method_types<M, Y>;
  using state_type = typename types::state;
  using tape_type = step_tape<M, Y>;
  using scratch_type = typename types::scratch;
  using snapshot_type = snapshot<M, Y>;
  using system_type = system<F, Y, P>;
  using stretches_type = revode::stretches<Events, Y, P>;
  using event_set_type = typename stretches_type::set;

  /// What is given must outlive it, but for y0.
  retrace(const Y& y0, const P& p, const F& f, const M& m, const Course& course,
          const Events& events = {})
      : stretches_(course.stretches(), events, p),
        sys_(f, stretches_.parameters()),
        method_(m),
        course_(course),
        y0_(y0),
        carry_(make_carry(m, y0)),
        tape_(m, y0),
        scratch_(make_part<scratch_type>(m, y0)) {
    begin(method_, sys_, course.count() > 0 ? course.start(0) : course.t0(), y0_, carry_);
    if (course.cut_behind(-1)) take_cut(0);
  }

  index position() const { return position_; }
  bool finished() const { return position_ == course_.count(); }
  void step(tape_type& tape) {
    tape.t = course_.start(position_);
    tape.t_new = course_.end(position_);
    tape.record = course_.record(position_);
    if constexpr (event_set_type::moves_parameters)
      stretches_.use_parameters(stretches_.cuts_before(position_));
    replay(method_, sys_, tape.t, tape.t_new, tape.record, carry_, tape.stages);
    if (course_.cut_behind(position_)) take_cut(stretches_.cuts_before(position_), &tape);
    ++position_;
  }
  void run(index to, tape_type& tape) {
    while (position_ < to && !finished()) step(tape);
  }
  void save(std::optional<snapshot_type>& slot) const {
    slot.emplace(snapshot_type{position_, course_.start(position_), carry_.state, carry_.memo, {}});
  }
  void save_previous(std::optional<snapshot_type>&) const { REVODE_EXPECT(false); }
  void load(const snapshot_type& s) {
    position_ = s.step;
    carry_.state = s.state;
    carry_.memo = s.memo;
    stretches_.use_parameters(stretches_.cuts_before(position_));
    refresh(method_, sys_, s.t, carry_);
  }
  tape_type& work_tape() { return tape_; }
  /// As of a differentiable_stepper.
  index snapshot_bytes() const {
    return footprint(snapshot_type{0, course_.t0(), carry_.state, carry_.memo, {}});
  }
  index work_bytes() const {
    return footprint(carry_.state) + footprint(tape_) + footprint(scratch_);
  }

  // What pull_course asks for.
  const Course& course() const { return course_; }
  const state_type& state() const { return carry_.state; }
  const M& scheme() const { return method_; }
  const Y& y0() const { return y0_; }
  system_type& sys() { return sys_; }
  scratch_type& scratch() { return scratch_; }
  stretches_type& stretches() { return stretches_; }

 private:
  /// The carry behind the k-th cut, from the tape of its step (none: at t0).
  [[gnu::noinline, gnu::cold]] void take_cut(std::size_t k,
                                             [[maybe_unused]] const tape_type* tape = nullptr) {
    const cut& c = stretches_.cut_at(k);
    if (c.begins) {
      Y y = value(method_, carry_.state);
      if constexpr (event_set_type::located > 0 && has_dense_output_v<M>)
        if (c.theta >= 0) y = state_before(*this, c, *tape);
      for (std::size_t e = c.first; e < c.past; ++e)
        stretches_.events().visit(stretches_.event(e).which, [&](auto& event) {
          event.jump(stretches_.time_of(c, e), y, stretches_.parameters());
        });
      begin(method_, sys_, c.t, y, carry_);
    }
    if (kept_ == k) stretches_.keep_parameters(), ++kept_;
  }

  stretches_type stretches_;
  system_type sys_;
  M method_;
  const Course& course_;
  Y y0_;
  carry<M, Y> carry_;
  tape_type tape_;
  [[no_unique_address]] scratch_type scratch_;
  index position_ = 0;
  std::size_t kept_ = 0;  // cuts behind which the parameters are
};

/// The save points again, those that the course has, and behind them y(t1).
template <class M, class F, class Y, class P, class Course>
std::vector<Y> saved_states(const F& f, const Y& y0, const P& p, const M& m, const Course& course) {
  retrace<M, F, Y, P, Course> loop(y0, p, f, m, course);
  std::vector<Y> ys;
  std::size_t k = 0;
  const Y start = state_at_start(loop.sys(), course.t0(), y0);
  if (course.save_points().t0) ys.push_back(start);
  for (; k < course.saved() && course.save_step(k) < 0; ++k) ys.push_back(start);
  while (!loop.finished()) {
    const index i = loop.position();
    auto& tape = loop.work_tape();
    loop.step(tape);
    for (bool extended = false; k < course.saved() && course.save_step(k) == i; ++k) {
      ys.push_back(value(m, loop.state()));
      if constexpr (has_dense_output_v<M>) {
        const double ts = course.save_time(k);
        if (ts == tape.t_new) continue;
        if (!std::exchange(extended, true))
          extend(m, loop.sys(), tape.t, tape.t_new, tape.stages, loop.scratch());
        interpolate(m, tape.t, tape.t_new, tape.stages, loop.scratch(),
                    (ts - tape.t) / (tape.t_new - tape.t), ys.back());
      }
    }
  }
  ys.push_back(value(m, loop.state()));
  return ys;
}

}  // namespace revode
