// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <revode/schedule/all.hpp>
#include <revode/schedule/auditor.hpp>

namespace revode::cli {

/// What `revode schedule` was asked for.
struct schedule_arguments {
  schedule_kind kind = schedule_kind::binomial;
  index steps = 0;
  std::optional<index> slots;  ///< as given
  schedule_request request{};  ///< the rest of what the schedule depends on
  bool count_known = true;     ///< is it told the steps beforehand?
  std::string plot;
  bool json = false;
};

/// "mixed schedule, 40 steps, 20 units, tapes of 7 units"
std::string heading(const schedule_arguments& s, std::optional<index> slots);

/// A schedule carried out on integers. slots are those that `optimum` is for; optimum: the fewest
/// step evaluations with that many snapshots, none for schedules that ignore a bound.
struct schedule_run {
  audit_counts counts;
  std::optional<index> slots, optimum;
  std::vector<action> actions;  ///< as carried out; empty unless they are drawn
  index tape_slots = 0, slow_slots = 0;
};

auto run_schedule(const schedule_arguments& s) -> schedule_run;

}  // namespace revode::cli
