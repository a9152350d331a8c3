// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <revode.h>
#include <revode/schedule/kind.hpp>

namespace revode::python {
namespace {

schedule_kind find_schedule(const std::string& name) {
  for (std::size_t i = 0; const char* known = revode_schedule_name(i); ++i)
    if (name == known) return static_cast<schedule_kind>(i);
  throw std::invalid_argument("unknown schedule '" + name +
                              "' (it is not among schedules()) leave it out?");
}
step_replay find_log(const std::string& name) {
  if (name == "automatic") return step_replay::automatic;
  if (name == "steps") return step_replay::steps;
  if (name == "controller") return step_replay::controller;
  throw std::invalid_argument("unknown log '" + name +
                              "' (automatic, steps or controller) leave it out?");
}

/// What `solve` makes of a problem, with its integrals if it has some.
template <class Solve>
auto solved(const python_problem& q, const Solve& solve) {
  using result = with_integrals<decltype(solve(static_cast<const any_problem&>(q)))>;
  if (!q.integrand) return result{solve(static_cast<const any_problem&>(q)), 0};
  return result{solve(q.joined()), q.q0.size()};
}

recursive_checkpoint as_checkpoint(std::optional<index> slots, std::optional<index> budget,
                                   const std::optional<std::string>& schedule,
                                   const std::string& log, const std::string& spill, index interval,
                                   index slow_slots) {
  recursive_checkpoint a = python::as_checkpoint(slots, budget, schedule);
  a.log = find_log(log);
  a.spill = spill;
  a.interval = interval;
  a.slow_slots = slow_slots;
  return a;
}

/// One number for all components, or a number each.
void set_tolerance(const nb::object& given, double& of_all, std::vector<double>& of_each) {
  of_each.clear();
  if (nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(given)) == 0)
    of_all = nb::cast<double>(given);
  else
    of_each = from_numpy(given);
}

/// The points of rows of y0 and p; an empty one of both has none. Integrals start where those of q do.
std::vector<any_point> points_of(const python_problem& q, const nb::object& y0,
                                 const nb::object& p) {
  std::vector<any_state> starts, parameters;
  if (!y0.is_none()) starts = rows_from_numpy(y0);
  if (!p.is_none()) parameters = rows_from_numpy(p);
  for (any_state& y : starts) {
    if (q.integrand && y.size() != q.y0.size())
      throw std::invalid_argument("rows of y0 of " + std::to_string(y.size()) +
                                  " numbers (beside integrals they have the " +
                                  std::to_string(q.y0.size()) + " of the problem) give as many?");
    y.insert(y.end(), q.q0.begin(), q.q0.end());
  }
  if (!starts.empty() && !parameters.empty() && starts.size() != parameters.size())
    throw std::invalid_argument(std::to_string(starts.size()) + " rows of y0 and " +
                                std::to_string(parameters.size()) +
                                " of p (one of each belongs to a solve) give as many?");
  std::vector<any_point> points(std::max(starts.size(), parameters.size()));
  for (std::size_t i = 0; i < starts.size(); ++i) points[i].y0 = std::move(starts[i]);
  for (std::size_t i = 0; i < parameters.size(); ++i) points[i].p = std::move(parameters[i]);
  return points;
}

}  // namespace

recursive_checkpoint as_checkpoint(std::optional<index> slots, std::optional<index> budget,
                                   const std::optional<std::string>& schedule) {
  recursive_checkpoint a;
  a.slots = slots;
  a.budget = budget;
  if (schedule) a.schedule = find_schedule(*schedule);
  return a;
}

void bind_solves(nb::module_& m) {
  nb::class_<options>(m, "Options", "revode/solve/options.hpp; the keyword arguments of solve.")
      .def(nb::init<>())
      .def_prop_rw(
          "rtol", [](const options& o) { return o.rtol; },
          [](options& o, const nb::object& rtol) { set_tolerance(rtol, o.rtol, o.norm.rtol); })
      .def_prop_rw(
          "atol", [](const options& o) { return o.atol; },
          [](options& o, const nb::object& atol) { set_tolerance(atol, o.atol, o.norm.atol); })
      .def_rw("fixed_step", &options::fixed_step)
      .def_rw("first_step", &options::first_step)
      .def_rw("max_step", &options::max_step)
      .def_rw("min_step", &options::min_step)
      .def_rw("max_steps", &options::max_steps)
      .def_prop_rw(
          "every", [](const options& o) { return o.save.every; },
          [](options& o, index every) { o.save.every = every; })
      .def_prop_rw(
          "ts", [](const options& o) { return to_numpy(o.save.ts); },
          [](options& o, const nb::object& ts) { o.save.ts = from_numpy(ts); },
          nb::rv_policy::automatic)
      .def_prop_rw(
          "stops", [](const options& o) { return to_numpy(o.stops); },
          [](options& o, const nb::object& ts) { o.stops = from_numpy(ts); },
          nb::rv_policy::automatic)
      .def_prop_rw(
          "discontinuities", [](const options& o) { return to_numpy(o.discontinuities); },
          [](options& o, const nb::object& ts) { o.discontinuities = from_numpy(ts); },
          nb::rv_policy::automatic);

  nb::class_<any_method>(m, "Method", "A method with its linear algebra, as solve makes it.")
      .def(
          "__init__",
          [](any_method* self, const std::string& name, const std::string& algebra, int lower,
             int upper, const std::vector<int>& starts, const std::vector<int>& rows) {
            any_algebra of{.name = algebra, .lower = lower, .upper = upper};
            if (!starts.empty()) of.pattern = any_pattern(starts, rows);
            new (self) any_method(any_method(name), std::move(of));
          },
          nb::arg("name"), nb::arg("algebra"), nb::arg("lower"), nb::arg("upper"),
          nb::arg("starts"), nb::arg("rows"));

  // The interpreter is free while these work; fields of Python's take it when they are called.
  using free = nb::call_guard<nb::gil_scoped_release>;
  m.def(
      "solve",
      [](const python_problem& of, const any_method& method, const options& o) {
        return solved(of, [&](const any_problem& q) { return solve(q, method, o); });
      },
      free());
  m.def(
      "solve_dense",
      [](const python_problem& of, const any_method& method, const options& o) {
        return solved(of,
                      [&](const any_problem& q) { return solve(q, method, o, dense_output{}); });
      },
      free());
  m.def(
      "solve_adjoint",
      [](const python_problem& of, const any_method& method, const options& o,
         const std::string& adjoint, index every) {
        return solved(of, [&](const any_problem& q) {
          return solve(q, method, o, any_adjoint{adjoint, every});
        });
      },
      free());
  m.def(
      "solve_checkpoint",
      [](const python_problem& of, const any_method& method, const options& o,
         std::optional<index> slots, std::optional<index> budget,
         std::optional<std::string> schedule, const std::string& log, const std::string& spill,
         index interval, index slow_slots) {
        const recursive_checkpoint memory =
            as_checkpoint(slots, budget, schedule, log, spill, interval, slow_slots);
        return solved(of, [&](const any_problem& q) { return solve(q, method, o, memory); });
      },
      nb::arg("problem"), nb::arg("method"), nb::arg("options"), nb::arg("slots").none(),
      nb::arg("budget").none(), nb::arg("schedule").none(), nb::arg("log"), nb::arg("spill"),
      nb::arg("interval"), nb::arg("slow_slots"), free());
  m.def(
      "solve_each",
      [](const python_problem& q, const any_method& method, const options& o, const nb::object& y0,
         const nb::object& p, int threads) {
        const std::vector<any_point> points = points_of(q, y0, p);
        nb::gil_scoped_release unlocked;
        std::vector<with_integrals<any_solution>> all;
        for (any_solution& s : solve_each(q.joined(), method, o, points, threads))
          all.push_back({std::move(s), q.q0.size()});
        return all;
      },
      nb::arg("problem"), nb::arg("method"), nb::arg("options"), nb::arg("y0").none(),
      nb::arg("p").none(), nb::arg("threads"));
}

}  // namespace revode::python
