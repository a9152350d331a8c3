// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <nanobind/stl/string.h>

namespace revode::python {
namespace {

/// The numbers of y and of q in a result.
struct sizes {
  std::size_t y, q;
};

any_state joined(any_state y, const any_state& q, sizes n) {
  const auto expect = [](const char* name, std::size_t got, std::size_t wanted) {
    if (got != wanted)
      throw std::invalid_argument("a cotangent of " + std::to_string(got) + " numbers for " + name +
                                  " (it has " + std::to_string(wanted) + ") give as many?");
  };
  expect("y", y.size(), n.y);
  expect("q", q.size(), n.q);
  y.insert(y.end(), q.begin(), q.end());
  return y;
}
std::vector<any_state> joined_rows(const nb::object& ys, const nb::object& qs, sizes n) {
  std::vector<any_state> rows, more;
  if (!ys.is_none()) rows = rows_from_numpy(ys);
  if (!qs.is_none()) more = rows_from_numpy(qs);
  if (ys.is_none()) rows.assign(more.size(), any_state(n.y));
  if (qs.is_none()) more.assign(rows.size(), any_state(n.q));
  if (rows.size() != more.size())
    throw std::invalid_argument(std::to_string(rows.size()) + " rows of ys and " +
                                std::to_string(more.size()) +
                                " of qs (one of each belongs to a save point) give as many?");
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = joined(std::move(rows[i]), more[i], n);
  return rows;
}
/// Those of y and q behind each other; of the two, one that is None is 0.
any_cotangents as_cotangents(const nb::object& y, const nb::object& ys, const nb::object& events,
                             const nb::object& q, const nb::object& qs, sizes n) {
  any_cotangents w;
  if (!y.is_none() || !q.is_none())
    w.y = joined(y.is_none() ? any_state(n.y) : from_numpy(y),
                 q.is_none() ? any_state(n.q) : from_numpy(q), n);
  w.ys = joined_rows(ys, qs, n);
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

template <class Solution>
sizes sizes_of(const Solution& s) {
  return {s.y.size() - s.integrals, s.integrals};
}

template <class Solution, class Class>
void bind_solution(Class& c) {
  c.def_prop_ro(
       "t", [](const Solution& s) { return s.t; }, "The time reached.")
      .def_prop_ro(
          "y",
          [](const Solution& s) {
            return to_numpy(std::span<const double>(s.y).first(sizes_of(s).y));
          },
          nb::rv_policy::automatic, "The state there.")
      .def_prop_ro(
          "q",
          [](const Solution& s) {
            return to_numpy(std::span<const double>(s.y).last(s.integrals));
          },
          nb::rv_policy::automatic, "The integrals there.")
      .def_prop_ro(
          "ts", [](const Solution& s) { return to_numpy(s.ts); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "ys", [](const Solution& s) { return to_numpy(s.ys, sizes_of(s).y); },
          nb::rv_policy::automatic, "The states at ts, a row each.")
      .def_prop_ro(
          "qs", [](const Solution& s) { return to_numpy(s.ys, s.integrals, sizes_of(s).y); },
          nb::rv_policy::automatic, "The integrals at ts, a row each.")
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

}  // namespace

void bind_solutions(nb::module_& m) {
  using gradient = with_integrals<any_gradient>;
  nb::class_<gradient>(m, "Gradient")
      .def_prop_ro(
          "y0",
          [](const gradient& g) {
            return to_numpy(std::span<const double>(g.y0).first(g.y0.size() - g.integrals));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "q0",
          [](const gradient& g) {
            return to_numpy(std::span<const double>(g.y0).last(g.integrals));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "p", [](const gradient& g) { return to_numpy(g.p); }, nb::rv_policy::automatic)
      .def_ro("t0", &gradient::t0)
      .def_ro("t1", &gradient::t1)
      .def_prop_ro(
          "ts", [](const gradient& g) { return to_numpy(g.ts); }, nb::rv_policy::automatic)
      .def_prop_ro("status", [](const gradient& g) { return std::string(name(g.status)); })
      .def_prop_ro("statistics", [](const gradient& g) { return as_dict(g.reverse); });

  using plain_solution = with_integrals<any_solution>;
  using dense_solution = with_integrals<any_dense_solution>;
  using pulled_solution = with_integrals<any_differentiable_solution>;
  nb::class_<plain_solution> plain(m, "Solution");
  bind_solution<plain_solution>(plain);
  nb::class_<dense_solution> dense(m, "DenseSolution");
  bind_solution<dense_solution>(dense);
  const auto at = [](const dense_solution& s, const nb::object& t, std::size_t first,
                     std::size_t count, auto&& value) {
    const nb::object times = as_array(t);
    if (nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(t)) == 0)
      return to_numpy(std::span<const double>(value(s, nb::cast<double>(t))).subspan(first, count));
    std::vector<any_state> rows;
    for (const double when : from_numpy(times)) rows.push_back(value(s, when));
    return to_numpy(rows, count, first);
  };
  const auto value = [](const dense_solution& s, double when) { return s(when); };
  dense
      .def(
          "__call__",
          [=](const dense_solution& s, const nb::object& t) {
            return at(s, t, 0, sizes_of(s).y, value);
          },
          nb::arg("t"), "y(t), a row a time.")
      .def(
          "integral",
          [=](const dense_solution& s, const nb::object& t) {
            return at(s, t, sizes_of(s).y, s.integrals, value);
          },
          nb::arg("t"), "q(t), a row a time.")
      .def(
          "derivative",
          [=](const dense_solution& s, const nb::object& t) {
            return at(s, t, 0, sizes_of(s).y,
                      [](const auto& of, double when) { return of.derivative(when); });
          },
          nb::arg("t"));
  nb::class_<pulled_solution> pulled(m, "DifferentiableSolution");
  bind_solution<pulled_solution>(pulled);
  pulled.def(
      "pullback",
      [](const pulled_solution& s, const nb::object& y, const nb::object& ys,
         const nb::object& events, const nb::object& q, const nb::object& qs) {
        const any_cotangents w = as_cotangents(y, ys, events, q, qs, sizes_of(s));
        nb::gil_scoped_release free;
        return gradient{s.pullback(w), s.integrals};
      },
      nb::arg("y") = nb::none(), nb::kw_only(), nb::arg("ys") = nb::none(),
      nb::arg("events") = nb::none(), nb::arg("q") = nb::none(), nb::arg("qs") = nb::none(),
      "The gradient of a loss of these derivatives: of y, of the rows ys, of the events' times, of "
      "the integrals q and their rows qs.");
}

}  // namespace revode::python
