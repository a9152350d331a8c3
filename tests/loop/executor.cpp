// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include <revode/loop/executor.hpp>
#include <revode/schedule/all.hpp>
#include <revode/schedule/auditor.hpp>

namespace revode {
namespace {

/// x ← x (1 + i / 8), n times; the gradient of its end. It checks that it is only ever asked for
/// the step that comes next, and that tapes and snapshots are those of the step in question.
struct growing_loop {
  struct snapshot_type {
    index step;
    double x;
  };
  struct tape_type {
    index step = -1;
    double x = 0;
  };

  index n;
  index at = 0, next_pull;
  double x = 1, bar = 1;
  index throws_at_step = -1;
  tape_type tape{};

  explicit growing_loop(index steps) : n(steps), next_pull(steps) {}

  index position() const { return at; }
  bool finished() const { return at == n; }
  void step(tape_type& t) {
    REQUIRE(at < n);
    if (at == throws_at_step) throw std::runtime_error("interrupted");
    t = {at, x};
    x *= 1 + static_cast<double>(at) / 8;
    ++at;
  }
  void run(index to, tape_type& t) {
    while (at < to && !finished()) step(t);
  }
  void save(std::optional<snapshot_type>& slot) const { slot = {at, x}; }
  void save_previous(std::optional<snapshot_type>& slot) const {
    REQUIRE(tape.step == at - 1);
    slot = {tape.step, tape.x};
  }
  void load(const snapshot_type& s) {
    at = s.step;
    x = s.x;
  }
  void pull_step(index i, const tape_type& t) {
    REQUIRE(i == --next_pull);
    REQUIRE(t.step == i);
    bar = bar * (1 + static_cast<double>(i) / 8) + t.x;
  }
  tape_type& work_tape() { return tape; }
};
static_assert(reversible_loop<growing_loop>);

/// Runs the schedule and compares every count with those of the auditor; returns the cotangent.
template <class S>
double reversed(const S& plan, index n) {
  growing_loop loop(n);
  executor<growing_loop, S> run(loop, plan);
  run.forward();
  REQUIRE(run.counts().steps == n);
  run.reverse();

  const audit_counts expected = audit(plan, n);
  const reverse_counts found = run.counts();
  REQUIRE(found.steps == expected.forward_steps);
  REQUIRE(found.replayed == expected.replayed_steps);
  REQUIRE(found.restores == expected.restores);
  REQUIRE(found.pulled == n);
  REQUIRE(run.snapshots().peak() == expected.peak_snapshots);
  REQUIRE(run.snapshots().written() == expected.snapshots_written);
  REQUIRE(run.snapshots().live() == 0);
  REQUIRE(run.tapes().peak() == expected.peak_tapes);
  REQUIRE(loop.next_pull == 0);
  return loop.bar;
}

}  // namespace

TEST_CASE("the executor does to a loop what the auditor does to integers, for every schedule") {
  for (index n = 0; n <= 40; ++n) {
    CAPTURE(n);
    const double expected = reversed(store_all{}, n);
    CHECK(reversed(store_states{}, n) == expected);
    for (index slots = 1; slots <= n + 1; ++slots) {
      CHECK(reversed(binomial(slots), n) == expected);
      CHECK(reversed(binomial(slots, n), n) == expected);
      CHECK(reversed(online_greedy(slots), n) == expected);
    }
    for (const index base : {2, 3, 16}) CHECK(reversed(nested(base, 50), n) == expected);
    CHECK(reversed(any_schedule(schedule_kind::binomial, {.slots = 3}), n) == expected);
  }
}

TEST_CASE("a known count of ten steps in three slots: 25 evaluations, nine restores") {
  growing_loop loop(10);
  executor<growing_loop, binomial> run(loop, binomial(3, 10));
  run.forward();
  run.reverse();
  CHECK(run.counts().steps == 25);
  CHECK(run.counts().replayed == 15);
  CHECK(run.counts().restores == 9);
  CHECK(run.snapshots().peak() == 3);
}

TEST_CASE(
    "a loop that throws leaves an executor that can be destroyed and a loop that can be used") {
  growing_loop loop(10);
  loop.throws_at_step = 6;
  executor<growing_loop, binomial> broken(loop, binomial(3));
  CHECK_THROWS_WITH_AS(broken.forward(), "interrupted", std::runtime_error);

  loop = growing_loop(10);
  executor<growing_loop, binomial> run(loop, binomial(3));
  run.forward();
  loop.throws_at_step = 4;
  CHECK_THROWS_WITH_AS(run.reverse(), "interrupted", std::runtime_error);

  loop = growing_loop(10);
  executor<growing_loop, binomial> again(loop, binomial(3));
  again.forward();
  again.reverse();
  CHECK(loop.bar == reversed(store_all{}, 10));
}

}  // namespace revode
