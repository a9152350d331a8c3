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
  index base = 16;
  std::string plot;
  bool json = false;
};

/// A schedule carried out on integers. slots are those that `optimum` is for; optimum: the fewest
/// step evaluations with that many snapshots, none for schedules that ignore a bound.
struct schedule_run {
  audit_counts counts;
  std::optional<index> slots, optimum;
  std::vector<action> actions;  ///< as carried out; empty unless they are drawn
};

auto run_schedule(const schedule_arguments& s) -> schedule_run;

}  // namespace revode::cli
