// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <revode/schedule/online.hpp>
#include <revode/schedule/request.hpp>

namespace revode {

/// The first sweep of an online schedule of snapshots, decision by decision.
template <class Plan>
class first_sweep_of {
 public:
  struct decision {
    index step = 0;      // the carry before this one is stored,
    index evicted = -1;  // and the one before that given up for it; -1: a slot was free
  };

  explicit first_sweep_of(index slots) : plan_(slots) { take(); }

  const decision& next() const { return next_; }

  /// Carries the next decision out.
  void take() {
    if (next_.evicted >= 0) steps_.erase(std::find(steps_.begin(), steps_.end(), next_.evicted));
    if (started_) steps_.push_back(next_.step);
    started_ = true;
    next_ = {};
    for (action a = plan_.next();; a = plan_.next()) {
      if (a.what == op::drop) next_.evicted = a.from;
      if (a.what != op::snapshot) continue;
      next_.step = a.from;
      return;
    }
  }

  /// What is stored when a loop stops after n steps; n ascending from call to call.
  const std::vector<index>& placement(index n) {
    while (next_.step <= std::max<index>(n - 2, 0)) take();
    return steps_;
  }

  index replays(index n) { return replay_steps(placement(n), n, plan_.snapshot_slots()); }

 private:
  Plan plan_;
  std::vector<index> steps_;
  decision next_;
  bool started_ = false;
};

using online_sweep = first_sweep_of<online_greedy>;

}  // namespace revode
