// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cli/methods.hpp>
#include <revode/problems/erased_events.hpp>

namespace revode::cli {

/// A method as problems with events see it: compiled once more, for a list of events.
struct event_method {
  std::string_view name;
  timed_solution (*solve)(const initial_value_problem&, const options&, logged_steps,
                          const erased_events&) = nullptr;
  differentiated (*differentiate)(const initial_value_problem&, const options&,
                                  const recursive_checkpoint&, std::span<const weighting>,
                                  const erased_events&) = nullptr;
  pushed_solution<vector> (*push)(const initial_value_problem&, const options&,
                                  const tangents<vector, vector>&, const erased_events&) = nullptr;
};

/// Explicit ones, a Rosenbrock and an implicit method: each takes seconds to compile.
auto event_methods() -> std::vector<event_method>;

/// The method of a name with the events of `problem`; misuse if it is not compiled for events.
auto find_event_method(std::string_view name, const std::string& problem) -> event_method;

}  // namespace revode::cli
