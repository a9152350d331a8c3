// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/adjoint/checked_gradient.hpp>

namespace revode {

/// The accepted steps of a solve, to be taken again over any scalar.
template <class Record>
struct known_steps {
  std::vector<double> ends;  ///< t_0 … t_n
  std::vector<Record> records;
  index equal = 0;                  ///< n where they are equal: all times move with t0 and t1
  std::vector<index> save_steps{};  ///< in which step a listed save point lies; −1: at t0

  index count() const { return static_cast<index>(records.size()); }
};

/// Runs a solve and notes its steps.
template <method M, class F, class Y, class P>
auto solve_and_note(const problem<F, Y, P>& q, const M& m, const options& o, solution<Y>& s) {
  refuse_stops("a replay of known steps", o, true);
  using loop_type = stepper<M, std::remove_cvref_t<F>, Y, P>;
  loop_type loop(q, m, o);
  known_steps<typename loop_type::record_type> steps;
  steps.ends.push_back(q.t0);
  while (!loop.finished()) {
    const index i = loop.position();
    loop.step(loop.work_tape());
    if (loop.position() == i) break;
    steps.ends.push_back(loop.time());
    steps.records.push_back(loop.work_tape().record);
  }
  steps.equal = loop.log().equal_steps();
  for (std::size_t k = 0; k < loop.saved(); ++k) steps.save_steps.push_back(loop.save_step(k));
  s = loop.result();
  return steps;
}

}  // namespace revode
