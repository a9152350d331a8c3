// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/adjoint/course/moving_cuts.hpp>
#include <revode/solve/course/ends.hpp>

namespace revode {

/// The times of a course over duals, which move along a direction: t0, t1, save points, stops and
/// events, and with them the ends of its steps; every other time of its grid stands still.
template <class Course, class Events, class Y, class P>
class moving_times {
 public:
  using scalar = scalar_t<Y>;
  using number = inner_t<scalar>;
  using cuts_type = moving_cuts<Events, Y, P>;

  /// The course must outlive this.
  template <class Direction>
  moving_times(const Course& course, const Events& events, const P& p, const Direction& along)
      : course_(course),
        cuts_(course.stretches(), course.stops(), events, p, along),
        t0_(static_cast<number>(course.t0())),
        t1_(static_cast<number>(course.t1())) {
    t0_.d[0] = static_cast<number>(along.t0);
    t1_.d[0] = static_cast<number>(along.t1);
    for (std::size_t k = 0; k < course.saved(); ++k) {
      ts_.push_back(scalar(course.save_time(k)));
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
  const Course& course() const { return course_; }
  const scalar& at_t0() const { return t0_; }
  const scalar& at_t1() const { return t1_; }
  const scalar& save_time(std::size_t k) const { return ts_[k]; }

  /// Where in step i the time t lies.
  scalar place_of(index i, const scalar& t) const {
    const scalar from = start_of(i), length = end_of(i) - from;
    return (t - from) / length;
  }

 protected:
  /// Is t1 behind a cut by a step of length 0?
  bool flows_to_end() const {
    return course_.status() == status::success && course_.cut_behind(course_.count() - 1);
  }
  scalar left_at_end() const {
    scalar left = t1_ - cuts_.start(cuts_.cut_count() - 1);
    left.value = 0;
    return left;
  }

  scalar start_of(index i) const { return moved(ends(i).from, i, course_.start(i)); }
  scalar end_of(index i) const { return moved(ends(i).to, i, course_.end(i)); }

  /// Is the k-th save point inside a step, neither at t0 nor at its end?
  bool is_inside(std::size_t k) const {
    const index i = course_.save_step(k);
    return i >= 0 && (course_.t1() < course_.t0() ? course_.save_time(k) > course_.end(i)
                                                  : course_.save_time(k) < course_.end(i));
  }

  const Course& course_;
  cuts_type cuts_;
  scalar t0_, t1_;
  std::vector<scalar> ts_;

 private:
  moving_ends ends(index i) const {
    return ends_of_step(course_.stretches(), cuts_.cuts_before(i), course_.equal_steps(), i,
                        course_.end(i), course_.t1());
  }
  scalar moved(const moving_end& end, index i, double t) const {
    const std::size_t k = cuts_.cuts_before(i);
    return with_value(
        end.of(t0_, t1_, end.start ? cuts_.start(k - 1) : t0_, cuts_.known_times(), scalar(t)), t);
  }
};

}  // namespace revode
