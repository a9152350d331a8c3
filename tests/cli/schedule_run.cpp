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
  CHECK(run("schedule --steps 10 --kind online").err.find(
            "no --slots (an online schedule is made for a number of snapshots)") !=
        std::string::npos);
}

TEST_CASE("schedules of no step and of one step are counted") {
  CHECK(run("schedule --steps 0 --slots 2 --json").json()["forward_steps"] == 0);
  CHECK(run("schedule --steps 1 --slots 2 --json").json()["forward_steps"] == 1);
}

TEST_CASE("people get a table of counts") {
  const std::string text = run("schedule --steps 10 --slots 3").out;

  CHECK(text.find("binomial schedule, 10 steps, 3 slots\n") == 0);
  CHECK(text.find("step evaluations                 25\n") != std::string::npos);
}

}  // namespace
}  // namespace revode::cli
