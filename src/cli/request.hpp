// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <cli/arguments.hpp>
#include <cli/loss.hpp>
#include <cli/methods.hpp>
#include <cli/schedule_run.hpp>
#include <cli/step_file.hpp>
#include <revode/problems/catalog.hpp>

namespace revode::cli {

/// A solve as it was asked for: the named problem with what the options changed in it.
struct run_request {
  explicit run_request(erased_problem named) : problem(std::move(named)) {}

  erased_problem problem;
  method_entry method;
  std::string_view algebra = compiled::dense_name;
  bool chosen = false;   ///< no --method: the library's choice
  bool altered = false;  ///< t0, t1, y0 or p are not the problem's own: no reference
  options settings;
  index save_intervals = 0;                          ///< of --save-count
  std::string out, plot, events, steps_log, report;  ///< files; empty: none
  bool json = false;

  bool has_events() const { return !problem.events.empty(); }
  const std::string& event_name(const occurrence& e) const {
    return problem.events.each[static_cast<std::size_t>(e.which)].name;
  }
  /// after_step sees the end of every accepted step.
  timed_solution solve(const initial_value_problem& q, const options& o,
                       const std::function<void(double, const vector&)>& after_step = {}) const;
  /// The state at t0: with a mass matrix that which is made of y0.
  vector start() const;
};

struct gradient_request : run_request {
  explicit gradient_request(run_request r) : run_request(std::move(r)) {}

  loss of;
  std::string adjoint_name{recursive_checkpoint::name};
  recursive_checkpoint adjoint;
  adjoint_entry other;  ///< any adjoint but recursive_checkpoint
  bool check = false;
  double unresolved =
      0.1;  ///< the share of the gradient that its error may be; infinite: not looked
  double gradient_rtol = 0;  ///< the error that the gradient may have; 0: whatever it has

  bool exact() const;
  bool checkpoints() const { return adjoint_name == recursive_checkpoint::name; }
  /// The first of the weightings is that of the loss, whose gradient knows its error.
  differentiated differentiate(const initial_value_problem& q,
                               std::span<const weighting> weightings) const;
  /// The same until that error is at most gradient_rtol; the settings are then those of the last solve.
  differentiated resolve(const initial_value_problem& q, std::span<const weighting> weightings);
  pushed_solution<vector> push(const initial_value_problem& q,
                               const tangents<vector, vector>& along) const;

 private:
  differentiated differentiate_once(const initial_value_problem& q, const options& o,
                                    std::span<const weighting> weightings) const;
  void estimate_error(const initial_value_problem& q, differentiated& d) const;
};

/// errors  misuse: unknown names, values that are none, files that cannot be written
auto read_run(const arguments& given) -> run_request;
auto read_gradient(const arguments& given) -> gradient_request;

/// A linear algebra besides the dense one is asked for.
bool names_algebra(const arguments& given);

/// The schedule of a name; misuse if there is none.
auto find_schedule(std::string_view name) -> schedule_kind;

/// What replays know the steps by, of a name.
auto find_log(const std::string& name) -> step_replay;

/// The options that belong to one schedule each; misuse with another. slots: those that slow ones are
/// among, where they are known.
void read_schedule(const arguments& given, schedule_kind kind, std::optional<index> slots,
                   schedule_request& r);

/// errors  misuse: unknown names, values that are none, no steps
auto read_schedule(const arguments& given) -> schedule_arguments;

/// Misuse unless a file can be made there and, for a picture, ends in .svg or .png; for results (--out),
/// in nothing that says another format than CSV or NPZ.
void check_output(std::string_view option, const std::string& path);
/// The journal of --restart: written every minute, and where a signal asks for it.
auto read_journal(const arguments& given) -> std::shared_ptr<restart_journal>;
void check_results(const std::string& path);
void check_picture(std::string_view option, const std::string& path);

/// t0 and the ends of `intervals` equal intervals to t1.
auto equal_times(double t0, double t1, index intervals) -> save_at;

/// The problem over its field, or one that watches it.
auto bind(const erased_problem& p, const erased_field& f) -> initial_value_problem;

}  // namespace revode::cli
