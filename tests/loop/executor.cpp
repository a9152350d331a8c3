// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
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
  index calls = 0, throws_at_call = -1;
  std::function<void()> watch{};
  tape_type tape{};

  explicit growing_loop(index steps) : n(steps), next_pull(steps) {}

  index position() const { return at; }
  bool finished() const { return at == n; }
  void called() {
    if (calls++ == throws_at_call) throw std::runtime_error("interrupted");
    if (watch) watch();
  }
  void step(tape_type& t) {
    REQUIRE(at < n);
    called();
    t = {at, x};
    x *= 1 + static_cast<double>(at) / 8;
    ++at;
  }
  void run(index to, tape_type& t) {
    while (at < to && !finished()) step(t);
  }
  void save(std::optional<snapshot_type>& slot) const {
    const_cast<growing_loop*>(this)->called();
    slot = {at, x};
  }
  void save_previous(std::optional<snapshot_type>& slot) const {
    const_cast<growing_loop*>(this)->called();
    REQUIRE(tape.step == at - 1);
    slot = {tape.step, tape.x};
  }
  void load(const snapshot_type& s) {
    called();
    at = s.step;
    x = s.x;
  }
  void resume(index i, const tape_type& t) {
    called();
    REQUIRE(t.step == i);
    at = i + 1;
    x = t.x * (1 + static_cast<double>(i) / 8);
  }
  void pull_step(index i, const tape_type& t) {
    REQUIRE(i == --next_pull);
    called();
    REQUIRE(t.step == i);
    bar = bar * (1 + static_cast<double>(i) / 8) + t.x;
  }
  tape_type& work_tape() { return tape; }
};
static_assert(reversible_loop<growing_loop>);

schedule_request request(index slots, index n, bool known) {
  return {.slots = slots,
          .base = 3,
          .interval = slots + 1,
          .inner_slots = slots % 3,
          .max_steps = n,
          .steps = known ? n : unbounded,
          .tape_units = 1 + slots % 4,
          .tapes_resume = known};
}

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
  REQUIRE(found.resumes == expected.resumes);
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
    for (const auto& entry : schedule_names)
      for (const index slots : {1, 2, 3, 7, 20})
        for (const bool known : {false, true}) {
          CAPTURE(std::string(entry.second));
          CAPTURE(slots);
          CAPTURE(known);
          CHECK(reversed(any_schedule(entry.first, request(slots, n, known)), n) == expected);
        }
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

TEST_CASE("memory never takes more units than promised: what is emptied is there for the others") {
  for (const index tape_units : {1, 2, 3})
    for (const index units : {3, 5, 9, 17})
      for (const index n : {10, 40, 80})
        for (const bool known : {false, true}) {
          CAPTURE(tape_units);
          CAPTURE(units);
          CAPTURE(n);
          growing_loop loop(n);
          const mixed plan(units, tape_units, known, known ? n : unbounded);
          executor<growing_loop, mixed> run(loop, plan);
          index most = 0;
          loop.watch = [&] { most = std::max(most, run.units_made()); };
          run.forward();
          run.reverse();
          CHECK(most <= units);
          CHECK(loop.bar == reversed(store_all{}, n));
        }
}

TEST_CASE("a loop without resume is told so") {
  struct plain : private growing_loop {
    using growing_loop::position, growing_loop::finished, growing_loop::step, growing_loop::run;
    using growing_loop::pull_step, growing_loop::work_tape;
    using growing_loop::save, growing_loop::save_previous, growing_loop::load;
    using growing_loop::snapshot_type, growing_loop::tape_type, growing_loop::growing_loop;
  };
  plain loop(5);
  executor<plain, mixed> run(loop, mixed(2, 1, true, 5));
  CHECK_THROWS_WITH_AS(
      (run.forward(), run.reverse()),
      "a schedule whose tapes resume, for a loop that cannot (it has no member resume(i, tape)) "
      "make the schedule with tapes_resume = false?",
      std::invalid_argument);
}

TEST_CASE("a loop that throws at its k-th call, whichever: a rerun gives the same bits") {
  const index n = 11;
  const double expected = reversed(store_all{}, n);
  for (const auto& entry : schedule_names)
    for (const bool known : {false, true}) {
      CAPTURE(std::string(entry.second));
      const any_schedule plan(entry.first, request(4, n, known));
      bool interrupted = true;
      for (index k = 0; interrupted; ++k) {
        growing_loop loop(n);
        loop.throws_at_call = k;
        executor<growing_loop, any_schedule> broken(loop, plan);
        try {
          broken.forward();
          broken.reverse();
          interrupted = false;
        } catch (const std::runtime_error& error) {
          REQUIRE(std::string(error.what()) == "interrupted");
        }
        loop = growing_loop(n);
        executor<growing_loop, any_schedule> again(loop, plan);
        again.forward();
        again.reverse();
        REQUIRE(loop.bar == expected);
      }
    }
}

}  // namespace revode
