// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <revode/solve/course/rules.hpp>
#include <revode/solve/options.hpp>
#include <revode/solve/solution.hpp>

namespace revode {

/// Keeps the save points of a solve, in the order of its steps, and in which step each lies.
template <class Y>
class point_keeper {
 public:
  /// `points` and `kept`, which gets them, must outlive it.
  point_keeper(const save_at& points, double direction, solution<Y>& kept)
      : points_(points),
        direction_(direction),
        kept_(kept),
        waits_(!points.ts.empty() || points.every > 0) {
    const std::size_t most = points.ts.size() + (points.t0 ? 1 : 0) + (points.t1 ? 1 : 0);
    kept_.ts.reserve(most);
    kept_.ys.reserve(most);
    steps_.reserve(most);
  }

  /// Are there points to come?
  bool waits() const { return waits_; }
  std::size_t count() const { return steps_.size(); }
  /// The k-th between the ends: its time, and the step in which it lies; −1 for one at t0.
  double time(std::size_t k) const { return kept_.ts[k + (points_.t0 ? 1 : 0)]; }
  index step(std::size_t k) const { return steps_[k]; }

  void keep_start(double t, const Y& y) {
    if (points_.t0) keep(t, y);
    keep_listed(t, y, -1);
  }
  void keep_end(double t, const Y& y) {
    if (points_.t1) keep(t, y);
  }
  /// Those listed up to a time at the end of a step, where the solution is y.
  void keep_listed(double until, const Y& y, index step) {
    for (; next_ < points_.ts.size() && reaches(direction_, until, points_.ts[next_]); ++next_) {
      keep(points_.ts[next_], y);
      steps_.push_back(step);
    }
    waits_ = next_ < points_.ts.size() || points_.every > 0;
  }
  /// Those at the end of a step.
  void keep_reached(double t, const Y& y, index step) {
    if (points_.every > 0 && (step + 1) % points_.every == 0) {
      keep(t, y);
      steps_.push_back(step);
    }
    keep_listed(t, y, step);
  }
  /// Those inside the step on the march's tape, up to `until`, at θ of it (an event; `whole`: its end).
  template <class March>
  void keep_inside(March& march, const typename March::tape_type& tape, double until, double theta,
                   bool whole, index step) {
    bool extended = false;
    const auto keep_at = [&](double t, double at) {
      if (!std::exchange(extended, true)) march.extended(tape);
      keep(t, march.y0);
      march.inside(tape, at, kept_.ys.back());
      steps_.push_back(step);
    };
    for (; next_ < points_.ts.size(); ++next_) {
      const double t = points_.ts[next_];
      if (!lies_inside(direction_, until, t, whole)) return;
      keep_at(t, (t - tape.t) / (tape.t_new - tape.t));
    }
    if (!whole && points_.every > 0 && (step + 1) % points_.every == 0) keep_at(until, theta);
  }

 private:
  friend struct kept_parts;
  [[gnu::noinline]] void keep(double t, const Y& y) {
    kept_.ts.push_back(t);
    kept_.ys.push_back(y);
  }

  const save_at& points_;
  double direction_;
  solution<Y>& kept_;
  bool waits_;
  std::size_t next_ = 0;
  std::vector<index> steps_;
};

}  // namespace revode
