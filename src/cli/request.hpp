// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <cli/arguments.hpp>
#include <cli/loss.hpp>
#include <cli/methods.hpp>
#include <revode/problems/catalog.hpp>

namespace revode::cli {

/// A solve as it was asked for: the named problem with what the options changed in it.
struct run_request {
  explicit run_request(erased_problem named) : problem(std::move(named)) {}

  erased_problem problem;
  method_entry method;
  bool chosen = false;   ///< no --method: the library's choice
  bool altered = false;  ///< t0, t1, y0 or p are not the problem's own: no reference
  options settings;
  index save_intervals = 0;  ///< of --save-count
  std::string out, plot;     ///< empty: none
  bool json = false;
};

struct gradient_request : run_request {
  using run_request::run_request;

  loss of;
  recursive_checkpoint adjoint;
  bool check = false;
};

/// errors  misuse: unknown names, values that are none, files that cannot be written
auto read_run(const arguments& given) -> run_request;
auto read_gradient(const arguments& given) -> gradient_request;

/// The schedule of a name; misuse if there is none.
auto find_schedule(std::string_view name) -> schedule_kind;

/// What replays know the steps by, of a name.
auto find_log(const std::string& name) -> step_replay;

/// The options that belong to one schedule each; misuse with another.
void read_schedule(const arguments& given, schedule_kind kind, schedule_request& r);

/// Misuse unless a file can be made there and, for a picture, ends in .svg or .png.
void check_output(std::string_view option, const std::string& path);
void check_picture(std::string_view option, const std::string& path);

/// t0 and the ends of `intervals` equal intervals to t1.
auto equal_times(double t0, double t1, index intervals) -> save_at;

/// The problem over a field that a progress line may watch.
auto bind(const erased_problem& p, const watched_field& f) -> initial_value_problem;

}  // namespace revode::cli
