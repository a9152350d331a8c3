// SPDX-License-Identifier: Apache-2.0
#include "callbacks.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace revode::python {
namespace {

crossing as_crossing(const std::string& direction) {
  if (direction == "both") return crossing::both;
  if (direction == "rising") return crossing::rising;
  if (direction == "falling") return crossing::falling;
  throw std::invalid_argument("direction '" + direction +
                              "' of an event (both, rising or falling) give one of them?");
}

any_event as_event(const nb::object& condition, const nb::object& jump, const std::string& name,
                   const std::string& direction, bool terminal, bool passes,
                   const nb::object& condition_gradient, const nb::object& jump_vjp) {
  any_event_callbacks e{.name = name};
  e.direction = as_crossing(direction);
  e.terminal = terminal;
  e.passes = passes;
  e.condition = [call = callable(condition)](double t, auto y, auto p) {
    return call([](nb::object value) { return nb::cast<double>(value); }, t, y, p);
  };
  if (!jump.is_none())
    e.jump = [call = callable(jump)](double t, auto y, auto p, auto y_new) {
      call([&](nb::object got) { fill_from(got, y_new, "a jump"); }, t, y, p);
    };
  if (!condition_gradient.is_none())
    e.condition_gradient = [call = callable(condition_gradient)](double t, auto y, auto p,
                                                                 double& gt, auto gy, auto gp) {
      call(
          [&](nb::object got) {
            const nb::tuple parts(got);
            gt += nb::cast<double>(parts[0]);
            add_from(parts[1], gy, "gy of a condition");
            add_from(parts[2], gp, "gp of a condition");
          },
          t, y, p);
    };
  if (!jump_vjp.is_none()) e.jump_vjp = as_vjp(jump_vjp);
  return e;
}

/// The numbers of a matrix, row by row, of NumPy's or sparse ones.
std::vector<double> as_mass(const nb::object& mass) {
  if (mass.is_none()) return {};
  const nb::object dense = as_array(nb::hasattr(mass, "toarray") ? mass.attr("toarray")() : mass);
  const auto a = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(dense);
  if (a.ndim() != 2 || a.shape(0) != a.shape(1))
    throw std::invalid_argument(
        "a mass matrix that is not square (it has n × n numbers) give rows "
        "of as many numbers as there are states?");
  return from_numpy(dense);
}

/// A field, the explicit part of one or an integrand, with its products.
any_callbacks as_callbacks(decltype(any_callbacks::f) f, const nb::object& vjp,
                           const nb::object& jvp, bool by_finite_differences, double typical_size,
                           double typical_time) {
  any_callbacks c{.f = std::move(f)};
  if (!vjp.is_none()) c.vjp = as_vjp(vjp);
  if (!jvp.is_none()) c.jvp = as_jvp(jvp);
  c.by_finite_differences = by_finite_differences;
  c.typical_size = typical_size;
  c.typical_time = typical_time;
  return c;
}

python_problem as_problem(const nb::object& f, nb::handle y0, double t0, double t1, nb::handle p,
                          const nb::object& vjp, const nb::object& jvp, const nb::object& jacobian,
                          const nb::object& banded_jacobian, const nb::object& sparse_jacobian,
                          bool by_finite_differences, double typical_size, double typical_time,
                          std::vector<any_event> events, const nb::object& mass,
                          const nb::object& index, const nb::object& explicit_part,
                          const nb::object& explicit_vjp, const nb::object& explicit_jvp) {
  any_callbacks c =
      as_callbacks(as_field(f), vjp, jvp, by_finite_differences, typical_size, typical_time);
  c.mass = as_mass(mass);
  if (!index.is_none())
    for (nb::handle of_element : index) c.index.push_back(nb::cast<int>(nb::int_(of_element)));
  if (!jacobian.is_none()) c.jacobian = as_jacobian(jacobian);
  if (!banded_jacobian.is_none())
    c.banded_jacobian =
        as_jacobian(banded_jacobian, "banded Jacobian", "a Jacobian in a band", true);
  if (!sparse_jacobian.is_none())
    c.sparse_jacobian = as_jacobian(sparse_jacobian, "sparse Jacobian", "a Jacobian on a pattern");
  if (explicit_part.is_none() && !(explicit_vjp.is_none() && explicit_jvp.is_none()))
    throw std::invalid_argument(
        "explicit_vjp or explicit_jvp without explicit_part (they are its derivatives) give it?");
  return {{.f = explicit_part.is_none()
                    ? any_field(std::move(c))
                    : any_field(
                          std::move(c),
                          as_callbacks(as_field(explicit_part, "explicit part", "an explicit part"),
                                       explicit_vjp, explicit_jvp, by_finite_differences,
                                       typical_size, typical_time)),
           .y0 = from_numpy(y0),
           .t0 = t0,
           .t1 = t1,
           .p = from_numpy(p),
           .events = std::move(events)}};
}

/// errors  std::invalid_argument: what the compiled interface refuses of integrands, and a second one
python_problem as_integrated(const python_problem& q, const nb::object& g, const nb::object& q0,
                             const nb::object& vjp, const nb::object& jvp,
                             bool by_finite_differences, double typical_size, double typical_time) {
  if (q.integrand)
    throw std::invalid_argument(
        "a second quadrature of a problem (it has one, of as many integrals as q0 has numbers) "
        "give them all in one?");
  python_problem longer = q;
  longer.integrand = std::make_shared<const any_callbacks>(
      as_callbacks(as_field(g, "integrand", "an integrand"), vjp, jvp, by_finite_differences,
                   typical_size, typical_time));
  longer.q0 = from_numpy(q0);
  static_cast<void>(longer.joined());
  return longer;
}
void start_integrals(python_problem& q, const nb::object& q0) {
  any_state start = from_numpy(q0);
  if (start.size() != q.q0.size())
    throw std::invalid_argument("q0 of " + std::to_string(start.size()) +
                                " numbers (the problem has " + std::to_string(q.q0.size()) +
                                " integrals) give as many, or with_quadrature?");
  q.q0 = std::move(start);
}

}  // namespace

void bind_problems(nb::module_& m) {
  nb::class_<any_event>(m, "Event",
                        "condition(t, y, p) passes through 0: a located event.\n"
                        "jump(t, y, p) returns the state behind it. For gradients: "
                        "condition_gradient(t, y, p) -> (gt, gy, gp), jump_vjp(t, y, p, w) -> "
                        "(gt, gy, gp).")
      .def(
          "__init__",
          [](any_event* self, const nb::object& condition, const nb::object& jump,
             const std::string& name, const std::string& direction, bool terminal, bool passes,
             const nb::object& condition_gradient, const nb::object& jump_vjp) {
            new (self) any_event(as_event(condition, jump, name, direction, terminal, passes,
                                          condition_gradient, jump_vjp));
          },
          nb::arg("condition"), nb::arg("jump") = nb::none(), nb::kw_only(), nb::arg("name") = "",
          nb::arg("direction") = "both", nb::arg("terminal") = false, nb::arg("passes") = false,
          nb::arg("condition_gradient") = nb::none(), nb::arg("jump_vjp") = nb::none());

  nb::class_<python_problem>(
      m, "Problem",
      "y' = f(t, y, p), y(t0) = y0, or mass @ y' = f with a mass matrix "
      "(n, n), singular or not, of index 1; index: 1, 2 or 3 for each "
      "element of y.\n"
      "f(t, y, p) returns dy; it, and the derivatives, may also be compiled: "
      "numba's cfunc or a ctypes "
      "function of the signatures in revode.h. vjp(t, y, p, w) -> (gt, gy, "
      "gp), jvp(t, y, p, dt, dy, dp) "
      "-> df, jacobian(t, y, p) -> (n, n); those that are missing are made of "
      "those that are there, or by_finite_differences, in steps for numbers of typical_size, t of "
      "typical_time.\n"
      "For large systems: banded_jacobian(t, y, p) -> (n, lower + 1 + upper), whose row i has "
      "the numbers of columns i - lower to i + upper, 0 outside the matrix; sparse_jacobian(t, y, "
      "p) -> the numbers of the pattern by columns, with the whole diagonal, or a sparse matrix "
      "of SciPy's with such entries.\n"
      "explicit_part: y' = f + explicit_part, of which \"kencarp5_imex\" and its like take f, the "
      "stiff one, implicitly; it has derivatives of its own.")
      .def(
          "__init__",
          [](python_problem* self, const nb::object& f, const nb::object& y0, double t0, double t1,
             const nb::object& p, const nb::object& vjp, const nb::object& jvp,
             const nb::object& jacobian, const nb::object& banded_jacobian,
             const nb::object& sparse_jacobian, bool by_finite_differences, double typical_size,
             double typical_time, std::vector<any_event> events, const nb::object& mass,
             const nb::object& index, const nb::object& explicit_part,
             const nb::object& explicit_vjp, const nb::object& explicit_jvp) {
            new (self) python_problem(
                as_problem(f, y0, t0, t1, p, vjp, jvp, jacobian, banded_jacobian, sparse_jacobian,
                           by_finite_differences, typical_size, typical_time, std::move(events),
                           mass, index, explicit_part, explicit_vjp, explicit_jvp));
          },
          nb::arg("f"), nb::arg("y0"), nb::arg("t0"), nb::arg("t1"), nb::arg("p") = nb::tuple(),
          nb::kw_only(), nb::arg("vjp") = nb::none(), nb::arg("jvp") = nb::none(),
          nb::arg("jacobian") = nb::none(), nb::arg("banded_jacobian") = nb::none(),
          nb::arg("sparse_jacobian") = nb::none(), nb::arg("by_finite_differences") = false,
          nb::arg("typical_size") = 1.0, nb::arg("typical_time") = 1.0,
          nb::arg("events") = nb::list(), nb::arg("mass") = nb::none(),
          nb::arg("index") = nb::none(), nb::arg("explicit_part") = nb::none(),
          nb::arg("explicit_vjp") = nb::none(), nb::arg("explicit_jvp") = nb::none())
      .def_static(
          "named", [](std::string_view name) { return python_problem{named_problem(name)}; },
          nb::arg("name"), "A named problem, \"lorenz\", \"lorenz96:40\": problems() lists them.")
      .def("with_quadrature", &as_integrated, nb::arg("g"), nb::arg("q0") = 0.0, nb::kw_only(),
           nb::arg("vjp") = nb::none(), nb::arg("jvp") = nb::none(),
           nb::arg("by_finite_differences") = false, nb::arg("typical_size") = 1.0,
           nb::arg("typical_time") = 1.0,
           "The same with integrals beside y: q' = g(t, y, p), q(t0) = q0, a number or as many as "
           "g returns.\n"
           "Solutions have them as q and qs, pullback takes their cotangents: of a running cost "
           "q=1. g, vjp(t, y, p, w) -> (gt, gy, gp) and jvp, one of which gradients and implicit "
           "methods need, are functions as those of a Problem. Events see y alone. Tolerances of "
           "components are those of y and then of q, which an infinite atol leaves out of the "
           "choice of steps.")
      .def(
          "replace",
          [](const python_problem& q, const nb::object& y0, const nb::object& p,
             std::optional<double> t0, std::optional<double> t1, const nb::object& q0) {
            python_problem other = q;
            if (!q0.is_none()) start_integrals(other, q0);
            if (!y0.is_none()) other.y0 = from_numpy(y0);
            if (!p.is_none()) other.p = from_numpy(p);
            other.t0 = t0.value_or(q.t0);
            other.t1 = t1.value_or(q.t1);
            return other;
          },
          nb::kw_only(), nb::arg("y0") = nb::none(), nb::arg("p") = nb::none(),
          nb::arg("t0") = nb::none(), nb::arg("t1") = nb::none(), nb::arg("q0") = nb::none(),
          "The same with another start, parameters, or times.")
      .def_prop_rw(
          "y0", [](const python_problem& q) { return to_numpy(q.y0); },
          [](python_problem& q, const nb::object& y0) { q.y0 = from_numpy(y0); },
          nb::rv_policy::automatic)
      .def_prop_rw(
          "q0", [](const python_problem& q) { return to_numpy(q.q0); }, &start_integrals,
          nb::rv_policy::automatic, "Where the integrals start; empty: there are none.")
      .def_prop_rw(
          "p", [](const python_problem& q) { return to_numpy(q.p); },
          [](python_problem& q, const nb::object& p) { q.p = from_numpy(p); },
          nb::rv_policy::automatic)
      .def_rw("t0", &python_problem::t0)
      .def_rw("t1", &python_problem::t1)
      .def_prop_ro(
          "jumps", [](const python_problem& q) { return to_numpy(q.jumps); },
          nb::rv_policy::automatic, "Times for `discontinuities`.")
      .def(
          "__call__",
          [](const python_problem& q, double t, const nb::object& y) {
            any_state dy;
            q.f(t, from_numpy(y), q.p, dy);
            return to_numpy(dy);
          },
          nb::arg("t"), nb::arg("y"), "f(t, y, p)")
      .def_prop_ro(
          "identity",
          [](const python_problem& q) {
            nb::list all;
            const auto add = [&](const void* p) {
              all.append(reinterpret_cast<std::uintptr_t>(p));
            };
            add(q.f.erased().get());
            for (const any_event& e : q.events) add(e.erased().get());
            add(q.integrand.get());
            for (const double start : q.q0) all.append(start);
            return nb::make_tuple(nb::tuple(all), q.t0, q.t1, q.y0.size(), q.p.size());
          },
          "Equal for problems that differ in y0 and p alone, while one of them is alive.")
      .def_prop_ro(
          "has_mass", [](const python_problem& q) { return q.f.has_mass(); }, "It says M y' = f.");
}

}  // namespace revode::python
