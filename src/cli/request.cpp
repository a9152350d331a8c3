// SPDX-License-Identifier: Apache-2.0
#include <cli/request.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <vector>

#include <any/automatic.hpp>
#include <cli/report_page.hpp>
#include <cli/text.hpp>
#include <revode/io/restart.hpp>

namespace revode::cli {
namespace {

void read_times(const arguments& given, run_request& r) {
  if (given.has("--t0")) r.problem.t0 = number("--t0", given.at("--t0"));
  if (given.has("--t1")) r.problem.t1 = number("--t1", given.at("--t1"));
}

/// "beta, gamma", … behind a dozen.
std::string beginning_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 12); ++i)
    text.append(i == 0 ? "" : ", ").append(names[i]);
  return text + (names.size() > 12 ? ", …" : "");
}

/// "beta=0.5,gamma=0.1": those alone.
void read_named(std::string_view option, std::string_view text,
                const std::vector<std::string>& names, vector& values) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    const std::size_t equal = one.find('=');
    if (equal == one.npos)
      misuse("invalid " + std::string(option) + " " + in_quotes(one) +
             " (beside others with names) give NAME=NUMBER for each?");
    const int i = place_of(one.substr(0, equal), names);
    if (i < 0)
      misuse("unknown name " + in_quotes(one.substr(0, equal)) + " in " + std::string(option) +
             " (there are " + beginning_of(names) + ") give one of these?");
    values[i] = number(option, one.substr(equal + 1));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
}

void read_vector(const arguments& given, std::string_view option, const std::string& what,
                 const std::vector<std::string>& names, vector& values) {
  if (!given.has(option)) return;
  if (const std::string& text = given.at(option); text.find('=') != text.npos && text[0] != '@')
    return read_named(option, text, names, values);
  const std::vector<double> list = number_list(option, given.at(option));
  const auto size = static_cast<Eigen::Index>(list.size());
  if (size != values.size())
    misuse(std::string(option) + " with " + std::to_string(size) +
           (size == 1 ? " number (" : " numbers (") + what + " takes " +
           std::to_string(values.size()) + ") give that many?");
  copy(list, values);
}

auto automatic_for(const arguments& given, const run_request& r) -> compiled::automatic {
  return {.rtol = r.settings.rtol,
          .has_mass = r.problem.has_mass(),
          .has_higher_index = r.problem.f.has_higher_index(),
          .has_algebra = names_algebra(given)};
}

/// The method for the tolerances; of adjoints that are not there for every method, the nearest that is.
auto chosen_method(const arguments& given, const run_request& r) -> std::string_view {
  if (names_algebra(given) && (r.has_events() || r.problem.has_mass()))
    return automatic_for(given, r).method();
  const bool implicit = r.problem.stiff() || r.problem.has_mass();
  const std::string_view best = method_for(r.settings.rtol, implicit);
  std::vector<std::string_view> there;
  for (const adjoint_entry& a : adjoint_methods(given.value_or("--adjoint", "")))
    if (!r.has_events() || a.with_events != nullptr) there.push_back(a.method);
  const auto is_there = [&](std::string_view name) {
    return std::find(there.begin(), there.end(), name) != there.end();
  };
  if (there.empty() || is_there(best) || implicit) return best;
  return r.settings.rtol < 1e-9 && is_there("dop853") ? "dop853" : there.front();
}

auto asked_method(const arguments& given, const run_request& r) -> std::string_view {
  const std::string& name = given.at("--method");
  return name == compiled::automatic::name ? automatic_for(given, r).method() : name;
}

/// The method with the linear algebra that is asked for.
void read_algebra(const arguments& given, run_request& r) {
  const compiled::algebra_text& a = find_algebra(given.at("--algebra"));
  if (given.value_or("--adjoint", recursive_checkpoint::name) != recursive_checkpoint::name)
    misuse("--algebra " + std::string(a.name) + " with the adjoint " + given.at("--adjoint") +
           " (gradients by it are those of recursive_checkpoint) leave one of them out?");
  r.algebra = a.name;
  r.method = entry_with_algebra(r.method, a, {}, {r.has_events(), r.problem.has_mass()}, true);
}

void read_method(const arguments& given, run_request& r) {
  r.chosen = !given.has("--method");
  r.method = find_method(r.chosen ? chosen_method(given, r) : asked_method(given, r));
  if (names_algebra(given))
    read_algebra(given, r);
  else
    expect_compiled_for(r.problem, r.method);
  if (!r.method.has_estimate && !given.has("--fixed-step"))
    misuse("method " + std::string(r.method.name) +
           " without --fixed-step (it has no error estimate to choose steps by) give "
           "--fixed-step H, or a method with an estimate such as tsit5?");
}

auto find_rounding(const std::string& name) -> rounding {
  const std::string_view known[] = {"none", "bits24", "octave16"};
  if (name == known[0]) return rounding::none;
  if (name == known[1]) return rounding::bits24;
  if (name == known[2]) return rounding::octave16;
  unknown_name("step rounding", name, "roundings", known, "give none, bits24 or octave16");
}

void read_settings(const arguments& given, const erased_problem& q, options& o) {
  if (given.has("--rtol")) o.rtol = number("--rtol", given.at("--rtol"));
  if (q.stiff()) o.atol = q.atol(o.rtol);
  if (given.has("--atol")) o.atol = number("--atol", given.at("--atol"));
  if (given.has("--fixed-step")) o.fixed_step = number("--fixed-step", given.at("--fixed-step"));
  if (given.has("--step-rounding")) o.step_rounding = find_rounding(given.at("--step-rounding"));
  if (given.has("--max-steps")) o.max_steps = whole_number("--max-steps", given.at("--max-steps"));
  const auto [first, last] = std::minmax(q.t0, q.t1);
  for (const double t : q.jumps)
    if (first <= t && t <= last) o.discontinuities.push_back(t);
  if (q.t1 < q.t0) std::reverse(o.discontinuities.begin(), o.discontinuities.end());
}

void read_save_points(const arguments& given, run_request& r) {
  if (given.has("--save-at") && given.has("--save-count"))
    misuse(
        "--save-at together with --save-count (each says which times are saved) give one of "
        "them?");
  if (given.has("--save-at")) r.settings.save.ts = number_list("--save-at", given.at("--save-at"));
  if (!given.has("--save-count")) return;
  r.save_intervals = whole_number("--save-count", given.at("--save-count"));
  if (r.save_intervals < 1 || r.save_intervals > 100'000'000)
    misuse("invalid --save-count " + in_quotes(given.at("--save-count")) +
           " (the interval is cut into 1 to 100000000 equal parts) give e.g. --save-count 100?");
  r.settings.save = equal_times(r.problem.t0, r.problem.t1, r.save_intervals);
}

void check_events(const run_request& r) {
  check_output("--events", r.events);
  if (!r.has_events())
    misuse("--events with " + r.problem.name +
           " (it has no events) leave it out, or choose a problem such as bouncing_ball?");
}

void read_restart(const arguments& given, run_request& r) {
  for (const char* steps : {"--steps-log", "--why"})
    if (given.has(steps))
      misuse(std::string(steps) +
             " with --restart (the steps before a restart are not taken again) leave one of them "
             "out?");
  r.settings.restart = read_journal(given);
}

void read_run(const arguments& given, run_request& r) {
  read_times(given, r);
  read_vector(given, "--y0", "the state of " + r.problem.name, r.problem.labels, r.problem.y0);
  read_vector(given, "--params", r.problem.name, r.problem.parameter_names, r.problem.p);
  r.altered = given.has("--t0") || given.has("--t1") || given.has("--y0") || given.has("--params");
  read_settings(given, r.problem, r.settings);
  read_method(given, r);
  read_save_points(given, r);
  r.out = given.value_or("--out", "");
  r.plot = given.value_or("--plot", "");
  r.json = given.has("--json");
  r.events = given.value_or("--events", "");
  if (given.has("--out")) check_results(r.out);
  r.steps_log = given.value_or("--steps-log", "");
  if (given.has("--events")) check_events(r);
  if (given.has("--steps-log")) check_output("--steps-log", r.steps_log);
  if (given.has("--plot")) check_picture("--plot", r.plot);
  r.report = given.value_or("--report", "");
  if (given.has("--report")) check_report(r.report);
  if (given.has("--restart")) read_restart(given, r);
}

auto read_problem(const arguments& given) -> erased_problem {
  if (given.subject.empty())
    misuse("no problem given ('revode " + given.command +
           "' needs its name) run 'revode list problems'?");
  erased_problem named = make_problem(given.subject);
  named.name = given.subject;
  return named;
}

}  // namespace

bool names_algebra(const arguments& given) {
  return given.value_or("--algebra", compiled::dense_name) != compiled::dense_name;
}

auto read_journal(const arguments& given) -> std::shared_ptr<restart_journal> {
  const std::string& file = given.at("--restart");
  check_output("--restart", file);
  return kept_in(
      {.file = file, .every = std::chrono::minutes(1), .on_signal = true, .on_write = {}});
}

auto read_run(const arguments& given) -> run_request {
  run_request r(read_problem(given));
  read_run(given, r);
  return r;
}

timed_solution run_request::solve(
    const initial_value_problem& q, const options& o,
    const std::function<void(double, const vector&)>& after_step) const {
  erased_events seen = problem.events;
  if (after_step)
    seen.after_step = [&](double t, const vector& y) {
      after_step(t, y);
      return false;
    };
  const auto start = std::chrono::steady_clock::now();
  timed_solution s{method.uses(q.f, seen).solve(q, o, seen)};
  s.seconds = seconds_since(start);
  return s;
}

vector run_request::start() const {
  if (!problem.has_mass()) return problem.y0;
  initial_value_problem q = bind(problem, problem.f);
  q.t1 = q.t0;
  const erased_events none;
  const solution_type s =
      method.uses(q.f, none).solve(q, {.rtol = settings.rtol, .atol = settings.atol}, none);
  return s.status == status::success ? s.y : problem.y0;
}

auto find_schedule(std::string_view name) -> schedule_kind {
  std::vector<std::string_view> known;
  for (const auto& [kind, text] : schedule_names) {
    if (text == name) return kind;
    known.push_back(text);
  }
  unknown_name("schedule", name, "schedules", known, "run 'revode list schedules'");
}

auto find_log(const std::string& name) -> step_replay {
  const std::string_view known[] = {"steps", "controller"};
  if (name == known[0]) return step_replay::steps;
  if (name == known[1]) return step_replay::controller;
  unknown_name("log", name, "logs", known, "give steps or controller");
}

void read_schedule(const arguments& given, schedule_kind kind, std::optional<index> slots,
                   schedule_request& r) {
  struct owned_option {
    std::string_view name, has;
    schedule_kind owner;
    index schedule_request::*value;
  };
  constexpr owned_option all[] = {
      {"--base", "levels", schedule_kind::nested, &schedule_request::base},
      {"--interval", "intervals", schedule_kind::periodic, &schedule_request::interval},
      {"--inner-slots", "intervals", schedule_kind::periodic, &schedule_request::inner_slots},
      {"--tape-units", "tapes in its units", schedule_kind::mixed, &schedule_request::tape_units},
      {"--slow-slots", "slow slots", schedule_kind::two_tier, &schedule_request::slow_slots}};
  for (const owned_option& o : all) {
    if (!given.has(o.name)) continue;
    if (kind != o.owner)
      misuse(std::string(o.name) + " with the schedule " + std::string(name(kind)) + " (only " +
             std::string(name(o.owner)) + " has " + std::string(o.has) +
             ") leave it out, or choose " + std::string(name(o.owner)) + "?");
    r.*o.value = whole_number(o.name, given.at(o.name));
  }
  if (slots && r.slow_slots > *slots)
    misuse("--slow-slots " + std::to_string(r.slow_slots) + " with " + std::to_string(*slots) +
           " slots (the slow ones are among them) give at most as many?");
  if (given.has("--spill") && kind != schedule_kind::two_tier)
    misuse("--spill with the schedule " + std::string(name(kind)) +
           " (only two_tier has slow slots) leave it out, or choose two_tier?");
  r.tapes_resume = given.has("--resume");
}

auto read_schedule(const arguments& given) -> schedule_arguments {
  schedule_arguments s;
  s.kind = find_schedule(given.value_or("--kind", name(schedule_kind::binomial)));
  if (!given.has("--steps"))
    misuse("no --steps (a schedule is made for a number of steps) give e.g. --steps 10?");
  s.steps = whole_number("--steps", given.at("--steps"));
  if (given.has("--slots")) s.slots = whole_number("--slots", given.at("--slots"));
  read_schedule(given, s.kind, s.slots, s.request);
  s.count_known = !given.has("--count-unknown");
  s.plot = given.value_or("--plot", "");
  if (given.has("--plot")) check_picture("--plot", s.plot);
  s.json = given.has("--json");
  return s;
}

void check_output(std::string_view option, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  const bool placed = folder.empty() || fs::is_directory(folder, ignored);
  if (!path.empty() && placed && !fs::is_directory(path, ignored)) return;
  misuse("cannot write " + in_quotes(path) + " for " + std::string(option) + " (" +
         (placed ? "it is no file name" : "there is no such folder") +
         ") give a file in an existing folder?");
}

void check_results(const std::string& path) {
  for (const char* other : {".hdf5", ".nc", ".npy"})
    if (path.ends_with(other))
      misuse("invalid --out " + in_quotes(path) +
             " (results are CSV, or arrays in NumPy's format or HDF5) give a name that ends in "
             ".csv, .npz or .h5?");
#if !defined(REVODE_HDF5)
  if (path.ends_with(".h5"))
    misuse("invalid --out " + in_quotes(path) +
           " (this revode was built without HDF5, libhdf5-dev) give a name that ends in .csv or "
           ".npz?");
#endif
  check_output("--out", path);
}

void check_picture(std::string_view option, const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".png"))
    misuse("invalid " + std::string(option) + " " + in_quotes(path) +
           " (pictures are SVG or PNG) give a name that ends in .svg or .png?");
  check_output(option, path);
}

auto equal_times(double t0, double t1, index intervals) -> save_at {
  save_at points{.t0 = true, .ts = {}, .t1 = true};
  points.ts.reserve(static_cast<std::size_t>(intervals - 1));
  for (index k = 1; k < intervals; ++k)
    points.ts.push_back(t0 + static_cast<double>(k) * (t1 - t0) / static_cast<double>(intervals));
  return points;
}

auto bind(const erased_problem& p, const erased_field& f) -> initial_value_problem {
  return {f, p.y0, p.t0, p.t1, p.p};
}

}  // namespace revode::cli
