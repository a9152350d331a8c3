// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>

#include <optional>
#include <vector>

#include <cli/check.hpp>
#include <cli/lists.hpp>
#include <cli/output_csv.hpp>
#include <cli/output_json.hpp>
#include <cli/output_text.hpp>
#include <cli/request.hpp>
#include <cli/solution_picture.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

int exit_status(status s) { return s == status::success || s == status::terminal_event ? 0 : 1; }

/// Runs `work(problem)` over a field that shows its progress where somebody is watching.
template <class Work>
auto watched(const run_request& r, Work&& work) {
  std::optional<progress> line;
  if (progress::wanted()) line.emplace(r.problem.t0, r.problem.t1, length(r.problem.y0));
  const watched_field f(r.problem.f, line ? &*line : nullptr);
  return work(bind(r.problem, f));
}

/// From a solve of its own, which takes the same steps.
void write_steps(const run_request& r) {
  options every_step = r.settings;
  every_step.save = {.t0 = true, .every = 1};
  const watched_field f(r.problem.f);
  write_file("--steps-log", r.steps_log,
             json_of_steps(r.solve(bind(r.problem, f), every_step).result));
}

void write_files(const run_request& r, const solution_type& s) {
  if (!r.out.empty()) write_csv(r, s);
  if (!r.events.empty()) write_events(r, s);
  if (!r.steps_log.empty()) write_steps(r);
  if (!r.plot.empty()) draw_solution(r, s);
}

}  // namespace

report list_command(const arguments& given) {
  return {given.has("--json") ? json_of_lists(given.subject) : text_of_lists(given.subject)};
}

report solve_command(const arguments& given) {
  const run_request r = read_run(given);
  const timed_solution s =
      watched(r, [&](const initial_value_problem& q) { return r.solve(q, r.settings); });
  write_files(r, s.result);
  return {r.json ? json_of_solve(r, s) : text_of_solve(r, s), exit_status(s.result.status)};
}

report gradient_command(const arguments& given) {
  const gradient_request r = read_gradient(given);
  std::vector<weighting> weightings{[&](const solution_type& s) { return r.of.weigh(s); }};
  if (r.check) weightings.emplace_back(test_weights);
  std::optional<gradient_check> check;
  const checked_differentiated d = watched(r, [&](const initial_value_problem& q) {
    checked_differentiated found = r.differentiate(q, weightings);
    for (timed_gradient& g : found.gradients) move_save_points(r, g.bar);
    if (r.check && found.has_gradient()) check = check_gradient(r, q, found);
    return found;
  });
  write_files(r, d.result);
  return {r.json ? json_of_gradient(r, d, check) : text_of_gradient(r, d, check),
          exit_status(d.ended())};
}

}  // namespace revode::cli
