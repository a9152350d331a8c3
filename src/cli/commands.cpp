// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>

#include <optional>
#include <utility>
#include <vector>

#include <cli/check.hpp>
#include <cli/gradient_survey.hpp>
#include <cli/lists.hpp>
#include <cli/output_arrays.hpp>
#include <cli/output_csv.hpp>
#include <cli/output_json.hpp>
#include <cli/output_text.hpp>
#include <cli/report_file.hpp>
#include <cli/request.hpp>
#include <cli/solution_picture.hpp>
#include <cli/step_file.hpp>
#include <cli/step_survey.hpp>
#include <cli/text.hpp>
#include <cli/watched_field.hpp>

namespace revode::cli {
namespace {

/// What is printed, and how it ended: "the solve ended with max_steps (…)" for stderr.
report ended_with(std::string text, const char* what, status s) {
  if (s == status::success || s == status::terminal_event) return {std::move(text)};
  return {std::move(text), 1,
          std::string("the ") + what + " ended with " + name(s) + " (" + explain(s) + ")"};
}

/// Seconds; a failed solve or gradient that took less is repeated, to say why.
constexpr double longest_to_repeat = 2;

/// Is the reverse pass worth repeating, to say why its gradient is not finite?
bool to_be_told(const gradient_request& r, const differentiated& d) {
  return d.ended() == status::non_finite_gradient && !r.json && !r.settings.restart &&
         d.seconds + d.gradients.front().seconds < longest_to_repeat;
}

/// Runs `work(problem)` over a field that shows its progress where somebody is watching.
template <class Work>
auto watched(const run_request& r, Work&& work) {
  std::optional<progress> line;
  if (!progress::wanted()) return work(bind(r.problem, r.problem.f));
  line.emplace(r.problem.t0, r.problem.t1, length(r.problem.y0));
  const auto work_on = [&](const auto& field) {
    const erased_field f(watched_field(field, *line));
    return work(bind(r.problem, f));
  };
  return r.problem.has_mass() ? work_on(erased_massive_field(r.problem.f)) : work_on(r.problem.f);
}

/// The step log of a request, begun before its first step; none where none is asked for.
std::optional<step_file> begin_steps(const run_request& r) {
  std::optional<step_file> log;
  if (!r.steps_log.empty()) log.emplace(r.steps_log).step(r.problem.t0, r.start());
  return log;
}

/// What is written behind a solve; its steps were, as it went. `more`: what else an NPZ file has.
void add_files(report& done, const run_request& r, const solution_type& s,
               std::optional<step_file>& steps, const named_arrays& more = {}) {
  if (has_arrays(r.out))
    add_file(done, [&] { write_arrays(r, s, more); });
  else if (!r.out.empty())
    add_file(done, [&] { write_csv(r, s); });
  if (!r.events.empty()) add_file(done, [&] { write_events(r, s); });
  if (steps) add_file(done, [&] { steps->close(); });
  if (!r.plot.empty()) add_file(done, [&] { draw_solution(r, s); });
}

}  // namespace

report list_command(const arguments& given) {
  return {given.has("--json") ? json_of_lists(given.subject) : text_of_lists(given.subject)};
}

report solve_command(const arguments& given) {
  const run_request r = read_run(given);
  if (r.json && given.has("--why"))
    misuse("--why with --json (it is text for people) leave one of them out?");
  std::optional<step_file> steps = begin_steps(r);
  const initial_value_problem plain = bind(r.problem, r.problem.f);
  std::optional<step_survey> survey;
  if (given.has("--why")) survey.emplace(r, plain);
  std::function<void(double, const vector&)> after_step;
  if (steps || survey)
    after_step = [&](double t, const vector& y) {
      if (steps) steps->step(t, y);
      if (survey) survey->step(t, y);
    };
  const timed_solution s = watched(
      r, [&](const initial_value_problem& q) { return r.solve(q, r.settings, after_step); });
  report done = ended_with(
      r.json ? json_of_solve(r, s) : text_of_solve(r, s) + (survey ? survey->text(s.result) : ""),
      "solve", s.result.status);
  if (done.exit_status == 1 && !survey && !r.json && s.seconds < longest_to_repeat &&
      !r.settings.restart) {
    survey.emplace(r, plain);
    r.solve(plain, r.settings, [&](double t, const vector& y) { survey->step(t, y); });
    done.complaint += "\n" + survey->text(s.result);
    done.complaint.pop_back();
  }
  add_files(done, r, s.result, steps);
  if (!r.report.empty()) add_file(done, [&] { write_report(given, r, s.result, done.text); });
  return done;
}

report gradient_command(const arguments& given) {
  gradient_request r = read_gradient(given);
  std::vector<weighting> weightings{[&](const solution_type& s) { return r.of.weigh(s); }};
  if (r.check) weightings.emplace_back(test_weights);
  std::optional<gradient_check> check;
  std::optional<step_file> steps = begin_steps(r);
  if (steps)  // of a solve of its own, which takes the same steps
    r.solve(bind(r.problem, r.problem.f), r.settings,
            [&](double t, const vector& y) { steps->step(t, y); });
  const differentiated d = watched(r, [&](const initial_value_problem& q) {
    differentiated found =
        r.gradient_rtol > 0 ? r.resolve(q, weightings) : r.differentiate(q, weightings);
    for (timed_gradient& g : found.gradients) move_save_points(r, g.bar);
    if (r.check && found.has_gradient()) check = check_gradient(r, q, found);
    return found;
  });
  std::string text = r.json ? json_of_gradient(r, d, check) : text_of_gradient(r, d, check);
  const bool checked = check && check->ended != status::success;
  report done = ended_with(std::move(text),
                           checked                        ? "check"
                           : is_complete(d.result.status) ? "reverse pass"
                                                          : "solve",
                           checked ? check->ended : d.ended());
  if (check && !checked && !check->agrees()) {
    done.complaint += (done.exit_status == 0 ? "" : "\n") + disagreement(r, *check);
    done.exit_status = 1;
  }
  if (to_be_told(r, d))
    if (const std::string why = why_no_gradient(r); !why.empty())
      done.complaint += "\n" + why.substr(0, why.size() - 1);
  add_files(done, r, d.result, steps, arrays_of_gradient(r, d));
  if (!r.report.empty()) add_file(done, [&] { write_report(given, r, d, done.text); });
  return done;
}

}  // namespace revode::cli
