// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/adjoint/moving_cuts.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// A step that was accepted.
template <class Record>
struct accepted_step {
  double t, t_new;
  [[no_unique_address]] Record record;
};

/// Runs a solve to its end and notes its steps.
template <class Loop>
auto accepted_steps(Loop& solve) {
  std::vector<accepted_step<typename Loop::record_type>> steps;
  while (!solve.finished()) {
    const index i = solve.position();
    const auto& tape = solve.work_tape();
    solve.step(solve.work_tape());
    if (solve.position() > i) steps.push_back({tape.t, tape.t_new, tape.record});
  }
  return steps;
}

/// The times of a solve over duals, which move along a direction: t0, t1, save points, stops and
/// events, and with them the ends of its steps; every other time of its grid stands still.
template <class Solve, class Events, class Y, class P>
class moving_times {
 public:
  using scalar = scalar_t<Y>;
  using number = inner_t<scalar>;
  using cuts_type = moving_cuts<Events, Y, P>;
  using steps_type = std::vector<accepted_step<typename Solve::record_type>>;

  /// The solve has ended; it and its steps must outlive this.
  template <class Direction>
  moving_times(const Solve& solve, const Events& events, const steps_type& steps, const P& p,
               const Direction& along)
      : solve_(solve),
        steps_(steps),
        cuts_(solve.stretches(), solve.stops(), events, p, along),
        t0_(static_cast<number>(solve.t0())),
        t1_(static_cast<number>(solve.t1())) {
    t0_.d[0] = static_cast<number>(along.t0);
    t1_.d[0] = static_cast<number>(along.t1);
    for (std::size_t k = 0; k < solve.saved(); ++k) {
      ts_.push_back(scalar(solve.save_time(k)));
      if (!along.ts.empty()) ts_.back().d[0] = static_cast<number>(along.ts[k]);
    }
  }
  moving_times(const moving_times&) = delete;
  moving_times& operator=(const moving_times&) = delete;

  /// Of those in the list, as in solution::events.
  std::vector<scalar> event_times() const {
    std::vector<scalar> times;
    for (std::size_t e = 0; e < cuts_.event_count(); ++e)
      if (cuts_.event(e).which >= 0) times.push_back(cuts_.time_of(e));
    return times;
  }

 protected:
  index count() const { return static_cast<index>(steps_.size()); }
  const auto& step_at(index i) const { return steps_[static_cast<std::size_t>(i)]; }
  bool cut_behind(index step) const {
    const std::size_t k = cuts_.cuts_before(step);
    return k < cuts_.cut_count() && cuts_.cut_at(k).step == step;
  }
  const cut* last_cut(index step) const {
    const std::size_t k = cuts_.cuts_before(step);
    return k > 0 ? &cuts_.cut_at(k - 1) : nullptr;
  }
  /// Is t1 behind a cut by a step of length 0?
  bool flows_to_end() const {
    return solve_.status() == status::success && cuts_.cut_count() > 0 &&
           cuts_.cut_at(cuts_.cut_count() - 1).step == count() - 1;
  }
  scalar left_at_end() const {
    scalar left = t1_ - cuts_.start(cuts_.cut_count() - 1);
    left.value = 0;
    return left;
  }

  /// Is the end of step i a known time, that of `due`?
  bool ends_known(index i, std::size_t& due) const {
    const cut* before = last_cut(i);
    due = before != nullptr ? before->due : 0;
    return due < cuts_.known_count() && cuts_.known(due).end == step_at(i).t_new;
  }
  /// Equal steps: the share that t1 has in the end of step i − 1.
  double share(index i, const cut* before) const {
    const index at = i - (before != nullptr ? before->extra : 0);
    return static_cast<double>(at) / static_cast<double>(solve_.log().equal_steps());
  }
  bool equal() const { return solve_.log().equal_steps() > 0; }
  scalar start_of(index i) const {
    const std::size_t k = cuts_.cuts_before(i);
    if (k > 0 && cuts_.cut_at(k - 1).step == i - 1) return cuts_.start(k - 1);
    const double t = step_at(i).t;
    if (equal()) return with_value(on_grid(share(i, last_cut(i))), t);
    return i == 0 ? t0_ : scalar(t);
  }
  scalar end_of(index i) const {
    const double t_new = step_at(i).t_new;
    std::size_t due = 0;
    if (ends_known(i, due)) return with_value(cuts_.known_at(due), t_new);
    if (equal()) return with_value(on_grid(share(i + 1, last_cut(i))), t_new);
    return t_new == solve_.t1() ? t1_ : scalar(t_new);
  }
  scalar on_grid(double s) const {
    return scalar(static_cast<number>(1 - s)) * t0_ + scalar(static_cast<number>(s)) * t1_;
  }

  /// Where in step i the time t lies.
  scalar place_of(index i, const scalar& t) const {
    const scalar from = start_of(i), length = end_of(i) - from;
    return (t - from) / length;
  }
  /// Is the k-th save point at the end of a step, or inside?
  template <class Tape>
  bool at_end(std::size_t k, const Tape& tape) const {
    const double ts = solve_.save_time(k);
    return tape.t_new < tape.t ? ts <= tape.t_new : ts >= tape.t_new;
  }
  template <class Tape>
  bool is_inside(std::size_t k, const Tape& tape) const {
    return !at_end(k, tape) && solve_.save_step(k) >= 0;
  }

  const Solve& solve_;
  const steps_type& steps_;
  cuts_type cuts_;
  scalar t0_, t1_;
  std::vector<scalar> ts_;
};

}  // namespace revode
