// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <cli/request.hpp>
#include <cli/text.hpp>
#include <revode/adjoint/error/resolved_gradient.hpp>

namespace revode::cli {
namespace {

void read_checkpoints(const arguments& given, recursive_checkpoint& a) {
  if (given.has("--slots")) a.slots = whole_number("--slots", given.at("--slots"));
  if (given.has("--budget")) a.budget = byte_count("--budget", given.at("--budget"));
  if (given.has("--schedule")) a.schedule = find_schedule(given.at("--schedule"));
  schedule_request of_schedule;
  std::optional<index> slots;
  if (!a.budget) slots = a.slots.value_or(recursive_checkpoint::default_slots);
  read_schedule(given, a.schedule.value_or(schedule_kind::online), slots, of_schedule);
  a.base = of_schedule.base;
  a.interval = of_schedule.interval;
  a.slow_slots = of_schedule.slow_slots;
  a.spill = given.value_or("--spill", "");
  if (given.has("--log")) a.log = find_log(given.at("--log"));
}

/// What is asked about the gradient's error.
void read_error(const arguments& given, gradient_request& r) {
  if (given.has("--unresolved")) r.unresolved = number("--unresolved", given.at("--unresolved"));
  if (!(r.unresolved >= 0))
    misuse("--unresolved " + given.at("--unresolved") +
           " (a share of the gradient's norm) give a number >= 0, or inf for no estimate?");
  if (!given.has("--gradient-rtol")) return;
  r.gradient_rtol = r.unresolved = number("--gradient-rtol", given.at("--gradient-rtol"));
  if (!(r.gradient_rtol >= 1e-12 && r.gradient_rtol < 1))
    misuse("--gradient-rtol " + given.at("--gradient-rtol") +
           " (a share of the gradient's norm) give one from 1e-12 to 1?");
  if (!r.method.has_estimate || r.settings.fixed_step > 0)
    misuse("--gradient-rtol with " +
           (r.settings.fixed_step > 0 ? "a fixed step" : "method " + std::string(r.method.name)) +
           " (tolerances choose no steps there) leave it out, or choose a method such as tsit5?");
}

/// What only recursive_checkpoint follows.
void refuse_checkpoints(const arguments& given, const std::string& adjoint) {
  for (const char* option :
       {"--slots", "--budget", "--schedule", "--base", "--slow-slots", "--spill", "--log"})
    if (given.has(option))
      misuse(std::string(option) + " with the adjoint " + adjoint +
             " (only recursive_checkpoint has a schedule) leave it out, or choose "
             "recursive_checkpoint?");
  if (given.has("--restart"))
    misuse("--restart with the adjoint " + adjoint +
           " (reverse passes of recursive_checkpoint are kept) leave it out, or choose "
           "recursive_checkpoint?");
  const bool segments = adjoint == "interpolating" || adjoint == "gauss";
  if (given.has("--interval") && !segments)
    misuse("--interval with the adjoint " + adjoint +
           " (it keeps no states) leave it out, or choose interpolating?");
}

void read_adjoint(const arguments& given, gradient_request& r) {
  r.adjoint_name = given.value_or("--adjoint", recursive_checkpoint::name);
  read_error(given, r);
  if (r.checkpoints()) return read_checkpoints(given, r.adjoint);
  refuse_checkpoints(given, r.adjoint_name);
  if (r.adjoint_name == "reversible" && !r.settings.discontinuities.empty())
    misuse("adjoint " + r.adjoint_name + " with " + r.problem.name +
           " (its field jumps at known times, where its steps cannot be undone) choose "
           "recursive_checkpoint?");
  r.other = find_adjoint_method(r.adjoint_name, r.method.name, r.problem);
  if (given.has("--interval"))
    r.adjoint.interval = whole_number("--interval", given.at("--interval"));
}

/// Before anything else of a request, since the method may be chosen for it.
void check_adjoint(const arguments& given) {
  if (!given.has("--adjoint")) return;
  if (given.at("--adjoint") == "steady_state")
    misuse(
        "adjoint steady_state in this command (it differentiates a state at rest, and no named "
        "problem is solved for one) call solve(q, m, o, steady_state{}) of the library?");
  std::vector<std::string_view> known;
  for (const compiled::adjoint_text& a : compiled::adjoint_texts()) known.push_back(a.name);
  if (std::find(known.begin(), known.end(), given.at("--adjoint")) == known.end())
    unknown_name("adjoint", given.at("--adjoint"), "adjoints", known, "run 'revode list adjoints'");
}

}  // namespace

auto read_gradient(const arguments& given) -> gradient_request {
  check_adjoint(given);
  gradient_request r(read_run(given));
  r.of = read_loss(given.value_or("--loss", "sum"), r.problem, r.has_events());
  read_adjoint(given, r);
  r.check = given.has("--check");
  return r;
}

bool gradient_request::exact() const {
  const auto all = compiled::adjoint_texts();
  return std::any_of(all.begin(), all.end(), [this](const compiled::adjoint_text& a) {
    return a.name == adjoint_name && a.exact;
  });
}

differentiated gradient_request::differentiate(const initial_value_problem& q,
                                               std::span<const weighting> weightings) const {
  differentiated d = differentiate_once(q, settings, weightings);
  const bool differentiated =
      !d.gradients.empty() && d.gradients.front().bar.status == status::success;
  if (std::isfinite(unresolved) && differentiated) estimate_error(q, d);
  return d;
}

differentiated gradient_request::differentiate_once(const initial_value_problem& q,
                                                    const options& o,
                                                    std::span<const weighting> weightings) const {
  if (!checkpoints())
    return cli::differentiate(
        [&] { return other.use(problem.events)(q, o, adjoint.interval, problem.events); },
        weightings);
  return cli::differentiate(method, q, o, adjoint, weightings, problem.events);
}

void gradient_request::estimate_error(const initial_value_problem& q, differentiated& d) const {
  const auto find = [&](const other_solve& how) {
    other_gradient<vector, vector> found;
    const std::vector<weighting> weightings{[&](const solution_type& s) {
      if (!is_comparable<vector>(s, d.result)) return cotangents<vector>{};
      found.more = of.value(s) - of.value(d.result);
      return of.weigh(s);
    }};
    const differentiated other = differentiate_once(q, how.o, weightings);
    found.stats = other.result.stats;
    if (other.has_gradient() && is_comparable<vector>(other.result, d.result))
      found.bar = other.gradients.front().bar;
    return found;
  };
  tell_error_by_others(settings, method.order, d.result.stats.accepted, unresolved,
                       d.gradients.front().bar, find);
}

differentiated gradient_request::resolve(const initial_value_problem& q,
                                         std::span<const weighting> weightings) {
  differentiated last;
  const auto resolved =
      resolve_gradient(gradient_rtol, method.order, settings, [&](const options& o) {
        settings = o;
        last = differentiate_once(q, o, weightings);
        value_and_gradient_result<vector, vector> r{.solution = last.result};
        if (!last.gradients.empty()) {
          r.value = of.value(last.result);
          r.gradient = last.gradients.front().bar;
        }
        return r;
      });
  if (resolved.gradient) last.gradients.front().bar = *resolved.gradient;
  return last;
}

pushed_solution<vector> gradient_request::push(const initial_value_problem& q,
                                               const tangents<vector, vector>& along) const {
  return method.uses(q.f, problem.events).push(q, settings, along, problem.events);
}

}  // namespace revode::cli
