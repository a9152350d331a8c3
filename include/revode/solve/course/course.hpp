// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/solve/course/cuts.hpp>
#include <revode/solve/options.hpp>
#include <revode/status.hpp>

namespace revode {

/// The course of a solve that has ended, to be taken again over any scalar: the ends of its accepted
/// steps with what replays need, where it was cut, in which steps its save points lie.
/// memory  8 bytes and a record a step, the cuts
template <class Record>
class course {
 public:
  /// Runs a solve to its end and notes its course. `seen(loop)` is called behind each step.
  template <class Solve, class Seen>
  course(Solve& solve, Seen&& seen) : cuts_(solve.stretches()) {
    ends_.push_back(solve.t0());
    while (!solve.finished()) {
      const index i = solve.position();
      solve.step(solve.work_tape());
      if (solve.position() == i) break;
      ends_.push_back(solve.work_tape().t_new);
      records_.push_back(solve.work_tape().record);
      seen(solve);
    }
    cuts_ = solve.stretches();
    for (std::size_t k = 0; k < solve.saved(); ++k) {
      save_steps_.push_back(solve.save_step(k));
      save_times_.push_back(solve.save_time(k));
    }
    points_ = solve.save_points();
    stops_ = solve.stops();
    discontinuities_ = solve.discontinuities();
    equal_ = solve.equal_steps();
    t1_ = solve.t1();
    status_ = solve.status();
  }
  template <class Solve>
  explicit course(Solve& solve) : course(solve, [](const Solve&) {}) {}

  index bytes() const {
    return static_cast<index>(ends_.capacity() * sizeof(double) +
                              records_.capacity() * sizeof(Record)) +
           cuts_.bytes();
  }
  index count() const { return static_cast<index>(records_.size()); }
  double t0() const { return ends_[0]; }
  double t1() const { return t1_; }
  /// Where step i begins: behind a cut not where the one before ended.
  double start(index i) const {
    if (cuts_.cut_count() == 0) return ends_[static_cast<std::size_t>(i)];
    const std::size_t k = cuts_.cuts_before(i);
    return k > 0 && cuts_.cut_at(k - 1).step == i - 1 ? cuts_.cut_at(k - 1).t
                                                      : ends_[static_cast<std::size_t>(i)];
  }
  double end(index i) const { return ends_[static_cast<std::size_t>(i) + 1]; }
  const Record& record(index i) const { return records_[static_cast<std::size_t>(i)]; }
  /// Is there a cut behind step i (−1: at t0)?
  bool cut_behind(index i) const {
    if (cuts_.cut_count() == 0) return false;
    const std::size_t k = cuts_.cuts_before(i);
    return k < cuts_.cut_count() && cuts_.cut_at(k).step == i;
  }

  // As of a stepper.
  const cut_list& stretches() const { return cuts_; }
  index equal_steps() const { return equal_; }
  const save_at& save_points() const { return points_; }
  std::size_t saved() const { return save_steps_.size(); }
  index save_step(std::size_t k) const { return save_steps_[k]; }
  double save_time(std::size_t k) const { return save_times_[k]; }
  std::size_t stops() const { return stops_; }
  std::size_t discontinuities() const { return discontinuities_; }
  revode::status status() const { return status_; }

 private:
  std::vector<double> ends_{};  // t_0 … t_n
  std::vector<Record> records_{};
  cut_list cuts_;
  std::vector<index> save_steps_{};
  std::vector<double> save_times_{};
  save_at points_{};
  std::size_t stops_ = 0, discontinuities_ = 0;
  index equal_ = 0;
  double t1_ = 0;
  revode::status status_ = revode::status::success;
};

}  // namespace revode
