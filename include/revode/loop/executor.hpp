// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <utility>

#include <revode/loop/snapshots.hpp>
#include <revode/schedule/action.hpp>

namespace revode {

/// A loop that an executor can drive: x_{i+1} = step_i(x_i), with a working carry inside.
///   position()     i: how many steps the working carry has behind it
///   finished()     no further step will be taken (asked during the first sweep)
///   step(tape)     one step, leaving its tape; the first time it happens it decides (whether a
///                  trial is accepted, whether to go on), afterwards it repeats those decisions
///   run(to, tape)  steps until position() == to or finished(); the last one's tape is in tape
///   save, load     the working carry ↔ a snapshot
///   save_previous  the carry before the last step → a snapshot; only asked while that step is the
///                  last one taken, for the first time
///   pull_step(i, tape)  takes the loop's cotangents back through step i
///   work_tape()    the one tape that is always there
template <class L>
concept reversible_loop = requires(L& loop, const L& seen, typename L::snapshot_type& s,
                                   std::optional<typename L::snapshot_type>& slot,
                                   typename L::tape_type& tape, index i) {
  { seen.position() } -> std::same_as<index>;
  { seen.finished() } -> std::same_as<bool>;
  loop.step(tape);
  loop.run(i, tape);
  seen.save(slot);
  seen.save_previous(slot);
  loop.load(std::as_const(s));
  loop.pull_step(i, std::as_const(tape));
  { loop.work_tape() } -> std::same_as<typename L::tape_type&>;
};

/// What an executor did, as the auditor counts it.
struct reverse_counts {
  index steps = 0;     ///< step evaluations, all of them
  index replayed = 0;  ///< those after the first sweep
  index restores = 0;
  index pulled = 0;
};

/// Obeys a schedule: the first sweep, then the reverse pass. Owns the snapshots and tapes; an
/// exception from the loop leaves everything destructible, and another executor can start afresh.
template <reversible_loop Loop, schedule Schedule>
class executor {
 public:
  executor(Loop& loop, Schedule plan) : loop_(&loop), plan_(std::move(plan)) {}

  /// Runs the loop to its end (or its failure), keeping what the schedule asks for.
  void forward() {
    while (!loop_->finished()) execute(plan_.next());
    swept_ = counts_.steps;
    last_ = loop_->position() - 1;
  }

  /// Pulls every step, last to first. Needs forward() first.
  void reverse() {
    plan_.finalize(last_ + 1);
    for (;;) {
      const action a = plan_.next();  // never copied: a wide load behind narrow stores would stall
      if (a.what == op::done) break;
      execute(a);
    }
    REVODE_EXPECT(snapshots_.live() == 0);
  }

  reverse_counts counts() const {
    reverse_counts c = counts_;
    c.replayed = c.steps - swept_;
    return c;
  }
  const snapshot_pool<typename Loop::snapshot_type>& snapshots() const { return snapshots_; }
  const tape_store<typename Loop::tape_type>& tapes() const { return tapes_; }

 private:
  void execute(const action& a) {
    switch (a.what) {
      case op::advance: return advance(a.to);
      case op::record: return a.slot == work ? advance(a.to) : record(a);
      case op::snapshot: return snapshot(a);
      case op::restore:
        ++counts_.restores;
        return loop_->load(snapshots_.at(a.slot));
      case op::drop: return snapshots_.drop(a.slot);
      case op::pull: return pull(a);
      case op::done: return;
    }
  }

  void advance(index to) {
    const index from = loop_->position();
    loop_->run(to, loop_->work_tape());
    counts_.steps += loop_->position() - from;
  }

  void snapshot(const action& a) {
    const Loop& loop = *loop_;
    snapshots_.store(a.slot, [&](auto& slot) {
      if (a.from == loop.position()) loop.save(slot);
      else loop.save_previous(slot);
    });
  }

  void record(const action& a) {
    auto& work_tape = loop_->work_tape();
    while (loop_->position() < a.to && !loop_->finished()) {
      const index i = loop_->position(), slot = a.slot + i - a.from;
      loop_->step(tapes_.recorder(slot, work_tape));
      if (loop_->position() == i) return;  // the loop failed instead of stepping
      tapes_.keep(slot, work_tape);
      ++counts_.steps;
    }
  }

  void pull(const action& a) {
    auto& work_tape = loop_->work_tape();
    loop_->pull_step(a.from, a.slot == work ? work_tape : tapes_.at(a.slot, work_tape));
    ++counts_.pulled;
  }

  Loop* loop_;
  Schedule plan_;
  snapshot_pool<typename Loop::snapshot_type> snapshots_;
  tape_store<typename Loop::tape_type> tapes_;
  reverse_counts counts_;
  index swept_ = 0, last_ = -1;
};

}  // namespace revode
