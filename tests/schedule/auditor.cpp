// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/schedule/auditor.hpp>
#include <revode/schedule/binomial.hpp>

namespace revode {
namespace {

// Says what it was told to say, then "done" for ever.
struct script {
  std::vector<action> lines;
  std::size_t line = 0;

  action next() { return line < lines.size() ? lines[line++] : action{}; }
  void finalize(index) {}
  index snapshot_slots() const { return 2; }
  index tape_slots() const { return 2; }
  index units() const { return 4; }
  index tape_units() const { return 2; }
  index slow_slots() const { return 1; }
};

action advance(index from, index to) { return {.what = op::advance, .from = from, .to = to}; }
action record(index from, index to, index slot = work) {
  return {.what = op::record, .from = from, .to = to, .slot = slot};
}
action snapshot(index i, index slot) { return {.what = op::snapshot, .from = i, .slot = slot}; }
action restore(index i, index slot) { return {.what = op::restore, .from = i, .slot = slot}; }
action drop(index slot) { return {.what = op::drop, .slot = slot}; }
action resume(index i, index slot) { return {.what = op::resume, .from = i, .slot = slot}; }
action discard(index slot) { return {.what = op::discard, .slot = slot}; }
action pull(index i, index slot = work) { return {.what = op::pull, .from = i, .slot = slot}; }

void breaks(index n, std::vector<action> lines, const std::string& text) {
  CAPTURE(text);
  CHECK_THROWS_WITH_AS(audit(script{std::move(lines)}, n), text.c_str(), std::logic_error);
}

}  // namespace

TEST_CASE("a right schedule of two steps passes, and each action is seen as carried out") {
  const std::vector<action> lines{
      snapshot(0, 1), advance(0, unbounded), pull(1), restore(0, 1), record(0, 1), pull(0), drop(1),
      action{}};
  std::vector<action> seen;

  const audit_counts counts = audit(script{lines}, 2, [&](const action& a) { seen.push_back(a); });

  CHECK(counts == audit_counts{.forward_steps = 3,
                               .replayed_steps = 1,
                               .recorded = 1,
                               .snapshots_written = 1,
                               .restores = 1,
                               .peak_snapshots = 1,
                               .peak_tapes = 0,
                               .peak_units = 1,
                               .pulls = 2,
                               .max_visits = 2,
                               .actions = 8});
  CHECK(seen.size() == lines.size());
  CHECK(seen[1] == advance(0, 2));
}

TEST_CASE("in the first sweep the carry before the last step can still be stored") {
  const std::vector<action> lines{snapshot(0, 0), advance(0, 2), snapshot(1, 1), advance(2, 3),
                                  pull(2),        restore(1, 1), record(1, 2),   pull(1),
                                  drop(1),        restore(0, 0), record(0, 1),   pull(0),
                                  drop(0),        action{}};
  CHECK(audit(script{lines}, 3).replayed_steps == 2);

  breaks(4, {snapshot(-1, 0)},
         "action 0 (snapshot -1 to slot 0): the working carry is that of another step");
  breaks(4, {snapshot(0, 0), advance(0, 3), snapshot(1, 1)},
         "action 2 (snapshot 1 to slot 1): the working carry is that of another step");
  breaks(2, {snapshot(0, 0), advance(0, 2), pull(1), restore(0, 0), advance(0, 1), snapshot(0, 1)},
         "action 5 (snapshot 0 to slot 1): the working carry is that of another step");
}

TEST_CASE("steps are run from the working carry, and at least one of them") {
  breaks(4, {advance(0, 1), advance(2, 4)},
         "action 1 (advance 2..4): the working carry is that of another step");
  breaks(4, {record(1, 2)},
         "action 0 (record 1..2 in work): the working carry is that of another step");
  breaks(4, {advance(0, 0)}, "action 0 (advance 0..0): it runs no step");
  breaks(2, {snapshot(0, 0), advance(0, 2), pull(1), restore(0, 0), record(0, 0)},
         "action 4 (record 0..0 in work): it runs no step");
}

TEST_CASE("nothing runs past the adjoint") {
  breaks(2, {snapshot(0, 0), advance(0, 2), pull(1), restore(0, 0), advance(0, 2)},
         "action 4 (advance 0..2): it runs past the adjoint");
}

TEST_CASE("tapes go round the tape slots, in place of what was there") {
  breaks(4, {record(0, 3, 2)}, "action 0 (record 0..3 in slot 2): there is no such tape slot");
  breaks(4, {record(0, 1, -2)}, "action 0 (record 0..1 in slot -2): there is no such tape slot");
  breaks(3, {record(0, 3, 1), pull(2, 1), pull(1, 0), pull(0, 1)},
         "action 3 (pull 0 from slot 1): the tape slot is empty");
  breaks(3, {record(0, 3, 0), pull(2, 0), pull(1, 0)},
         "action 2 (pull 1 from slot 0): the tape slot is empty");
}

TEST_CASE("the last tape is where the action that ran its step left it") {
  breaks(2, {record(0, 2, 0), pull(1)},
         "action 1 (pull 1 from work): the work tape is not that of this step");
  breaks(4, {record(0, 1, 0), snapshot(0, 0)},
         "action 1 (snapshot 0 to slot 0): the working carry is that of another step");
}

TEST_CASE("a loop resumes from a tape that is there, behind the adjoint, after the first sweep") {
  const std::vector<action> lines{record(0, 1, 0), advance(1, 3), pull(2),    resume(1, 0),
                                  record(1, 2),    pull(1),       pull(0, 0), action{}};
  const audit_counts counts = audit(script{lines}, 3);
  CHECK(counts.resumes == 1);
  CHECK(counts.replayed_steps == 1);
  CHECK(counts.peak_units == 2);

  breaks(3, {record(0, 1, 0), resume(1, 0)},
         "action 1 (resume 1 from slot 0): the first sweep has not ended");
  breaks(1, {record(0, 1, 0), resume(1, 1)},
         "action 1 (resume 1 from slot 1): the tape slot is empty");
  breaks(2, {record(0, 2, 0), resume(1, 1)},
         "action 1 (resume 1 from slot 1): the tape slot holds another step's tape");
  breaks(2, {record(0, 1, 0), advance(1, 2), pull(1), discard(0), resume(1, 0)},
         "action 4 (resume 1 from slot 0): the tape slot is empty");
  breaks(1, {advance(0, 1), discard(0)}, "action 1 (discard slot 0): the tape slot is empty");
}

TEST_CASE("a promise about units is held after every action") {
  breaks(4, {snapshot(0, 0), record(0, 2, 0)},
         "action 1 (record 0..2 in slot 0): it takes more units than there are");
  breaks(
      4,
      {record(0, 2, 0), discard(0), snapshot(2, 0), advance(2, 3), snapshot(3, 1), record(3, 4, 0)},
      "action 5 (record 3..4 in slot 0): it takes more units than there are");
}

TEST_CASE("a snapshot moves to an empty slot") {
  const auto move = [](index i, index from, index to) {
    return action{.what = op::move, .from = i, .to = to, .slot = from};
  };
  const std::vector<action> lines{snapshot(0, 1), move(0, 1, 0), advance(0, 2),
                                  pull(1),        restore(0, 0), record(0, 1),
                                  pull(0),        drop(0),       action{}};
  const audit_counts counts = audit(script{lines}, 2);
  CHECK(counts.moves == 1);
  CHECK(counts.slow_written == 1);
  CHECK(counts.snapshots_written == 1);

  breaks(2, {move(0, 1, 0)}, "action 0 (move 0 from slot 1 to slot 0): the slot is empty");
  breaks(2, {snapshot(0, 1), move(1, 1, 0)},
         "action 1 (move 1 from slot 1 to slot 0): the slot holds another step's carry");
  breaks(2, {snapshot(0, 1), move(0, 1, 2)},
         "action 1 (move 0 from slot 1 to slot 2): there is no such snapshot slot");
  breaks(2, {snapshot(0, 1), snapshot(0, 0), move(0, 1, 0)},
         "action 2 (move 0 from slot 1 to slot 0): the slot is full");
}

TEST_CASE("slow slots are counted apart") {
  const std::vector<action> lines{snapshot(0, 0), advance(0, 1), snapshot(1, 1), advance(1, 3),
                                  pull(2),        restore(1, 1), record(1, 2),   pull(1),
                                  drop(1),        restore(0, 0), record(0, 1),   pull(0),
                                  drop(0),        action{}};
  const audit_counts counts = audit(script{lines}, 3);
  CHECK(counts.snapshots_written == 2);
  CHECK(counts.slow_written == 1);
  CHECK(counts.restores == 2);
  CHECK(counts.slow_restores == 1);
}

TEST_CASE("a snapshot is of the working carry, in an empty slot within the budget") {
  breaks(4, {snapshot(1, 0)},
         "action 0 (snapshot 1 to slot 0): the working carry is that of another step");
  breaks(4, {snapshot(0, 2)}, "action 0 (snapshot 0 to slot 2): there is no such snapshot slot");
  breaks(4, {snapshot(0, -1)}, "action 0 (snapshot 0 to work): there is no such snapshot slot");
  breaks(4, {snapshot(0, 0), advance(0, 1), snapshot(1, 0)},
         "action 2 (snapshot 1 to slot 0): the slot is full");
}

TEST_CASE("a restore reads the step that its slot holds, after the first sweep") {
  breaks(4, {snapshot(0, 0), restore(0, 0)},
         "action 1 (restore 0 from slot 0): the first sweep has not ended");
  breaks(1, {advance(0, 1), restore(0, 0)}, "action 1 (restore 0 from slot 0): the slot is empty");
  breaks(2, {snapshot(0, 0), advance(0, 2), restore(1, 0)},
         "action 2 (restore 1 from slot 0): the slot holds another step's carry");
}

TEST_CASE("only a full slot is dropped") {
  breaks(4, {drop(0)}, "action 0 (drop slot 0): the slot is empty");
}

TEST_CASE("pulls go down from the last step, each from its own tape, after the first sweep") {
  breaks(4, {record(0, 1), pull(0)}, "action 1 (pull 0 from work): the first sweep has not ended");
  breaks(2, {advance(0, 2), pull(0)},
         "action 1 (pull 0 from work): the adjoint stands at another step");
  breaks(2, {advance(0, 2), pull(1), pull(1)},
         "action 2 (pull 1 from work): the adjoint stands at another step");
  breaks(2, {advance(0, 2), pull(1), pull(0)},
         "action 2 (pull 0 from work): the work tape is not that of this step");
  breaks(2, {advance(0, 2), pull(1, 0)}, "action 1 (pull 1 from slot 0): the tape slot is empty");
  breaks(2, {record(0, 2, 0), pull(1, 0)},
         "action 1 (pull 1 from slot 0): the tape slot holds another step's tape");
}

TEST_CASE("a replayed advance leaves no tape") {
  breaks(2, {snapshot(0, 0), advance(0, 2), restore(0, 0), advance(0, 2), pull(1)},
         "action 4 (pull 1 from work): the work tape is not that of this step");
}

TEST_CASE("done means that all is pulled and all slots are empty") {
  breaks(4, {action{}}, "action 0 (done): the first sweep has not ended");
  breaks(2, {advance(0, 2), pull(1)}, "action 2 (done): there are steps left to pull");
  breaks(1, {snapshot(0, 0), advance(0, 1), pull(0)},
         "action 3 (done): a snapshot slot is still full");
  breaks(2, {record(0, 1, 0), advance(1, 2), pull(1), restore(0, 0)},
         "action 3 (restore 0 from slot 0): the slot is empty");
  breaks(3,
         {snapshot(0, 0), record(0, 1, 1), advance(1, 3), pull(2), restore(0, 0), advance(0, 1),
          record(1, 2), pull(1), restore(0, 0), record(0, 1), pull(0), drop(0)},
         "action 12 (done): a tape slot is still full");
}

TEST_CASE("a schedule that goes round in circles is stopped") {
  std::vector<action> lines{snapshot(0, 0), advance(0, 2)};
  for (int k = 0; k < 100; ++k) lines.push_back(restore(0, 0));
  breaks(2, std::move(lines),
         "action 74 (restore 0 from slot 0): so many actions without a pull never end");
}

TEST_CASE("the actions of a schedule do not depend on being watched") {
  index seen = 0;
  const audit_counts watched = audit(binomial(3, 10), 10, [&](const action&) { ++seen; });

  CHECK(watched == audit(binomial(3, 10), 10));
  CHECK(seen == watched.actions);
}

}  // namespace revode
