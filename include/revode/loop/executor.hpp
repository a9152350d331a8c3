// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <revode/io/restart_watch.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/loop/tapes.hpp>
#include <revode/loop/units.hpp>
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
/// It may offer besides:
///   resume(i, tape)  for schedules whose tapes resume: the working carry becomes x_{i+1}, the same
///                    bits, without the step
///   pulled_in_vain(i)  asked behind every pull, of step i, and before the first: the cotangents are
///                      lost, and the reverse pass ends there
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
  index resumes = 0;
  index pulled = 0;
};

/// Obeys a schedule: the first sweep, then the reverse pass. Owns the snapshots and tapes; an
/// exception from the loop or from the slow pool leaves everything destructible, and another
/// executor can start afresh.
///
/// Snapshots in slow slots go to `slow` (default: a memory_pool), the others stay here. Where the
/// schedule counts units, snapshots and tapes share cells of a snapshot's size, so that what is
/// allocated never takes more units than it promised, and is used again.
/// errors  std::invalid_argument: a schedule whose tapes resume, for a loop that has no resume
template <reversible_loop Loop, schedule Schedule>
class executor {
 public:
  executor(Loop& loop, Schedule plan, std::unique_ptr<slow_pool> slow = nullptr)
      : loop_(&loop),
        plan_(std::move(plan)),
        cells_(units(plan_) == unbounded ? nullptr : std::make_shared<unit_cells>(units(plan_))),
        snapshots_(cells_ ? unbounded : slow_slots(plan_),
                   cells_ ? std::make_unique<cell_pool>(cells_) : std::move(slow)),
        tapes_(plan_.tape_slots(), cells_) {}

  /// Another run, by a schedule in its initial state, in the memory of those before.
  void restart(const Schedule& plan) {
    plan_ = plan;
    actions_ = 0;
    reversing_ = false;
    snapshots_.clear();
    tapes_.clear();
    counts_ = {};
  }

  /// Whoever keeps the run is asked behind each action, and each step of an advance; null: nobody.
  void watch(restart_watch* by) { watch_ = by; }

  /// Runs the loop to its end (or its failure), keeping what the schedule asks for.
  void forward() {
    if (cells_ && cells_->made() == 0) measure_cells();
    while (!loop_->finished()) {
      execute(plan_.next());
      if (watch_ != nullptr) acted();
    }
    swept_actions_ = actions_;
    swept_ = counts_.steps;
    last_ = loop_->position() - 1;
  }

  /// Pulls every step, last to first, or as long as that is not in vain. Needs forward() first.
  void reverse() {
    if (!std::exchange(reversing_, true)) {
      plan_.finalize(last_ + 1);
      if (in_vain(last_ + 1)) return;
    }
    for (;;) {
      const action a = plan_.next();  // never copied: a wide load behind narrow stores would stall
      if (a.what == op::done) break;
      execute(a);
      if (a.what == op::pull && in_vain(a.from)) return;
      if (watch_ != nullptr) acted();
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

  index units_made() const { return cells_ ? cells_->made() : 0; }  ///< that have memory

 private:
  friend struct kept_parts;
  [[gnu::noinline, gnu::cold]] void acted() {
    ++actions_;
    watch_->look();
  }

  /// A cell is as large as a snapshot, or a tape's share of as many as plans give it, which count an
  /// allocator's bytes with a snapshot.
  void measure_cells() {
    std::optional<typename Loop::snapshot_type> like;
    std::as_const(*loop_).save(like);
    std::size_t size = 0, tape = 0;
    for_each_piece(*like, [&](void*, std::size_t bytes) { size += bytes; });
    for_each_piece(loop_->work_tape(), [&](void*, std::size_t bytes) { tape += bytes; });
    const auto planned = static_cast<std::size_t>(planned_bytes(*like));
    const std::size_t units = std::max<std::size_t>((tape + planned - 1) / planned, 1);
    cells_->hold(std::max(size, (tape + units - 1) / units));
  }

  /// Inlined, with next(): what a decision is found to be is then where it is obeyed.
  [[gnu::always_inline]] void execute(const action& a) {
    switch (a.what) {
      case op::advance: return advance(a.to);
      case op::record: return a.slot == work ? advance(a.to) : record(a);
      case op::snapshot: return snapshot(a);
      case op::restore: ++counts_.restores; return loop_->load(snapshots_.at(a.slot));
      case op::drop: return snapshots_.drop(a.slot);
      case op::move: return snapshots_.move(a.slot, a.to);
      case op::resume: return resume(a);
      case op::discard: return tapes_.drop(a.slot);
      case op::pull: return pull(a);
      case op::done: return;
    }
  }

  bool in_vain(index i) {
    if constexpr (requires(Loop & l) { l.pulled_in_vain(i); })
      return loop_->pulled_in_vain(i);
    else
      return false;
  }

  void advance(index to) {
    if (watch_ != nullptr) return advance_watched(to);
    const index from = loop_->position();
    loop_->run(to, loop_->work_tape());
    counts_.steps += loop_->position() - from;
  }
  [[gnu::noinline, gnu::cold]] void advance_watched(index to) {
    for (index from = loop_->position();; from = loop_->position()) {
      loop_->run(from + 1 < to ? from + 1 : to, loop_->work_tape());
      counts_.steps += loop_->position() - from;
      if (loop_->position() >= to || loop_->finished()) return;
      watch_->look();
    }
  }

  void snapshot(const action& a) {
    const Loop& loop = *loop_;
    snapshots_.store(a.slot, [&](auto& slot) {
      if (a.from == loop.position())
        loop.save(slot);
      else
        loop.save_previous(slot);
    });
  }

  [[gnu::noinline]] void record(const action& a) {
    auto& work_tape = loop_->work_tape();
    const index slots = plan_.tape_slots();
    index slot = a.slot;
    if (watch_ != nullptr) slot = (slot + loop_->position() - a.from) % slots;  // the rest of it
    while (loop_->position() < a.to && !loop_->finished()) {
      const index i = loop_->position();
      loop_->step(tapes_.recorder(slot, work_tape));
      if (loop_->position() == i) return;  // the loop failed instead of stepping
      tapes_.keep(slot, work_tape);
      ++counts_.steps;
      if (++slot == slots) slot = 0;
      if (watch_ != nullptr) watch_->look();
    }
  }

  [[gnu::noinline]] void resume(const action& a) {
    if constexpr (requires(Loop & l, typename Loop::tape_type & t) { l.resume(index{}, t); }) {
      loop_->resume(a.from - 1, tapes_.at(a.slot, loop_->work_tape()));
      ++counts_.resumes;
    } else {
      throw std::invalid_argument(
          "a schedule whose tapes resume, for a loop that cannot (it has no member resume(i, "
          "tape)) make the schedule with tapes_resume = false?");
    }
  }

  void pull(const action& a) {
    auto& work_tape = loop_->work_tape();
    loop_->pull_step(a.from, a.slot == work ? work_tape : tapes_.at(a.slot, work_tape));
    if (a.slot != work) tapes_.drop(a.slot);
    ++counts_.pulled;
  }

  Loop* loop_;
  Schedule plan_;
  std::shared_ptr<unit_cells> cells_;  // where the schedule counts units
  snapshot_pool<typename Loop::snapshot_type> snapshots_;
  tape_store<typename Loop::tape_type> tapes_;
  reverse_counts counts_;
  index swept_ = 0, last_ = -1;
  restart_watch* watch_ = nullptr;
  index actions_ = 0, swept_actions_ = 0;  // that are done, where somebody watches
  bool reversing_ = false;
};

}  // namespace revode
