// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

TEST_CASE("ten steps with three slots take 25 step evaluations") {
  const outcome o = run("schedule --steps 10 --slots 3 --json");

  CHECK(o.exit_status == 0);
  CHECK(o.out ==
        "{\"kind\":\"binomial\",\"steps\":10,\"slots\":3,\"base\":null,\"forward_steps\":25,"
        "\"peak_states\":3,\"peak_tapes\":0,\"snapshots_written\":6,\"restores\":9,"
        "\"optimum\":25}\n");
}

TEST_CASE("one slot replays from the start: n (n + 1) / 2 step evaluations") {
  const auto j = run("schedule --steps 100 --slots 1 --json").json();

  CHECK(j["forward_steps"] == 5050);
  CHECK(j["optimum"] == 5050);
  CHECK(j["peak_states"] == 1);
}

TEST_CASE("a nested schedule runs every step once a level and ignores --slots") {
  const auto j = run("schedule --steps 64 --kind nested --base 4 --json").json();

  CHECK(j["base"] == 4);
  CHECK(j["forward_steps"] == 3 * 64);
  CHECK(j["peak_states"] == 2 * 4);
  CHECK(j["peak_tapes"] == 4);
  CHECK(j["slots"] == 8);
  const auto with_slots = run("schedule --steps 64 --slots 5 --kind nested --base 4 --json").json();
  CHECK(with_slots["forward_steps"] == j["forward_steps"]);
  CHECK(with_slots["slots"] == 5);
}

TEST_CASE("the schedules that store everything have no optimum to compare with") {
  const auto tapes = run("schedule --steps 7 --kind store_all --json").json();
  const auto states = run("schedule --steps 7 --kind store_states --json").json();

  CHECK(tapes["forward_steps"] == 7);
  CHECK(tapes["peak_tapes"] == 7);
  CHECK(tapes["optimum"].is_null());
  CHECK(states["forward_steps"] == 13);
  CHECK(states["peak_states"] == 7);
  CHECK(states["slots"].is_null());
}

TEST_CASE("the online schedule takes slots and is measured against the optimum") {
  const auto j = run("schedule --steps 1000 --slots 10 --kind online --json").json();

  CHECK(j["kind"] == "online");
  CHECK(j["optimum"] == 1000 + 3636);
  CHECK(j["forward_steps"] >= 4636);
  CHECK(j["forward_steps"] <= 4636 * 1.02);
  CHECK(j["peak_states"] == 10);
  CHECK(run("schedule --steps 10 --kind online")
            .err.find("no --slots (an online schedule is made for a number of snapshots)") !=
        std::string::npos);
}

TEST_CASE("schedules of no step and of one step are counted") {
  CHECK(run("schedule --steps 0 --slots 2 --json").json()["forward_steps"] == 0);
  CHECK(run("schedule --steps 1 --slots 2 --json").json()["forward_steps"] == 1);
}

TEST_CASE("mixed keeps states and tapes in one memory") {
  // Tsit5's tape takes 7 states and gives the next one: 100 steps in 200 units take 71 again.
  const std::string asked = "schedule --kind mixed --steps 100 --slots 200 --tape-units 7 ";
  const auto j = run(asked + "--resume --json").json();

  CHECK(j["forward_steps"] == 171);
  CHECK(j["peak_units"] <= 200);
  CHECK(j["tape_units"] == 7);
  CHECK(j["optimum"].is_null());
  CHECK(run(asked + "--json").json()["forward_steps"] >= 171);
}

TEST_CASE("two_tier leaves the least used states to the slow slots") {
  const auto j =
      run("schedule --kind two_tier --steps 1000 --slots 20 --slow-slots 5 --json").json();

  CHECK(j["slow_written"] == 35);
  CHECK(j["slow_restores"] == 55);
  CHECK(j["forward_steps"] == j["optimum"]);
}

TEST_CASE("periodic keeps a state every so many steps") {
  const auto j = run("schedule --kind periodic --steps 100 --interval 10 --json").json();

  CHECK(j["peak_states"] == 10);
  CHECK(j["forward_steps"] < 200);
}

TEST_CASE("a count that is not told costs binomial another sweep") {
  const auto j = run("schedule --steps 10 --slots 3 --count-unknown --json").json();

  CHECK(j["forward_steps"] == 10 + 9 + 13);  // n + (n - 1) + t(n - 1, 3)
  CHECK(j["optimum"] == 25);
}

TEST_CASE("an option of one schedule is refused with another") {
  CHECK(run("schedule --steps 10 --slots 3 --slow-slots 2").err ==
        "--slow-slots with the schedule binomial (only two_tier has slow slots) leave it "
        "out, or choose two_tier?\n");
  CHECK(run("grad decay --interval 3").err ==
        "--interval with the schedule online (only periodic has intervals) leave it out, "
        "or choose periodic?\n");
  CHECK(run("grad decay --log all").err.find("steps or controller") != std::string::npos);
}

TEST_CASE("every schedule is drawn without complaint by the auditor") {
  for (const char* kind : {"online", "online_seeded", "wang_moin", "mixed", "two_tier"})
    CHECK(
        run("schedule --steps 50 --slots 5 --kind " + std::string(kind) + " --json").exit_status ==
        0);
}

TEST_CASE("people get a table of counts") {
  const std::string text = run("schedule --steps 10 --slots 3").out;

  CHECK(text.find("binomial schedule, 10 steps, 3 slots\n") == 0);
  CHECK(text.find("step evaluations                 25\n") != std::string::npos);
}

}  // namespace
}  // namespace revode::cli
