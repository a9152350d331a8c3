// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include <revode/solve/solve_state.hpp>

namespace revode {

/// What happens at the end of an accepted step: save points, and the cuts, which the first sweep
/// makes and replays repeat.
template <class M, class F, class Y, class P, class Events>
class solve_cuts : public solve_state<M, F, Y, P, Events> {
 public:
  using base = solve_state<M, F, Y, P, Events>;
  using base::base;
  using typename base::event_set_type;
  using typename base::tape_type;

  /// From now on the state before each cut is put there, in order.
  void keep_before_cuts(std::vector<Y>& before) { before_cuts_ = &before; }

 protected:
  using base::carries_, base::current_, base::direction_, base::end, base::ended_, base::h_,
      base::keep_point, base::log_, base::memory_, base::method_, base::next_save_, base::options_,
      base::position_, base::result_, base::save_steps_, base::saving_, base::search_,
      base::stretches_, base::stuck_, base::sys_, base::t1_, base::t_, base::t_event_, base::y0_;

  /// Looks for events in the step just tried: θ of the first, −1 without. False: not resolved.
  bool look(const tape_type& tape, double& theta) {
    if constexpr (event_set_type::located > 0 && has_dense_output_v<M>) {
      extend(method_, sys_, tape.t, tape.t_new, tape.stages, this->scratch());
      const auto at = [&](double x, Y& y) {
        interpolate(method_, tape.t, tape.t_new, tape.stages, this->scratch(), x, y);
      };
      using verdict = typename decltype(search_)::verdict;
      const verdict v =
          search_.look(stretches_.events(), tape.t, tape.t_new - tape.t, options_.event_samples, at,
                       value(method_, carries_[1 - current_].state), sys_.p);
      if (v == verdict::found) {
        theta = search_.theta();
        if (direction_ * (tape.t_new - time_at(tape, theta)) <= 0) theta = 1;
        return search_.occur(stretches_.events(), time_at(tape, theta), tape.t_new - tape.t, theta,
                             at, sys_.p);
      }
      return v != verdict::unresolved;
    }
    return true;
  }
  static double time_at(const tape_type& tape, double theta) {
    return theta < 0 || theta == 1 ? tape.t_new : tape.t + theta * (tape.t_new - tape.t);
  }

  /// The end of a stretch: t1, a known time, or the event at θ.
  [[gnu::noinline, gnu::cold]] void reach(const tape_type& tape, double theta, double h) {
    const bool pending = stretches_.pending(t_);
    if (theta < 0 && !pending && t_ == t1_) return end(status::success);
    restore_length(tape, h);
    if (theta < 0 && !pending) return pause();
    if (!(theta >= 0 && theta < 1) && stretches_.pending(t_))
      save_listed(stretches_.next().t, position_ - 1);
    make_cut(tape, theta);
  }

  /// The stretch goes on behind a time that was asked for on the way (step_by_step).
  void pause() {
    const bool fixed = log_.fixed_steps() > 0;
    stretches_.go_on(fixed && log_.fixed_end(position_ - 1 - stretches_.extra()) != t_);
  }

  /// A step that a stop cut to less than half says little about the length of the next.
  void restore_length(const tape_type& tape, double h) {
    if (tape.t_new != stretches_.end() || 2 * std::abs(tape.t_new - tape.t) >= std::abs(h)) return;
    if (std::abs(h) > std::abs(h_)) h_ = h;
    memory_ = without_last(options_.controller, memory_);
  }

  /// Cuts behind the step just accepted, at θ of it or at its end; at t0 if there is none.
  [[gnu::noinline, gnu::cold]] void make_cut(const tape_type& tape, double theta) {
    const double at = theta < 0 ? t_ : time_at(tape, theta);
    std::vector<int> found;
    if constexpr (event_set_type::located > 0)
      if (theta >= 0) found = search_.found();
    const bool fixed = log_.fixed_steps() > 0;  // where the step would have ended on its grid
    const double aim = fixed ? log_.fixed_end(position_ - 1 - stretches_.extra()) : at;
    const cut c = stretches_.add(position_ - 1, t_, at, theta, found, aim);
    if (before_cuts_ != nullptr) before_cuts_->push_back(state_before(c, tape));
    const bool moved = take_cut(c, tape);
    stretches_.keep_parameters();
    stretches_.enter(stretches_.stretch() + 1);
    const bool still = theta >= 0 && std::abs(at - t_event_) <= same_time(at, tape.t_new - tape.t);
    stuck_ = still ? stuck_ + 1 : 0;
    t_event_ = at;
    bool terminal = false;
    for (std::size_t k = c.first; k < c.past; ++k) {
      const int which = stretches_.event(k).which;
      if (which >= 0) result_.events.push_back({stretches_.time_of(c, k), which, c.step});
      stretches_.events().visit(which, [&](auto& e) { terminal = terminal || e.terminal; });
    }
    if (terminal) return end(status::terminal_event);
    if (t_ == t1_) return end(status::success);
    if (stuck_ > most_stuck || (c.begins && !know_sides(moved))) end(status::event_not_resolved);
  }
  [[gnu::noinline, gnu::cold]] void repeat_cut(const tape_type& tape, double h) {
    restore_length(tape, h);
    take_cut(stretches_.next_cut(), tape);
    stretches_.enter(stretches_.stretch() + 1);
  }

  /// The carry behind a cut, from that behind its step and the step's tape. Did a jump that may be for
  /// parameters alone change the state?
  [[gnu::noinline, gnu::cold]] bool take_cut(const cut& c, const tape_type& tape) {
    auto& carry = carries_[current_];
    bool moved = false;
    if (c.begins) {
      Y y = state_before(c, tape);
      [[maybe_unused]] std::conditional_t<event_set_type::moves_parameters, Y, nothing> before;
      if constexpr (event_set_type::moves_parameters) before = y;
      for (std::size_t k = c.first; k < c.past; ++k)
        stretches_.events().visit(stretches_.event(k).which, [&](auto& e) {
          e.jump(stretches_.time_of(c, k), y, stretches_.parameters());
        });
      if constexpr (event_set_type::moves_parameters) moved = !same_elements(before, y);
      begin(method_, sys_, c.t, y, carry);
    }
    t_ = c.t;
    return moved;
  }
  Y state_before(const cut& c, const tape_type& tape) {
    Y y = value(method_, carries_[current_].state);
    if constexpr (has_dense_output_v<M>) {
      if (c.theta < 0) return y;
      extend(method_, sys_, tape.t, tape.t_new, tape.stages, this->scratch());
      interpolate(method_, tape.t, tape.t_new, tape.stages, this->scratch(), c.theta, y);
    }
    return y;
  }

  /// On which side of its surface each event is; moved: see take_cut.
  bool know_sides(bool moved) {
    if constexpr (event_set_type::located > 0) {
      const Y& y = value(method_, carries_[current_].state);
      return search_.start(stretches_.events(), t_, direction_, y, sys_.p, moved,
                           [&](Y& out) { sys_(t_, y, out); });
    }
    return true;
  }

  void observe() {
    bool stop = false;
    const Y& y = value(method_, carries_[current_].state);
    const P& p = sys_.p;
    stretches_.events().for_each([&stop, &y, &p, t = t_](int, const auto& e) {
      if constexpr (step_observer<std::remove_cvref_t<decltype(e.event)>, Y, P>)
        stop = e.event.after_step(t, y, p) || stop;
    });
    if (stop && !ended_) end(status::stopped_by_callback);
  }

  /// Tells of an attempt; not of those that are repeated.
  template <class Outcome>
  void watch(double t_new, const Outcome& found) {
    if (ended_) return;
    const double error = std::sqrt(found.error_squared);
    const step_attempt a{t_, t_new, error, found.error_squared <= 1, found.what};
    stretches_.events().for_each([&a](int, const auto& e) {
      if constexpr (attempt_observer<std::remove_cvref_t<decltype(e.event)>>)
        e.event.after_attempt(a);
    });
  }

  /// Those inside the step just tried, up to an event in it: dense output.
  void save_inside(const tape_type& tape, double theta) {
    if constexpr (has_dense_output_v<M>) {
      const bool whole = theta < 0 || theta == 1;
      const double until = time_at(tape, theta);
      const auto& ts = options_.save.ts;
      bool extended = false;
      const auto keep = [&](double t, double at) {
        if (!std::exchange(extended, true))
          extend(method_, sys_, tape.t, tape.t_new, tape.stages, this->scratch());
        keep_point(t, y0_);
        interpolate(method_, tape.t, tape.t_new, tape.stages, this->scratch(), at,
                    result_.ys.back());
        save_steps_.push_back(position_);
      };
      for (; next_save_ < ts.size(); ++next_save_) {
        const double t = ts[next_save_], left = direction_ * (until - t);
        if (left < 0 || (whole && left == 0)) return;
        keep(t, (t - tape.t) / (tape.t_new - tape.t));
      }
      if (!whole && options_.save.every > 0 && (position_ + 1) % options_.save.every == 0)
        keep(until, theta);
    }
  }

  /// Those at the end of the step just accepted.
  void save_reached() {
    if (options_.save.every > 0 && position_ % options_.save.every == 0) {
      keep_point(t_, value(method_, carries_[current_].state));
      save_steps_.push_back(position_ - 1);
    }
    save_listed(t_, position_ - 1);
  }
  void save_listed(double until, index step) {
    const auto& ts = options_.save.ts;
    for (; next_save_ < ts.size() && direction_ * (until - ts[next_save_]) >= 0; ++next_save_) {
      keep_point(ts[next_save_], value(method_, carries_[current_].state));
      save_steps_.push_back(step);
    }
    saving_ = next_save_ < ts.size() || options_.save.every > 0;
  }

  std::vector<Y>* before_cuts_ = nullptr;
  static constexpr int most_stuck = 32;  // events in a row without progress in time
};

}  // namespace revode
