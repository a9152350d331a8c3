// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <algorithm>
#include <optional>

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

cotangents<any_state> as_cotangents(const nb::object& y, const nb::object& ys,
                                    const nb::object& events) {
  any_cotangents w;
  if (!y.is_none()) w.y = from_numpy(y);
  if (!ys.is_none()) w.ys = rows_from_numpy(ys);
  if (!events.is_none()) w.events = from_numpy(events);
  return w;
}

nb::dict as_dict(const statistics& s) {
  nb::dict d;
  d["accepted"] = s.accepted;
  d["rejected"] = s.rejected;
  d["field_evaluations"] = s.field_evaluations;
  d["jacobian_evaluations"] = s.jacobian_evaluations;
  d["factorizations"] = s.factorizations;
  d["linear_solves"] = s.linear_solves;
  d["newton_iterations"] = s.newton_iterations;
  d["jvp_evaluations"] = s.jvp_evaluations;
  d["equal_bits"] = s.equal_bits;
  return d;
}
nb::dict as_dict(const reverse_statistics& s) {
  nb::dict d;
  d["schedule"] = std::string(s.schedule);
  d["peak_states"] = s.peak_states;
  d["peak_bytes"] = s.peak_bytes;
  d["replayed_steps"] = s.replayed_steps;
  d["pulled_steps"] = s.pulled_steps;
  d["field_evaluations"] = s.field_evaluations;
  d["vjp_evaluations"] = s.vjp_evaluations;
  return d;
}

template <class Solution, class Class>
void bind_solution(Class& c) {
  c.def_prop_ro(
       "t", [](const Solution& s) { return s.t; }, "The time reached.")
      .def_prop_ro(
          "y", [](const Solution& s) { return to_numpy(s.y); }, nb::rv_policy::automatic,
          "The state there.")
      .def_prop_ro(
          "ts", [](const Solution& s) { return to_numpy(s.ts); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "ys", [](const Solution& s) { return to_numpy(s.ys, s.y.size()); },
          nb::rv_policy::automatic, "The states at ts, a row each.")
      .def_prop_ro("status", [](const Solution& s) { return std::string(name(s.status)); })
      .def_prop_ro("message", [](const Solution& s) { return std::string(explain(s.status)); })
      .def_prop_ro("success", [](const Solution& s) { return is_complete(s.status); })
      .def_prop_ro(
          "events",
          [](const Solution& s) {
            nb::list all;
            for (const occurrence& e : s.events) all.append(nb::make_tuple(e.t, e.which));
            return all;
          },
          "(time, number of the event) of each occurrence.")
      .def_prop_ro("statistics", [](const Solution& s) { return as_dict(s.stats); })
      .def(
          "plot",
          [](const nb::object& self, const nb::object& times, const nb::object& ax,
             const nb::object& labels) -> nb::object {
            return nb::module_::import_("revode._plot").attr("plot")(self, times, ax, labels);
          },
          nb::arg("times") = nb::none(), nb::kw_only(), nb::arg("ax") = nb::none(),
          nb::arg("labels") = nb::none(),
          "Draws each component over time, by matplotlib: the saved points, or a dense solution at "
          "these times. Returns the axes.")
      .def("__repr__", [](const Solution& s) {
        return "<revode solution: " + std::string(name(s.status)) +
               " at t = " + nb::cast<std::string>(nb::str(nb::float_(s.t))) + ", " +
               std::to_string(s.stats.accepted) + " steps>";
      });
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

/// The points of rows of y0 and p; an empty one of both has none.
std::vector<any_point> points_of(const nb::object& y0, const nb::object& p) {
  std::vector<any_state> starts, parameters;
  if (!y0.is_none()) starts = rows_from_numpy(y0);
  if (!p.is_none()) parameters = rows_from_numpy(p);
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
  nb::class_<any_gradient>(m, "Gradient")
      .def_prop_ro(
          "y0", [](const any_gradient& g) { return to_numpy(g.y0); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "p", [](const any_gradient& g) { return to_numpy(g.p); }, nb::rv_policy::automatic)
      .def_ro("t0", &any_gradient::t0)
      .def_ro("t1", &any_gradient::t1)
      .def_prop_ro(
          "ts", [](const any_gradient& g) { return to_numpy(g.ts); }, nb::rv_policy::automatic)
      .def_prop_ro("status", [](const any_gradient& g) { return std::string(name(g.status)); })
      .def_prop_ro("statistics", [](const any_gradient& g) { return as_dict(g.reverse); });

  nb::class_<any_solution> plain(m, "Solution");
  bind_solution<any_solution>(plain);
  nb::class_<any_dense_solution> dense(m, "DenseSolution");
  bind_solution<any_dense_solution>(dense);
  const auto at = [](const any_dense_solution& s, const nb::object& t, auto&& value) {
    const nb::object times = as_array(t);
    if (nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(t)) == 0)
      return to_numpy(value(s, nb::cast<double>(t)));
    std::vector<any_state> rows;
    for (const double when : from_numpy(times)) rows.push_back(value(s, when));
    return to_numpy(rows, s.y.size());
  };
  dense
      .def(
          "__call__",
          [at](const any_dense_solution& s, const nb::object& t) {
            return at(s, t, [](const auto& of, double when) { return of(when); });
          },
          nb::arg("t"), "y(t), a row a time.")
      .def(
          "derivative",
          [at](const any_dense_solution& s, const nb::object& t) {
            return at(s, t, [](const auto& of, double when) { return of.derivative(when); });
          },
          nb::arg("t"));
  nb::class_<any_differentiable_solution> pulled(m, "DifferentiableSolution");
  bind_solution<any_differentiable_solution>(pulled);
  pulled.def(
      "pullback",
      [](const any_differentiable_solution& s, const nb::object& y, const nb::object& ys,
         const nb::object& events) {
        const any_cotangents w = as_cotangents(y, ys, events);
        nb::gil_scoped_release free;
        return s.pullback(w);
      },
      nb::arg("y") = nb::none(), nb::kw_only(), nb::arg("ys") = nb::none(),
      nb::arg("events") = nb::none(),
      "The gradient of a loss of these derivatives: of y, of the rows ys, of the events' times.");

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

  // The interpreter is free while these work; fields of Python's take it when they are called.
  using free = nb::call_guard<nb::gil_scoped_release>;
  m.def(
      "solve",
      [](const any_problem& q, const std::string& method, const options& o) {
        return solve(q, method, o);
      },
      free());
  m.def(
      "solve_dense",
      [](const any_problem& q, const std::string& method, const options& o) {
        return solve(q, method, o, dense_output{});
      },
      free());
  m.def(
      "solve_adjoint",
      [](const any_problem& q, const std::string& method, const options& o,
         const std::string& adjoint, index every) {
        return solve(q, method, o, any_adjoint{adjoint, every});
      },
      free());
  m.def(
      "solve_checkpoint",
      [](const any_problem& q, const std::string& method, const options& o,
         std::optional<index> slots, std::optional<index> budget,
         std::optional<std::string> schedule, const std::string& log, const std::string& spill,
         index interval, index slow_slots) {
        return solve(q, method, o,
                     as_checkpoint(slots, budget, schedule, log, spill, interval, slow_slots));
      },
      nb::arg("problem"), nb::arg("method"), nb::arg("options"), nb::arg("slots").none(),
      nb::arg("budget").none(), nb::arg("schedule").none(), nb::arg("log"), nb::arg("spill"),
      nb::arg("interval"), nb::arg("slow_slots"), free());
  m.def(
      "solve_each",
      [](const any_problem& q, const std::string& method, const options& o, const nb::object& y0,
         const nb::object& p, int threads) {
        const std::vector<any_point> points = points_of(y0, p);
        nb::gil_scoped_release unlocked;
        return solve_each(q, method, o, points, threads);
      },
      nb::arg("problem"), nb::arg("method"), nb::arg("options"), nb::arg("y0").none(),
      nb::arg("p").none(), nb::arg("threads"));
}

}  // namespace revode::python
