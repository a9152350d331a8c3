// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>

#include <any/c_objects.hpp>

#include <revode/config.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/schedule/all.hpp>

using namespace revode;
using namespace revode::c;

namespace {

/// For a state of n numbers.
options as_options(const revode_options* from, std::size_t n) {
  const revode_options c = as_known(from, REVODE_OPTIONS, "revode_options");
  options o{.rtol = c.rtol, .atol = c.atol};
  o.fixed_step = c.fixed_step;
  o.first_step = c.first_step;
  o.max_step = c.max_step;
  o.min_step = c.min_step;
  o.max_steps = c.max_steps;
  o.save.ts = listed("save_ts", c.save_ts, "save_count", c.save_count);
  o.save.t0 = c.save_t0 != 0;
  o.save.t1 = c.save_t1 != 0;
  o.stops = listed("stops", c.stops, "stop_count", c.stop_count);
  o.discontinuities =
      listed("discontinuities", c.discontinuities, "discontinuity_count", c.discontinuity_count);
  o.norm.rtol = listed("rtols", c.rtols, "rtol_count", c.rtol_count, n);
  o.norm.atol = listed("atols", c.atols, "atol_count", c.atol_count, n);
  return o;
}

recursive_checkpoint as_checkpoint(const revode_adjoint& c) {
  recursive_checkpoint a;
  if (c.slots != 0) a.slots = c.slots;
  if (c.budget != 0) a.budget = c.budget;
  if (c.schedule != nullptr) {
    for (const auto& [kind, name] : schedule_names)
      if (name == c.schedule) a.schedule = kind;
    if (!a.schedule)
      misuse("unknown schedule '" + std::string(c.schedule) +
             "' (it is not among revode_schedule_name) leave it NULL?");
  }
  const std::string log = c.log == nullptr ? "automatic" : c.log;
  if (log == "steps")
    a.log = step_replay::steps;
  else if (log == "controller")
    a.log = step_replay::controller;
  else if (log != "automatic")
    misuse("unknown log '" + log + "' (automatic, steps or controller) leave it NULL?");
  a.base = c.base;
  a.interval = c.interval;
  a.slow_slots = c.slow_slots;
  a.events = c.events;
  if (c.spill != nullptr) a.spill = c.spill;
  return a;
}

/// The method with the algebra that the options name and the structure that the problem has.
any_method method_of(const revode_problem& q, const char* method, const revode_options* o) {
  any_algebra algebra = q.algebra;
  if (const char* named = as_known(o, REVODE_OPTIONS, "revode_options").algebra)
    algebra.name = named;
  return any_method(std::string(&given(method, "the method")), std::move(algebra));
}

template <class Solve>
revode_code solved(const revode_problem* q, const char* method, const revode_options* o,
                   revode_solution** s, Solve&& solve_it) {
  return guarded([&] {
    const any_problem problem = given(q, "the problem").posed();
    revode_solution*& out = given(s, "where the solution goes");
    const any_method m = method_of(*q, method, o);
    out = new revode_solution{problem.y0.size(), problem.p.size(), solve_it(problem, m)};
  });
}

/// The points of rows of starts and parameters. Integrals start where those of the problem do.
std::vector<any_point> points_of(const revode_problem& q, std::size_t count, const double* y0s,
                                 const double* ps) {
  const std::size_t n = q.q.y0.size(), np = q.q.p.size();
  std::vector<any_point> points(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (ps != nullptr) points[k].p = listed(ps + k * np, np);
    if (y0s == nullptr) continue;
    points[k].y0 = listed(y0s + k * n, n);
    if (q.integrand)
      points[k].y0.insert(points[k].y0.end(), q.integrals.begin(), q.integrals.end());
  }
  return points;
}

void expect_number(const char* what, std::size_t k, std::size_t count) {
  if (k >= count)
    misuse(std::string(what) + " " + std::to_string(k) + " of " + std::to_string(count) +
           " (they are counted from 0) ask for fewer?");
}

const any_dense_solution& dense_part(const revode_solution* s) {
  const auto* of = std::get_if<any_dense_solution>(&given(s, "the solution").of);
  if (of == nullptr)
    misuse(
        "the state at a time of a solution that keeps none (revode_solve) solve by "
        "revode_solve_dense?");
  return *of;
}

/// As much of a struct as its owner knows.
template <class T>
void fill_known(T* to, const char* what, T from) {
  T unset{};
  unset.size = sizeof(T);
  static_cast<void>(as_known(&given(to, what), unset, what));
  from.size = to->size;
  std::memcpy(to, &from, std::min(to->size, sizeof(T)));
}

/// The i-th of a list of names that are made once, or null.
template <class Names>
const char* nth(const Names& names, std::size_t i) {
  return i < names.size() ? names[i].c_str() : nullptr;
}
template <class List, class Name>
std::vector<std::string> names_in(const List& list, Name&& name) {
  std::vector<std::string> names;
  for (const auto& one : list) names.emplace_back(name(one));
  return names;
}

}  // namespace

extern "C" {

const char* revode_version(void) { return REVODE_VERSION; }
const char* revode_last_error(void) { return last_error.c_str(); }

const char* revode_method_name(size_t i) {
  static const auto names = any_method_names();
  return nth(names, i);
}
const char* revode_algebra_name(size_t i) {
  static const auto names = any_algebra_names();
  return nth(names, i);
}
const char* revode_adjoint_name(size_t i) {
  static const auto names = any_adjoint_names();
  return nth(names, i);
}
const char* revode_schedule_name(size_t i) {
  static const auto names = names_in(schedule_names, [](const auto& s) { return s.second; });
  return nth(names, i);
}
const char* revode_problem_name(size_t i) {
  static const auto names = names_in(catalog(), [](const auto& e) { return e.name; });
  return nth(names, i);
}

revode_code revode_solve(const revode_problem* q, const char* method, const revode_options* o,
                         revode_solution** s) {
  return solved(q, method, o, s, [&](const any_problem& problem, const any_method& m) {
    return solve(problem, m, as_options(o, problem.y0.size()));
  });
}
revode_code revode_solve_dense(const revode_problem* q, const char* method, const revode_options* o,
                               revode_solution** s) {
  return solved(q, method, o, s, [&](const any_problem& problem, const any_method& m) {
    return solve(problem, m, as_options(o, problem.y0.size()), dense_output{});
  });
}
revode_code revode_solve_differentiable(const revode_problem* q, const char* method,
                                        const revode_options* o, const revode_adjoint* adjoint,
                                        revode_solution** s) {
  return solved(q, method, o, s, [&](const any_problem& problem, const any_method& m) {
    const revode_adjoint a = as_known(adjoint, REVODE_ADJOINT, "revode_adjoint");
    const std::string name = a.name == nullptr ? recursive_checkpoint::name : a.name;
    return name == recursive_checkpoint::name
               ? solve(problem, m, as_options(o, problem.y0.size()), as_checkpoint(a))
               : solve(problem, m, as_options(o, problem.y0.size()), any_adjoint{name, a.interval});
  });
}
revode_code revode_solve_each(const revode_problem* q, const char* method, const revode_options* o,
                              size_t count, const double* y0s, const double* ps, int threads,
                              revode_solution** s) {
  return guarded([&] {
    const any_problem problem = given(q, "the problem").posed();
    if (count > 0) given(s, "where the solutions go");
    expect_length("count", count, std::max(sizeof(any_point), sizeof(any_solution)));
    std::vector<std::unique_ptr<revode_solution>> made;
    for (any_solution& one :
         solve_each(problem, method_of(*q, method, o), as_options(o, problem.y0.size()),
                    points_of(*q, count, y0s, ps), threads))
      made.emplace_back(new revode_solution{problem.y0.size(), problem.p.size(), std::move(one)});
    for (std::size_t k = 0; k < count; ++k) s[k] = made[k].release();
  });
}
void revode_solution_free(revode_solution* s) { delete s; }

int revode_solution_status(const revode_solution* s) {
  return s == nullptr ? -1 : static_cast<int>(s->plain().status);
}
const char* revode_status_name(int which) { return name(static_cast<status>(which)); }
const char* revode_status_text(int which) { return explain(static_cast<status>(which)); }

double revode_solution_t(const revode_solution* s) {
  return s == nullptr ? std::numeric_limits<double>::quiet_NaN() : s->plain().t;
}
revode_code revode_solution_y(const revode_solution* s, double* y) {
  return guarded([&] { give(given(s, "the solution").plain().y, y); });
}
size_t revode_solution_save_count(const revode_solution* s) {
  return s == nullptr ? 0 : s->plain().ys.size();
}
revode_code revode_solution_save(const revode_solution* s, size_t k, double* t, double* y) {
  return guarded([&] {
    const any_solution& of = given(s, "the solution").plain();
    expect_number("save point", k, of.ys.size());
    if (t != nullptr) *t = of.ts[k];
    give(of.ys[k], y);
  });
}
size_t revode_solution_event_count(const revode_solution* s) {
  return s == nullptr ? 0 : s->plain().events.size();
}
revode_code revode_solution_event(const revode_solution* s, size_t k, double* t, int* which) {
  return guarded([&] {
    const any_solution& of = given(s, "the solution").plain();
    expect_number("event", k, of.events.size());
    if (t != nullptr) *t = of.events[k].t;
    if (which != nullptr) *which = of.events[k].which;
  });
}

revode_code revode_solution_statistics(const revode_solution* s, revode_statistics* out) {
  return guarded([&] {
    const statistics& told = given(s, "the solution").plain().stats;
    fill_known(
        out, "revode_statistics",
        revode_statistics{sizeof(revode_statistics), told.accepted, told.rejected,
                          told.field_evaluations, told.jacobian_evaluations, told.factorizations,
                          told.linear_solves, told.newton_iterations, told.jvp_evaluations});
  });
}

revode_code revode_solution_at(revode_solution* s, double t, int behind, double* y) {
  return guarded([&] { give(dense_part(s)(t, behind != 0 ? side::behind : side::before), y); });
}
revode_code revode_solution_derivative(revode_solution* s, double t, int behind, double* dy) {
  return guarded(
      [&] { give(dense_part(s).derivative(t, behind != 0 ? side::behind : side::before), dy); });
}

revode_code revode_solution_pullback(revode_solution* s, const double* y_bar, const double* ys_bar,
                                     const double* events_bar, revode_gradient* g) {
  return guarded([&] {
    const auto* of = std::get_if<any_differentiable_solution>(&given(s, "the solution").of);
    if (of == nullptr)
      misuse(
          "a gradient of a solution that keeps nothing for it (revode_solve or _dense) solve by "
          "revode_solve_differentiable?");
    any_cotangents w;
    if (y_bar != nullptr) w.y = listed(y_bar, s->n);
    for (std::size_t k = 0; ys_bar != nullptr && k < of->ys.size(); ++k)
      w.ys.push_back(listed(ys_bar + k * s->n, s->n));
    w.events = listed(events_bar, of->events.size());
    revode_gradient out = as_known(&given(g, "the gradient"), REVODE_GRADIENT, "revode_gradient");
    const any_gradient bar = of->pullback(w);
    give(bar.y0, out.y0);
    give(bar.p, out.p);
    out.t0 = bar.t0;
    out.t1 = bar.t1;
    out.status = static_cast<int>(bar.status);
    out.pulled_steps = bar.reverse.pulled_steps;
    out.replayed_steps = bar.reverse.replayed_steps;
    out.peak_states = bar.reverse.peak_states;
    out.peak_bytes = bar.reverse.peak_bytes;
    fill_known(g, "revode_gradient", out);
  });
}

}  // extern "C"
