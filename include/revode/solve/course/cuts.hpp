// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <revode/schedule/action.hpp>
#include <revode/solve/course/rules.hpp>
#include <revode/solve/options.hpp>

namespace revode {

/// A time known beforehand at which a step ends: a stop (which = −1), a discontinuity (−2) or a
/// timed event. `end` is where the step before it ends, `after` where the next one begins.
struct known_time {
  double t, end, after;
  int which;
  std::size_t number;  ///< in options::stops, options::discontinuities or the event's list
};

/// Passes the known times that are due in a cut at t, the first of `due` … end: each may move t on. Does the method
/// begin afresh behind one of them?
template <class Place>
REVODE_HD bool pass_known_times(double direction, const known_time* known, Place end, Place& due,
                                double& t) {
  bool begins = false;
  for (; due < end && reaches(direction, t, known[due].end); ++due) {
    const known_time& k = known[due];
    begins = begins || k.which >= 0 || k.after != k.t || k.end != k.t;
    if (direction * (k.after - t) > 0) t = k.after;
  }
  return begins;
}
/// The order of what occurs in a cut: its known times `first` … past, each at_known(k), and before each event's
/// the located ones that the list of events has before it, located(from, before); at last those up to `count`.
template <class Place, class Located, class Known>
REVODE_HD void in_order_of_cut(const known_time* known, Place first, Place past, int count,
                               const Located& located, const Known& at_known) {
  int done = 0;
  for (; first < past; ++first) {
    const int before = known[first].which;
    if (before > done) {
      located(done, before);
      done = before;
    }
    at_known(first);
  }
  located(done, count);
}

/// What occurred in a cut: a located event, or one of the known times.
struct cut_event {
  int which;           ///< in the list of events; −1, −2: a stop
  std::ptrdiff_t due;  ///< the known time, −1 for a located event
};

/// Where the sequence of steps is cut: behind step `step` (−1: at t0) the solution goes on at time t
/// from another state, or with another step in mind. The step stays whole: what counts of it ends at
/// θ (−1: at its end).
struct cut {
  index step;
  double end, t;  ///< the step's end; the start of the next
  double theta;
  std::size_t first, past;  ///< its cut_events
  std::size_t due;          ///< known times behind which the solution is then
  index extra;              ///< equal steps that were cut in two so far
  bool begins;              ///< the method begins afresh
};

/// What the bytes of cuts follow from.
struct cut_sizes {
  index known = 0;    ///< times known beforehand
  index given = 0;    ///< stops, discontinuities and times in lists, wherever they are
  index events = 0;   ///< in the list of them
  index at_once = 0;  ///< the most in one cut
  index state = 0;  ///< bytes of a state and of parameters, with what they keep outside themselves
  index parameters = 0;  ///< of the parameters kept behind a cut
};
/// The most that a solve with so many occurrences of located events and its gradient allocate for
/// cuts: their log, what the solution and the gradient say of them, the states of the one at hand.
index bytes_of_cuts(const cut_sizes& sizes, index located);

/// The stretches of a solve between its cuts: which one it is in, and where that ends at the latest.
/// The log of the cuts is all that a replay needs to repeat them without looking for them; O(events).
class cut_list {
 public:
  cut_list(const options& o, double t0, double t1);

  /// Adds a time of an event; at one time stops come first, then events in the order added.
  /// errors  std::invalid_argument for a time that is not finite
  void add_known_time(double t, int which, std::size_t number, bool discontinuity);

  /// Takes memory for all known times, and so many occurrences of located events, at once.
  void reserve(index located);

  /// Where the next known time, or t1, ends a step.
  double end() const { return end_; }
  /// Lets stretches end at t at the latest, until go_on.
  void pause_at(double t) {
    pause_ = t;
    find_end();
  }
  /// cuts_step: the pause was inside a step of a fixed grid.
  void go_on(bool cuts_step) {
    extra_ += cuts_step ? 1 : 0;
    pause_at(direction_ * HUGE_VAL);
  }
  /// In a replay: the number of steps behind which the next cut is; none: unbounded.
  index cut_after() const { return cut_after_; }
  /// Equal steps that were cut in two so far.
  index extra() const { return extra_; }
  std::size_t stretch() const { return stretch_; }

  /// Is a known time to be dealt with, at t?
  bool pending(double t) const {
    return due_ < known_.size() && reaches(direction_, t, known_[due_].end);
  }
  const known_time& next() const { return known_[due_]; }
  const known_time& known(std::size_t k) const { return known_[k]; }
  std::size_t known_count() const { return known_.size(); }

  std::size_t cut_count() const { return cuts_.size(); }
  const cut& cut_at(std::size_t k) const { return cuts_[k]; }
  /// Does the first step begin behind a cut at t0?
  bool begins_at_start() const { return !cuts_.empty() && cuts_[0].step < 0 && cuts_[0].begins; }
  const cut& next_cut() const { return cuts_[stretch_]; }
  const cut_event& event(std::size_t k) const { return events_[k]; }
  std::size_t event_count() const { return events_.size(); }
  /// The time of the k-th cut event, which is of cut c.
  double time_of(const cut& c, std::size_t k) const;
  /// How many cuts there are behind steps before this one.
  std::size_t cuts_before(index step) const;
  index bytes() const;

 protected:
  /// Logs the cut at time t, behind step `step` that ends at `end`: the located events that are found[k] at θ of
  /// it, and every known time that is due. An equal step would have ended at `aim`.
  const cut& log_cut(index step, double end, double t, double theta, std::span<const bool> found,
                     double aim);
  /// Into the k-th stretch, behind k cuts.
  void enter_stretch(std::size_t k);

 private:
  friend struct kept_parts;
  void find_end();

  double t0_, t1_, direction_, pause_, end_ = 0;
  index cut_after_ = unbounded, extra_ = 0;
  std::size_t stretch_ = 0, due_ = 0;
  std::vector<known_time> known_;
  std::vector<cut> cuts_;
  std::vector<cut_event> events_;
};

}  // namespace revode
