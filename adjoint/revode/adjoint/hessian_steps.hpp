// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <revode/adjoint/checked_gradient.hpp>

namespace revode {

/// A stop or discontinuity behind a step.
struct known_cut {
  index step;
  double after;      ///< where the next step begins
  bool begins;       ///< and whether the method begins afresh there
  std::size_t stop;  ///< in gradient::stops
  index extra;       ///< equal steps that were cut in two so far
};

/// The accepted steps of a solve, to be taken again over any scalar.
template <class Record>
struct known_steps {
  std::vector<double> ends;  ///< t_0 … t_n
  std::vector<Record> records;
  index equal = 0;                  ///< n where they are equal: all times move with t0 and t1
  std::vector<index> save_steps{};  ///< in which step a listed save point lies; −1: at t0
  std::vector<known_cut> cuts{};
  std::size_t stops = 0;  ///< stops and discontinuities

  index count() const { return static_cast<index>(records.size()); }
  /// The last cut behind this step or one before; null: none.
  const known_cut* last_cut(index step) const {
    const auto past = std::partition_point(cuts.begin(), cuts.end(),
                                           [step](const known_cut& c) { return c.step <= step; });
    return past == cuts.begin() ? nullptr : &*(past - 1);
  }
  /// The cut right behind this step; null: none.
  const known_cut* cut_behind(index step) const {
    const known_cut* c = last_cut(step);
    return c != nullptr && c->step == step ? c : nullptr;
  }
  double start(index step) const {
    const known_cut* c = cut_behind(step - 1);
    return c != nullptr ? c->after : ends[static_cast<std::size_t>(step)];
  }
};

/// Those of a solve with stops.
template <class Loop, class Record>
void note_cuts(const Loop& loop, const options& o, bool state_is_y, known_steps<Record>& steps) {
  const cut_list& cuts = loop.stretches();
  steps.stops = o.stops.size() + o.discontinuities.size();
  for (std::size_t k = 0; k < cuts.cut_count(); ++k) {
    const cut& c = cuts.cut_at(k);
    if (c.begins && (c.step < 0 || c.past - c.first > 1 || !state_is_y))
      throw std::invalid_argument(
          "a replay of known steps with a discontinuity at t0 or at a stop, or by a method whose "
          "state is more than y (it begins afresh from y, at one moving time) leave it out, or use "
          "recursive_checkpoint?");
    if (c.step < 0) continue;
    const known_time& at = cuts.known(static_cast<std::size_t>(cuts.event(c.first).due));
    const std::size_t stop = at.number + (at.which == -2 ? o.stops.size() : 0);
    steps.cuts.push_back({c.step, c.t, c.begins, stop, c.extra});
  }
}

/// Runs a solve and notes its steps.
template <method M, class F, class Y, class P>
auto solve_and_note(const problem<F, Y, P>& q, const M& m, const options& o, solution<Y>& s) {
  refuse_every("a replay of known steps", o);
  using loop_type = stepper<M, std::remove_cvref_t<F>, Y, P>;
  loop_type loop(q, m, o);
  known_steps<typename loop_type::record_type> steps;
  steps.ends.push_back(q.t0);
  while (!loop.finished()) {
    const index i = loop.position();
    loop.step(loop.work_tape());
    if (loop.position() == i) break;
    steps.ends.push_back(loop.work_tape().t_new);
    steps.records.push_back(loop.work_tape().record);
  }
  note_cuts(loop, o, std::is_same_v<typename loop_type::state_type, Y>, steps);
  steps.equal = loop.log().equal_steps();
  for (std::size_t k = 0; k < loop.saved(); ++k) steps.save_steps.push_back(loop.save_step(k));
  s = loop.result();
  return steps;
}

}  // namespace revode
