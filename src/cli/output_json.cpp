// SPDX-License-Identifier: Apache-2.0
#include <cli/output_json.hpp>

#include <nlohmann/json.hpp>

#include <cli/lists.hpp>

namespace revode::cli {
namespace {

using json = nlohmann::ordered_json;

json array(const vector& y) {
  json list = json::array();
  for (const double x : y) list.push_back(x);
  return list;
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json events_array(const run_request& r, const solution_type& s) {
  json list = json::array();
  for (const occurrence& e : s.events)
    list.push_back({{"t", e.t}, {"event", r.event_name(e)}, {"step", e.step}});
  return list;
}

json solve_object(const run_request& r, const timed_solution& s) {
  json ys = json::array();
  for (const vector& y : s.result.ys) ys.push_back(array(y));
  const statistics& stats = s.result.stats;
  json object{
      {"problem", r.problem.name}, {"method", r.method.name}, {"status", name(s.result.status)},
      {"t", s.result.t},           {"y", array(s.result.y)},  {"ts", s.result.ts},
      {"ys", std::move(ys)}};
  if (r.method.asks_jacobian || r.method.asks_parts) object["algebra"] = r.algebra;
  if (r.has_events()) object["events"] = events_array(r, s.result);
  object["stats"] = {{"accepted", stats.accepted},
                     {"rejected", stats.rejected},
                     {"field_evaluations", stats.field_evaluations},
                     {"jacobian_evaluations", stats.jacobian_evaluations},
                     {"factorizations", stats.factorizations},
                     {"linear_solves", stats.linear_solves},
                     {"newton_iterations", stats.newton_iterations},
                     {"jvp_evaluations", stats.jvp_evaluations},
                     {"seconds", s.seconds}};
  return object;
}

json gradient_object(const gradient_type& g) {
  json object{{"y0", array(g.y0)}, {"p", array(g.p)}, {"t0", g.t0}, {"t1", g.t1}};
  if (const auto& e = g.error)
    object["error"] = {{"y0", array(e->y0)}, {"p", array(e->p)}, {"t0", e->t0},
                       {"t1", e->t1},        {"loss", e->loss},  {"relative", e->relative}};
  return object;
}

json reverse_object(const memory_plan& plan, const reverse_statistics& v, status ended,
                    double seconds) {
  return {{"schedule", name(plan.schedule)},
          {"slots", plan.request.slots},
          {"peak_states", v.peak_states},
          {"peak_bytes", v.peak_bytes},
          {"log_bytes", v.log_bytes},
          {"snapshots_written", v.snapshots_written},
          {"replayed_steps", v.replayed_steps},
          {"pulled_steps", v.pulled_steps},
          {"field_evaluations", v.field_evaluations},
          {"vjp_evaluations", v.vjp_evaluations},
          {"seconds", seconds},
          {"status", name(ended)}};
}
/// Of recursive_checkpoint; of a solve that failed its plan and its status.
json reverse_object(const differentiated& d) {
  if (d.gradients.empty()) return reverse_object(d.plan, {}, d.ended(), 0);
  const timed_gradient& g = d.gradients.front();
  return reverse_object(d.plan, g.bar.reverse, g.bar.status, g.seconds);
}

/// Of the adjoints that may fail.
json reverse_object(const gradient_request& r, const differentiated& d) {
  json object{{"adjoint", r.adjoint_name}, {"exact", r.exact()}};
  if (d.gradients.empty()) return object;
  const reverse_outcome& how = d.outcomes.front();
  const reverse_statistics& v = d.gradients.front().bar.reverse;
  object["status"] = name(d.gradients.front().bar.status);
  object["reconstruction_error"] = how.reconstruction_error;
  object["peak_states"] = v.peak_states;
  object["peak_tapes"] = v.peak_tapes;
  object["peak_bytes"] = bytes_held(v);
  object["log_bytes"] = v.log_bytes;
  object["replayed_steps"] = v.replayed_steps;
  object["pulled_steps"] = v.pulled_steps;
  object["accepted"] = how.backward.accepted;
  object["rejected"] = how.backward.rejected;
  object["field_evaluations"] = v.field_evaluations;
  object["vjp_evaluations"] = v.vjp_evaluations;
  object["seconds"] = d.gradients.front().seconds;
  return object;
}

json agreement_object(const agreement& a) {
  return {{"forward", a.forward},
          {"reverse", a.reverse},
          {"difference", a.difference()},
          {"terms", a.terms}};
}

json list_object(const named_list& list) {
  json rows = json::array();
  for (const auto& row : list.rows) {
    json object = json::object();
    for (std::size_t i = 0; i < list.columns.size(); ++i) object[list.columns[i]] = row[i];
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_of_solve(const run_request& r, const timed_solution& s) {
  return line(solve_object(r, s));
}

std::string json_of_gradient(const gradient_request& r, const differentiated& d,
                             const std::optional<gradient_check>& check) {
  json object = solve_object(r, d);
  const bool known = d.has_gradient();
  object["status"] = name(d.ended());
  object["loss"] = known ? json(r.of.value(d.result)) : json();
  object["gradient"] = known ? gradient_object(d.gradients.front().bar) : json();
  object["reverse"] = r.checkpoints() ? reverse_object(d) : reverse_object(r, d);
  if (check)
    object["check"] = {{"dot_product", agreement_object(check->dot_product)},
                       {"gradient", agreement_object(check->gradient)},
                       {"limit", check->limit},
                       {"agrees", check->agrees()},
                       {"status", name(check->ended)}};
  return line(object);
}

std::string json_of_schedule(const schedule_arguments& s, const schedule_run& r) {
  const bool nested = s.kind == schedule_kind::nested;
  json object{{"kind", name(s.kind)},
              {"steps", s.steps},
              {"slots", or_null(r.slots)},
              {"base", nested ? json(s.request.base) : json()},
              {"forward_steps", r.counts.forward_steps},
              {"peak_states", r.counts.peak_snapshots},
              {"peak_tapes", r.counts.peak_tapes},
              {"snapshots_written", r.counts.snapshots_written},
              {"restores", r.counts.restores},
              {"optimum", or_null(r.optimum)}};
  if (s.kind == schedule_kind::mixed) {
    object["tape_units"] = s.request.tape_units;
    object["peak_units"] = r.counts.peak_units;
    object["resumes"] = r.counts.resumes;
  }
  if (s.kind == schedule_kind::two_tier) {
    object["slow_written"] = r.counts.slow_written;
    object["slow_restores"] = r.counts.slow_restores;
  }
  return line(object);
}

std::string json_of_lists(const std::string& what) {
  json object = json::object();
  for (const named_list& list : lists(what)) object[list.name] = list_object(list);
  return line(object);
}

}  // namespace revode::cli
